"""Pairs to verdicts by doing little: each text is tokenised once, each pair judged once, the evidence read first.

What a network says of an input does not depend on what else is in the call, beyond rounding: padding is masked,
and inputs of like length share a batch under a token budget. In bfloat16 rounding moves a probability by up to .002.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from models.entailment.cues import cues
from models.entailment.differences import turns_around
from models.entailment.evidence import Piece, Window, about_as_near, choose_windows, coverage
from models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from models.entailment.overview import overview_cues
from models.entailment.protocol import Pair, Progress
from models.entailment.reading import Encoded, Reader
from models.entailment.settings import Reading
from models.entailment.substances import names_other_drugs_only
from models.entailment.threads import threads_of_one
from models.entailment.verbatim import stands_in
from models.records import PairVerdict, Span
from models.text.folding import Folded, folded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_NUMBER = "the model gave no number for this pair"
_PAIRS_A_TURN = 64
Row = tuple[float, float, float]


@dataclass(slots=True)
class _Work:
    """One distinct pair on its way to a verdict."""

    pair: Pair
    pieces: Sequence[Piece]
    claim: tuple[int, ...]
    windows: list[Window]
    rows: list[Row] = field(default_factory=list)
    reason: str | None = None

    @property
    def deciding(self) -> int:
        """The window whose decision counts: the surest of either."""
        return max(range(len(self.rows)), key=lambda i: (max(self.rows[i][::2]), -i))


@dataclass(frozen=True, slots=True)
class Scorer:
    """A reader, a network behind `forward` (inputs → (n, 3) probabilities), and the rules over windows.

    `workers` threads judge side by side, each on one core.
    """

    reader: Reader
    forward: "Callable[[Sequence[Encoded]], NDArray[np.float32]]"
    reading: Reading
    rarity: Sequence[float]
    fingerprint: dict[str, Any]
    tokens_a_batch: int = 1024
    with_cues: bool = False
    workers: int = 1

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given.

        Args:
            pairs: premises and hypotheses, read as `folded` has them; equal pairs are judged once.
            on_progress: told how many more pairs are done; it adds up to `len(pairs)`.
        """
        plain = {text: folded(text) for text in {text for pair in pairs for text in pair}}
        read = [(plain[premise].text, plain[hypothesis].text) for premise, hypothesis in pairs]
        times = Counter(read)
        claims = {hypothesis: self.reader.ids(hypothesis) for hypothesis in {h for _, h in times}}
        distinct = sorted(
            times, key=lambda pair: (len(pair[0]), pair[0], len(pair[1]), pair[1]), reverse=True
        )
        turns = list(even_turns(distinct, self.workers))
        verdicts: dict[Pair, PairVerdict] = {}
        for turn, found in zip(turns, self._side_by_side(turns, claims), strict=True):
            verdicts.update(found)
            if on_progress:
                on_progress(sum(times[pair] for pair in turn))
        return [
            _of_original(verdicts[pair], plain[premise])
            for pair, (premise, _) in zip(read, pairs, strict=True)
        ]

    def _side_by_side(
        self, turns: Sequence[Sequence[Pair]], claims: Mapping[str, tuple[int, ...]]
    ) -> Iterator[dict[Pair, PairVerdict]]:
        """Judge turns in order, as many at once as there are workers: one prepares while another multiplies."""
        if self.workers < 2 or len(turns) < 2:
            yield from (self._judge(turn, claims) for turn in turns)
            return
        with threads_of_one(self.workers) as pool:
            yield from pool.map(lambda turn: self._judge(turn, claims), turns)

    def _judge(self, turn: Sequence[Pair], claims: Mapping[str, tuple[int, ...]]) -> dict[Pair, PairVerdict]:
        pieces = {p: self.reader.pieces(p, self.reading.premise_tokens) for p in {p for p, _ in turn}}
        works = {pair: self._plan(pair, pieces[pair[0]], claims[pair[1]]) for pair in turn}
        self._read(list(works.values()))
        return {pair: self._conclude(work) for pair, work in works.items()}

    def _plan(self, pair: Pair, pieces: Sequence[Piece], claim: tuple[int, ...]) -> _Work:
        reading = self.reading
        work = _Work(pair, pieces, claim, [])
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
        return work

    def _read(self, works: Sequence[_Work]) -> None:
        """Score first windows, then further ones of those pairs that nothing has decided yet."""
        for turn in range(self.reading.windows):
            waiting = [w for w in works if turn < len(w.windows) and (turn == 0 or _undecided(w.rows[-1]))]
            rows = self._rows([(w, w.windows[turn]) for w in waiting])
            for work, row in zip(waiting, rows, strict=True):
                work.rows.append(row)

    def _rows(self, windows: Sequence[tuple[_Work, Window]]) -> list[Row]:
        """Read windows, those of like length together."""
        inputs = [self._input(work, window) for work, window in windows]
        rows: list[Row] = [(0.0, 0.0, 0.0)] * len(inputs)
        for batch in batches(inputs, self.tokens_a_batch):
            for i, row in zip(batch, self.forward([inputs[i] for i in batch]).tolist(), strict=True):
                rows[i] = (row[0], row[1], row[2])
        return rows

    def _input(self, work: _Work, window: Window) -> Encoded:
        return read_window(
            self.reader, work.pair, work.pieces, window, work.claim, self.rarity, with_cues=self.with_cues
        )

    def _conclude(self, work: _Work) -> PairVerdict:
        if not work.rows:
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=work.reason)
        if not all(math.isfinite(share) for row in work.rows for share in row):
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=NO_NUMBER)
        row = towards_neutral(work.rows[work.deciding], self._caution(work))
        sentence = work.pieces[self._telling(work)]
        if copied := self._copied(work):
            row, sentence = towards_entailment(row, self.reading.verbatim), copied
        read = [work.pieces[i].span for window in work.windows[: len(work.rows)] for i in window.pieces]
        return PairVerdict(
            entailment=row[ENTAILMENT],
            neutral=row[NEUTRAL],
            contradiction=row[CONTRADICTION],
            n_windows=len(work.rows),
            sentence=sentence.span,
            coverage=_share(read, [piece.span for piece in work.pieces]),
        )

    def _caution(self, work: _Work) -> float:
        """What a decision has to be surer of: the more places were looked at, and where the talk is of other drugs."""
        reading = self.reading
        others = reading.other_drugs and names_other_drugs_only(*work.pair)
        return reading.caution * math.log(len(work.rows)) + (reading.other_drugs if others else 0.0)

    def _telling(self, work: _Work) -> int:
        """Find which sentence decided, where several are about as near to the claim: one that says what was decided.

        Words tell what a sentence is about, not what it says of it: of "causes nausea" and "does not cause nausea"
        the one that says the opposite would be shown half of the time. The contrast checks tell them apart.
        """
        window, row = work.windows[work.deciding], work.rows[work.deciding]
        near = about_as_near(work.pieces, window, work.claim, self.rarity)
        if not near or _undecided(row):
            return window.best
        premise, claim = work.pair
        against = row[CONTRADICTION] > row[ENTAILMENT]
        spans = ((i, work.pieces[i].span) for i in near)
        fitting = (i for i, s in spans if turns_around(premise[s.start : s.end], claim) is against)
        return next(fitting, window.best)

    def _copied(self, work: _Work) -> Piece | None:
        """Return the sentence that the claim was copied from; None where there is none."""
        if not self.reading.verbatim:
            return None
        premise, claim = work.pair
        return next(
            (p for p in work.pieces if stands_in(premise[p.span.start : p.span.end], claim)),
            None,
        )


