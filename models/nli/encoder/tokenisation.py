"""Tokenisation and planning: passages to pieces, pairs to network inputs, the same in training and scoring."""

import hashlib
import json
import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from medassay.models.nli.evidence import Piece, Window, choose_windows
from medassay.models.nli.labels import Pair
from medassay.models.nli.settings import WindowSettings
from medassay.models.records import Span
from medassay.models.text.sentences.splitting import passage_sentences

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|%")

Row = tuple[float, float, float]


def telling_words(text: str) -> frozenset[str]:
    """Words of a text, case folded; numbers are left out, the percent sign is a word."""
    return frozenset(_WORD.findall(text.casefold()))


@dataclass(frozen=True, slots=True)
class Findings:
    """A logistic regression over the words of a sentence: the log odds of each, and of none."""

    words: Mapping[str, float]
    bias: float

    def probability(self, text: str) -> float:
        """How probable it is that a sentence reports a result or a conclusion, 0 to 1."""
        odds = self.bias + sum(self.words.get(word, 0.0) for word in telling_words(text))
        return 1 / (1 + math.exp(-odds))


@lru_cache(maxsize=1)
def known_findings() -> Findings:
    """What was learnt from the headings of structured abstracts (`training/headings.py`), as it was shipped."""
    read = json.loads(_shipped())
    return Findings(read["words"], read["bias"])


@lru_cache(maxsize=1)
def findings_digest() -> str:
    """The sha256 of what was shipped: it decides which sentences are read, so verdicts stand on it."""
    return hashlib.sha256(_shipped().encode()).hexdigest()


def write_findings(findings: Findings, path: Path) -> None:
    """Write what was learnt, a word a line, in the form that is shipped."""
    told = {"bias": findings.bias, "words": dict(sorted(findings.words.items()))}
    path.write_text(json.dumps(told, indent=0) + "\n", "utf-8")


def _shipped() -> str:
    return (files("medassay.models.nli.encoder") / "weights" / "findings.json").read_text("utf-8")


@lru_cache(maxsize=65_536)
def reports_finding(text: str) -> float:
    """How probable it is that a sentence reports a result or a conclusion, 0 to 1."""
    return known_findings().probability(text)


@dataclass(frozen=True, slots=True)
class Encoded:
    """One network input: ids, segment ids, and which stretch is premise and which hypothesis (half open)."""

    ids: tuple[int, ...]
    premise: tuple[int, int]
    hypothesis: tuple[int, int]
    types: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a tokenizer puts around and between two texts, as (id, segment) lists, and the texts' segments."""

    before: tuple[tuple[int, int], ...]
    between: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    segments: tuple[int, int]


