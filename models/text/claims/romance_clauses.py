"""Where a sentence in a Romance language is two clauses, each cited: "Il agit [1], mais il cause des nausées [2]"."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_CONNECTIVES = frozenset(
    "mais cependant tandis alors et pero mientras sin y aunque ma mentre però mas enquanto embora porém e "
    "car puisque parce porque ya perché poiché pois".split()
)
_SECOND = {"tandis": "que", "alors": "que", "mientras": "que", "sin": "embargo", "parce": "que", "ya": "que"}
_COMMON = frozenset(
    "le la les des du une est sont et pas ne par pour avec chez dans que qui mais tandis alors plus il elle "
    "el los las del una es son y por para con en se pero mientras aunque más al "
    "il gli della delle dei nel nella è sono anche ma mentre però più dopo "
    "os das dos é são não com em mas pelo pela uma mais enquanto embora ao".split()
)
_FEWEST_COMMON = 3
_VERBS = frozenset(
    "est sont ont était étaient peut peuvent doit doivent faut réduit réduisent augmente augmentent diminue diminuent "
    "provoque provoquent cause causent améliore améliorent prévient préviennent interagit interagissent entraîne "
    "entraînent agit agissent reste restent montre montrent traite traitent abaisse abaissent protège protègent aide "
    "aident aggrave aggravent soulage soulagent semble semblent dure durent l'emporte l'emportent "
    "es son está están ha han puede pueden debe deben reduce reducen aumenta aumentan disminuye disminuyen causa "
    "causan provoca provocan mejora mejoran previene previenen interactúa interactúan actúa trata tratan ayuda ayudan "
    "muestra muestran requiere requieren protege protegen tiene tienen produce producen alivia alivian parece "
    "parecen dura duran sigue siguen "
    "è sono ha hanno può possono deve devono riduce riducono aumentano diminuisce diminuiscono causano provocano "
    "migliora migliorano previene prevengono abbassa abbassano va vanno andrebbe andrebbero dovrebbe dovrebbero resta "
    "dura durano richiede richiedono protegge aiuta interagisce sembra è era erano agisce "
    "é são foi foram tem têm pode podem deve devem reduz reduzem aumentam diminui diminuem causam provocam melhora "
    "melhoram previne previnem requer requerem ajuda ajudam age permanece".split()
)
_NO_VERB_BEHIND = frozenset(
    "le la les des du de un une l' el los las del una su sus sa ses cette este esta "
    "il lo gli della o os as da do um uma".split()
)
_NOUNS_TOO = frozenset("cause causent causa ayuda aide mejora muestra trata traite baja".split())
_DENIES = frozenset(("ne", "no", "se"))
_NO_CLAUSE = frozenset("pas non aussi également surtout seulement también sobre solo sólo".split())


@dataclass(frozen=True, slots=True)
class RomanceJoint:
    """A joint words[at], and from which word to which the subject stands that the clause behind it shares."""

    at: int
    subject: tuple[int, int] | None


def romance_joints(words: Sequence[str], cited: Callable[[int], bool]) -> list[RomanceJoint]:
    """Find the semicolons and connectives that join two clauses of a sentence, each with its own citation.

    Args:
        words: The words and stops as written, without markers.
        cited: Tells whether a marker stands right before a word; before the one after the last, at the end.
    """
    said = [word.casefold().replace("’", "'") for word in words]
    if sum(word in _COMMON for word in said) < _FEWEST_COMMON:
        return []
    found: list[RomanceJoint] = []
    first = 0
    for at in range(1, len(said) - 1):
        marked = cited(at) or (said[at - 1] == "," and cited(at - 1))
        right = _behind_joint(said, at)
        if not marked or right is None or not any(map(cited, range(right + 1, len(said) + 1))):
            continue
        before = next((here for here in range(first, at) if _is_verb(said, here)), None)
        ends = next(
            (here for here in range(right + 1, len(said)) if _behind_joint(said, here) and cited(here)),
            len(said),
        )
        if before is None or not any(_is_verb(said, here) for here in range(right, ends)):
            continue
        shares = _is_verb(said, right)
        # In "Reduce la HbA1c [2], pero causa déficit [3]" neither has a subject.
        found.append(RomanceJoint(at, (first, before) if shares and before > first else None))
        first = right
    return found


def _behind_joint(said: Sequence[str], at: int) -> int | None:
    """Say where the words behind a joint begin; None where there is none, or no clause behind it."""
    if said[at] != ";" and said[at] not in _CONNECTIVES:
        return None
    right = at + 1
    wanted = _SECOND.get(said[at])
    if wanted:
        if right >= len(said) or said[right] not in (wanted, wanted.replace("e", "'")):
            return None
        right += 1
    if said[at] == ";" and right < len(said) and said[right] in ("mais", "pero"):
        right += 1
    return right if right < len(said) - 1 and said[right] not in _NO_CLAUSE else None


def _is_verb(said: Sequence[str], at: int) -> bool:
    word = said[at]
    if word.startswith(("n'", "s'")) or (word in _DENIES and at + 1 < len(said) and _is_verb(said, at + 1)):
        return True
    behind_article = at > 0 and said[at - 1] in _NO_VERB_BEHIND  # but "la insulina la produce"
    return word in _VERBS and not (behind_article and word in _NOUNS_TOO)
