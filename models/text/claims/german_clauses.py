"""Where a German sentence is two clauses, each cited: "Aspirin wirkt nicht [1], aber Apixaban hilft [2]"."""

import re
from collections.abc import Callable, Sequence

_CONNECTIVES = frozenset("und aber sondern doch jedoch denn während wohingegen weil obwohl wobei".split())
_COMMON = frozenset(
    "der die das den dem des ein eine einen einem einer und oder aber ist sind war wird werden wurde wurden nicht mit "
    "bei im zu von auf für auch sich nach als durch kann gegenüber während senkt erhöht es haben können".split()
)
_FEWEST_COMMON = 2
_AUXILIARIES = frozenset(
    "ist sind war waren wird werden wurde wurden hat haben hatte hatten kann können konnte konnten soll sollen "
    "sollte sollten muss müssen darf dürfen mag gab fand fanden stieg stiegen sank sanken lag lagen blieb "
    "blieben".split()
)
_NO_VERBS = frozenset(
    "nicht selbst sonst jetzt fast statt erst dort seit meist zuletzt zumeist acht echt leicht gegen zwischen neben "
    "wegen einen keinen diesen jeden allen beiden hingegen dagegen".split()
)
_IN_T = re.compile(r"(?!ge)[a-zäöüß]{3,}t")
_IN_TE = re.compile(r"(?!ge)[a-zäöüß]{3,}ten?")
_IN_EN = re.compile(r"[a-zäöüß]{3,}(?:en|ern|eln)")


def german_joints(words: Sequence[str], cited: Callable[[int], bool]) -> list[int]:
    """Find the stops and connectives that join two clauses of a German sentence, each with its own citation.

    Args:
        words: The words and stops as written, without markers.
        cited: Tells whether a marker stands right before a word; before the one after the last, at the end.
    """
    if sum(word.casefold() in _COMMON for word in words) < _FEWEST_COMMON:
        return []
    found: list[int] = []
    ends = len(words)
    for at in range(len(words) - 1, 0, -1):
        behind_comma = words[at] in _CONNECTIVES and words[at - 1] == "," and cited(at - 1)
        # "… nicht besser [2], Opioide sollten vermieden werden [3]"
        spliced = words[at] == "," and cited(at) and words[at + 1][:1].isupper()
        if not (behind_comma or spliced or (words[at] == ";" and cited(at))):
            continue
        own = any(map(cited, range(at + 2, ends + 1)))
        if own and has_german_verb(words[:at]) and has_german_verb(words[at + 1 : ends]):
            found.append(at)
            ends = at
    return found[::-1]


def has_german_verb(words: Sequence[str]) -> bool:
    """Tell whether words hold what looks like a German verb, by its ending and its neighbours."""
    return any(_is_verb(words, at) for at in range(len(words)))


def _is_verb(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if word in _AUXILIARIES:
        return True
    if word in _NO_VERBS or not word.islower():
        return False
    before_noun = at + 1 < len(words) and words[at + 1][:1].isupper()
    if _IN_TE.fullmatch(word):
        return not before_noun  # "erhöhte Werte"
    behind_noun = at > 0 and words[at - 1][:1].isupper()
    return _IN_T.fullmatch(word) is not None or (behind_noun and _IN_EN.fullmatch(word) is not None)
