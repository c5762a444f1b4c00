"""Unlabelled pairs for a teacher: passages of abstracts and statements on them."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from medassay.models.nli.encoder.training.pairs import read_rows
from medassay.models.nli.encoder.training.turns import TURNS, reword, shorten, turn_verb
from medassay.models.nli.labels import EntailmentModel
from medassay.models.records import PairVerdict
from medassay.models.text.claims.parts import claim_parts
from medassay.models.text.sentences.splitting import sentences
from medassay.models.usage import UsageError

_TITLE = re.compile(r"\s*TITLE:\s*(.+?)\n(.*)", re.S)
_HEADING = re.compile(r"\n*ABSTRACT[A-Z.& ]*:\s*")
_WORD = re.compile(r"[a-z][a-z0-9-]{4,}")
FEWEST_SENTENCES = 5
LONGEST_PASSAGE = 900
FOREIGN = ("near", "same", "joined")
"""Kinds of statements that no passage states as a whole: a teacher who says otherwise is not believed."""
COMMON = 400
"""A word that stands in more sentences tells nothing about which of them are alike."""
AT_ONCE = 24
"""Passages that the teacher reads before their verdicts are written down."""

Abstract = tuple[str, list[str]]
"""A document's id, and its title followed by its sentences."""


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A passage, a statement, how the statement was made, and the passage's document."""

    premise: str
    hypothesis: str
    kind: str
    doc: str


def read_abstracts(folder: Path) -> Iterator[Abstract]:
    """Yield the abstracts of a file, or of every file in a folder; see `abstracts_of`."""
    for path in sorted(folder.glob("*.jsonl*")) if folder.is_dir() else [folder]:
        yield from abstracts_of(path)


def abstracts_of(path: Path) -> Iterator[Abstract]:
    """Yield (id, title and sentences) of every abstract or answer in a file; articles give their abstract only.

    A row without an id is named by its file and place.

    Raises:
        UsageError: at a row whose fields are no texts.
    """
    for number, row in enumerate(read_rows(path), 1):
        doc = str(row.get("id") or f"{path.name}/{number}")
        title, texts, text = row.get("title") or "", row.get("sentences"), row.get("text")
        answer = row.get("answer") or row.get("reference_answer")
        if texts is None and isinstance(answer, str):
            yield doc, [str(row.get("question") or ""), *(answer[s.start : s.end] for s in sentences(answer))]
            continue
        listed = [title, *texts] if isinstance(texts, list) else [title, text or ""]
        if not all(isinstance(part, str) for part in listed) or not isinstance(texts, list | None):
            raise UsageError(
                f"{path}, row {number}: title, sentences or text are no texts; "
                "write {id, title, sentences: [text, …]}, {id, text} or {question, answer}"
            )
        if texts is not None:
            yield doc, listed
        elif text is not None:
            yield doc, _of_article(text)


def _of_article(text: str) -> list[str]:
    """Return an article's title and the sentences of its abstract."""
    text = text.split("\n\nBODY")[0]
    titled = _TITLE.match(text)
    title, abstract = titled.groups() if titled else ("", text)
    abstract = _HEADING.sub("\n", abstract)[:4000]
    return [title, *(abstract[s.start : s.end] for s in sentences(abstract))]


def unlabelled_pairs(abstracts: Sequence[Abstract], n_passages: int, seed: int) -> Iterator[Unlabelled]:
    """Yield four to six statements beside each of so many passages of three sentences.

    A sentence of the passage in fewer and other words, one fact of it, two that were turned around by a word, the most
    alike sentence of another abstract, both joined by "and", and another sentence of the same abstract. What
    the passage says of each is for a teacher to tell: the way it was made is no label.
    """
    chance = random.Random(seed)
    usable = [(doc, texts) for doc, texts in abstracts if len(texts) > FEWEST_SENTENCES]
    some = chance.sample(usable, min(n_passages, len(usable)))
    nearest = _Nearest([text for _, texts in some for text in texts if _is_statement(text)])
    for doc, (title, *texts) in some:
        at = chance.randrange(len(texts) - 2)
        if chance.random() < 0.6:  # where the findings are
            at = max(0, len(texts) - 3 - chance.randrange(2))
        window = texts[at : at + 3]
        sayings = [text for text in window if _is_statement(text)]
        if not sayings or sum(map(len, window)) > LONGEST_PASSAGE:
            continue
        rest = [text for text in (title, *texts) if text not in window and _is_statement(text)]
        for kind, statement in _statements(sayings, rest, nearest, window, chance):
            yield Unlabelled(" ".join(window), statement, kind, doc)