def _of_original(verdict: PairVerdict, premise: Folded) -> PairVerdict:
    if verdict.sentence is None or premise.places is None:
        return verdict
    return replace(verdict, sentence=premise.original(verdict.sentence))


def even_turns(pairs: Sequence[Pair], workers: int) -> Iterator[Sequence[Pair]]:
    """Cut pairs into turns of like size, as many for each worker, so that none waits for the others' last turn."""
    rounds = math.ceil(len(pairs) / (_PAIRS_A_TURN * workers))
    size = math.ceil(len(pairs) / (rounds * workers)) if pairs else 1
    yield from (pairs[at : at + size] for at in range(0, len(pairs), size))


def read_window(
    reader: Reader,
    pair: Pair,
    pieces: Sequence[Piece],
    window: Window,
    claim: Sequence[int],
    rarity: Sequence[float],
    *,
    with_cues: bool,
) -> Encoded:
    """Make a network input of a pair's claim and one window over the pieces of its premise."""
    chosen = [pieces[i] for i in window.pieces]
    signals: list[float] = []
    if with_cues:
        texts = [pair[0][p.span.start : p.span.end] for p in chosen]
        everything = [pair[0][p.span.start : p.span.end] for p in pieces]
        signals = cues(texts, pair[1], coverage(pieces, chosen, claim, rarity))
        signals += overview_cues(everything, pair[1])
    return reader.pair([t for p in chosen for t in p.ids], claim, signals)


def towards_neutral(row: Row, caution: float) -> Row:
    """Take `caution` off the log odds of both decisions against neutral; the three still sum to 1."""
    factor = math.exp(-caution)
    entailment, contradiction = row[ENTAILMENT] * factor, row[CONTRADICTION] * factor
    total = entailment + row[NEUTRAL] + contradiction
    return entailment / total, row[NEUTRAL] / total, contradiction / total


def towards_entailment(row: Row, trust: float) -> Row:
    """Add `trust` to the log odds of entailment against both others; the three still sum to 1."""
    entailment = row[ENTAILMENT] * math.exp(trust)
    total = entailment + row[NEUTRAL] + row[CONTRADICTION]
    return entailment / total, row[NEUTRAL] / total, row[CONTRADICTION] / total


def batches(inputs: Sequence[Encoded], tokens: int) -> Iterator[list[int]]:
    """Pack positions of inputs of like length together, at most `tokens` a batch with padding counted."""
    batch: list[int] = []
    for i in sorted(range(len(inputs)), key=lambda i: len(inputs[i].ids)):
        if batch and len(inputs[i].ids) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _undecided(row: Row) -> bool:
    return row[NEUTRAL] == max(row)


def _share(read: Sequence[Span], whole: Sequence[Span]) -> float:
    """Share of characters of `whole` that lie in `read`; parts may overlap."""
    return _length(read) / (_length(whole) or 1)


def _length(spans: Sequence[Span]) -> int:
    total, upto = 0, -1
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        total += max(0, span.end - max(span.start, upto))
        upto = max(upto, span.end)
    return total