class Reader:
    """A tokenizer that cuts nothing, and the special tokens it joins a pair with."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self.tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._frame = _probe(tokenizer)

    @classmethod
    def from_folder(cls, folder: Path) -> "Reader":
        """Read `tokenizer.json`."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_file(str(folder / "tokenizer.json")))

    @property
    def n_special(self) -> int:
        """Special tokens that a pair costs."""
        return len(self._frame.before) + len(self._frame.between) + len(self._frame.after)

    def ids(self, text: str) -> tuple[int, ...]:
        """Token ids of a text, without special tokens."""
        return tuple(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def pieces(self, text: str, longest: int) -> list[Piece]:
        """Split a passage, tokenised once, into sentences; one over `longest` tokens into overlapping parts."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        # Taken over once: the encoding makes a list of the whole passage each time that it is asked.
        ids, offsets = encoding.ids, encoding.offsets
        if not ids:
            return []
        # By their ends: a token may hold the space before its word, as those of SentencePiece do.
        ends = [end for _, end in offsets]
        spans = passage_sentences(text) or [Span(0, len(text))]
        bounds = [bisect_right(ends, span.start) for span in spans] + [len(ends)]
        bounds[0] = 0
        found: list[Piece] = []
        for span, first, last in zip(spans, bounds, bounds[1:], strict=False):
            finding = reports_finding(text[span.start : span.end])
            found += _cut(text, ids, offsets, first, last, finding, longest)
        return found

    def pair(self, premise: Sequence[int], hypothesis: Sequence[int]) -> Encoded:
        """Join a premise and a hypothesis with the tokenizer's special tokens."""
        frame = self._frame
        ids = (*(i for i, _ in frame.before), *premise, *(i for i, _ in frame.between), *hypothesis)
        types = (
            *(s for _, s in frame.before),
            *(frame.segments[0] for _ in premise),
            *(s for _, s in frame.between),
            *(frame.segments[1] for _ in hypothesis),
            *(s for _, s in frame.after),
        )
        start = len(frame.before)
        middle = start + len(premise) + len(frame.between)
        whole = (*ids, *(i for i, _ in frame.after))
        return Encoded(whole, (start, start + len(premise)), (middle, middle + len(hypothesis)), types)


def _cut(
    text: str,
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    first: int,
    last: int,
    finding: float,
    longest: int,
) -> list[Piece]:
    parts: list[Piece] = []
    step = max(1, longest - longest // 4)
    for at in range(first, last, step):
        upto = min(last, at + longest)
        start, end = offsets[at][0], offsets[upto - 1][1]
        said = text[start:end]
        words = (
            Span(end - len(said.lstrip()), start + len(said.rstrip())) if said.strip() else Span(start, end)
        )
        parts.append(Piece(words, tuple(ids[at:upto]), finding))
        if upto == last:
            break
    return parts


def _probe(tokenizer: "Tokenizer") -> _Frame:
    """Learn the frame from one pair of plain words, whatever post-processor the tokenizer has."""
    one = tokenizer.encode("blood", add_special_tokens=False).ids
    two = tokenizer.encode("heart", add_special_tokens=False).ids
    if one == two:
        raise ValueError("the tokenizer knows no words: its vocabulary is not there")
    whole = tokenizer.encode("blood", "heart")
    marked = list(zip(whole.ids, whole.type_ids, strict=True))
    at_one = _find(whole.ids, one, 0)
    at_two = _find(whole.ids, two, at_one + len(one))
    return _Frame(
        tuple(marked[:at_one]),
        tuple(marked[at_one + len(one) : at_two]),
        tuple(marked[at_two + len(two) :]),
        (whole.type_ids[at_one], whole.type_ids[at_two]),
    )


def _find(ids: list[int], part: list[int], start: int) -> int:
    for at in range(start, len(ids) - len(part) + 1):
        if ids[at : at + len(part)] == part:
            return at
    raise ValueError(
        "the tokenizer does not keep the words of a pair in order; it cannot be used for entailment"
    )


@dataclass(slots=True)
class Work:
    """One distinct pair on its way to a verdict: what may be read of it, what was read, and if nothing, why not."""

    pair: Pair
    pieces: Sequence[Piece]
    claim: tuple[int, ...]
    windows: list[Window]
    first: Encoded | None = None
    rows: list[Row] = field(default_factory=list)
    reason: str | None = None

    @property
    def deciding(self) -> int:
        """The window whose decision counts: the surest of either."""
        return max(range(len(self.rows)), key=lambda i: (max(self.rows[i][::2]), -i))


@dataclass(frozen=True, slots=True)
class Planner:
    """What is needed to make pairs ready: no network, so that a process of its own can hold it."""

    reader: Reader
    reading: WindowSettings
    rarity: Sequence[float]

    def plan(self, pairs: Sequence[Pair]) -> list[Work]:
        """Choose the windows of distinct pairs and build the first one's input."""
        claims = {claim: self.reader.ids(claim) for claim in {claim for _, claim in pairs}}
        pieces = {p: self.reader.pieces(p, self.reading.premise_tokens) for p in {p for p, _ in pairs}}
        return [self._planned(pair, pieces[pair[0]], claims[pair[1]]) for pair in pairs]

    def _planned(self, pair: Pair, pieces: Sequence[Piece], claim: tuple[int, ...]) -> Work:
        reading = self.reading
        work = Work(pair, pieces, claim, [])
        if not claim:
            work.reason = "the claim is empty"
        elif len(claim) > reading.longest_claim:
            upto = reading.longest_claim
            work.reason = f"the claim has {len(claim)} tokens and the model reads {upto}; it is not cut"
        elif not pieces:
            work.reason = "the passage is empty"
        else:
            work.windows = choose_windows(
                pieces, claim, self.rarity, reading.premise_tokens, reading.windows, reading.nearness
            )
            work.first = self._read(work, 0)
        return work

    def input(self, work: Work, window: int) -> Encoded:
        """Return the network input of a pair's claim and one of its windows."""
        return work.first if window == 0 and work.first else self._read(work, window)

    def _read(self, work: Work, window: int) -> Encoded:
        return read_window(self.reader, work.pieces, work.windows[window], work.claim)


def read_window(reader: Reader, pieces: Sequence[Piece], window: Window, claim: Sequence[int]) -> Encoded:
    """Make a network input of a claim and one window over the pieces of its premise."""
    return reader.pair([token for i in window.pieces for token in pieces[i].ids], claim)