def _is_statement(text: str) -> bool:
    return 6 <= len(text.split()) <= 45


def _statements(
    sayings: Sequence[str],
    rest: Sequence[str],
    nearest: "_Nearest",
    window: Sequence[str],
    chance: random.Random,
) -> Iterator[tuple[str, str]]:
    said = chance.choice(sayings)
    short = shorten(said, chance) or said
    yield "short", reword(short, chance) or short
    if parts := claim_parts(said):
        yield "part", chance.choice(parts)
    for text in (short, chance.choice(sayings)):
        plain = shorten(text, chance) or text
        if turned := [other for turn in (*TURNS, turn_verb) if (other := turn(plain, chance))]:
            yield "turned", chance.choice(turned)
    if others := [text for text in nearest.to(said) if text not in window]:
        other = chance.choice(others[:4])
        other = shorten(other, chance) or other
        yield "near", other
        if chance.random() < 0.5:
            yield "joined", f"{short.rstrip('.')}, and {other[0].lower()}{other[1:]}"
    if rest and chance.random() < 0.4:
        same = chance.choice(rest)
        yield "same", shorten(same, chance) or same


class _Nearest:
    """Sentences by the rarer words that they share."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            for word in set(_WORD.findall(text.lower())):
                self.places.setdefault(word[:6], []).append(place)

    def to(self, text: str) -> list[str]:
        """Return the sentences that share words with a text, the most alike first, itself left out."""
        shared: Counter[int] = Counter()
        for word in {word[:6] for word in _WORD.findall(text.lower())}:
            places = self.places.get(word, ())
            if len(places) < COMMON:
                for place in places:
                    shared[place] += 1
        return [self.texts[place] for place, _ in shared.most_common(8) if self.texts[place] != text]


def label(
    pairs: Sequence[Unlabelled], teacher: EntailmentModel, out: Path, say: Callable[[str], None] = print
) -> int:
    """Write pairs with the teacher's probabilities as JSON lines; what is in `out` already is not read again.

    Returns:
        How many pairs `out` holds now; those without a verdict that is believed (see `FOREIGN`) have no `shares`.

    Raises:
        UsageError: when `out` holds something else.
    """
    done = {(row.get("premise"), row.get("hypothesis")) for row in read_rows(out)} if out.exists() else set()
    by_passage: dict[str, list[Unlabelled]] = {}
    for pair in dict.fromkeys(pairs):
        if (pair.premise, pair.hypothesis) not in done:
            by_passage.setdefault(pair.premise, []).append(pair)
    passages = list(by_passage)
    n_done = len(done)
    with out.open("a", encoding="utf-8") as lines:
        for start in range(0, len(passages), AT_ONCE):
            some = [pair for passage in passages[start : start + AT_ONCE] for pair in by_passage[passage]]
            verdicts = teacher.score([(pair.premise, pair.hypothesis) for pair in some])
            for pair, verdict in zip(some, verdicts, strict=True):
                lines.write(
                    json.dumps({**asdict(pair), "shares": _believed(pair, verdict)}, ensure_ascii=False)
                    + "\n"
                )
            n_done += len(some)
            lines.flush()
            say(
                f"{start + len(passages[start : start + AT_ONCE])} of {len(passages)} passages, {n_done} pairs"
            )
    return n_done


def _believed(pair: Unlabelled, verdict: PairVerdict) -> tuple[float, float, float] | None:
    if verdict.entailment is None or verdict.neutral is None or verdict.contradiction is None:
        return None
    shares = (verdict.entailment, verdict.neutral, verdict.contradiction)
    return None if pair.kind in FOREIGN and verdict.neutral < max(shares) else shares
