"""Pairs to verdicts by doing little: each text is tokenised once, each pair judged once, the evidence read first.

What a network says of an input does not depend on what else is in the call, beyond rounding: padding is masked,
and inputs of like length share a batch under a token budget. In bfloat16 rounding moves a probability by up to .002.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from models.entailment.differences import turns_around
from models.entailment.evidence import Piece, about_as_near
from models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from models.entailment.planning import Claims, Planner, Row, Work, planning
from models.entailment.protocol import Pair, Progress
from models.entailment.reading import Encoded, Reader
from models.entailment.settings import Reading
from models.entailment.substances import names_other_drugs_only
from models.entailment.threads import Pace, threads_of_one
from models.entailment.verbatim import stands_in
from models.records import PairVerdict, Span
from models.text.folding import Folded, folded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_NUMBER = "the model gave no number for this pair"


@dataclass(frozen=True, slots=True)
class Scorer:
    """A reader, a network behind `forward` (inputs → (n, 3) probabilities), and the rules over windows.

    `pace` says how many threads and processes do it side by side, and in what portions.
    """

    reader: Reader
    forward: "Callable[[Sequence[Encoded]], NDArray[np.float32]]"
    reading: Reading
    rarity: Sequence[float]
    fingerprint: dict[str, Any]
    with_cues: bool = False
    pace: Pace = field(default_factory=Pace)

    @property
    def planner(self) -> Planner:
        """What makes pairs ready."""
        return Planner(self.reader, self.reading, self.rarity, self.with_cues)

    @property
    def pairs_at_once(self) -> int:
        """Two turns for each worker."""
        return 2 * self.pace.workers * self.pace.pairs_a_turn

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
        turns = list(even_turns(distinct, self.pace.workers, self.pace.pairs_a_turn))
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
        self, turns: Sequence[Sequence[Pair]], claims: Claims
    ) -> Iterator[dict[Pair, PairVerdict]]:
        """Judge turns in order, as many at once as there are workers: one prepares while another multiplies."""
        pace = self.pace
        if pace.workers < 2 or len(turns) < 2:
            yield from (self._judge(self.planner.plan(turn, claims)) for turn in turns)
            return
        few = sum(map(len, turns)) < pace.pairs_a_turn  # not worth the start of a process
        with (
            planning(self.planner, 0 if few else pace.processes) as plan,
            threads_of_one(pace.workers) as pool,
        ):
            yield from pool.map(lambda turn: self._judge(plan(turn, claims)), turns)

    def _judge(self, works: Sequence[Work]) -> dict[Pair, PairVerdict]:
        self._read(works)
        return {work.pair: self._conclude(work) for work in works}

    def _read(self, works: Sequence[Work]) -> None:
        """Score first windows, then further ones of those pairs that nothing has decided yet."""
        for window in range(self.reading.windows):
            waiting = [
                w for w in works if window < len(w.windows) and (window == 0 or _undecided(w.rows[-1]))
            ]
            rows = self._rows([self.planner.input(work, window) for work in waiting])
            for work, row in zip(waiting, rows, strict=True):
                work.rows.append(row)

    def _rows(self, inputs: Sequence[Encoded]) -> list[Row]:
        """Read inputs, those of like length together."""
        rows: list[Row] = [(0.0, 0.0, 0.0)] * len(inputs)
        for batch in batches(inputs, self.pace.tokens_a_batch):
            with self.pace.gate:
                read = self.forward([inputs[i] for i in batch]).tolist()
            for i, row in zip(batch, read, strict=True):
                rows[i] = (row[0], row[1], row[2])
        return rows

    def _conclude(self, work: Work) -> PairVerdict:
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

    def _caution(self, work: Work) -> float:
        """What a decision has to be surer of: the more places were looked at, and where the talk is of other drugs."""
        reading = self.reading
        others = reading.other_drugs and names_other_drugs_only(*work.pair)
        return reading.caution * math.log(len(work.rows)) + (reading.other_drugs if others else 0.0)

    def _telling(self, work: Work) -> int:
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

    def _copied(self, work: Work) -> Piece | None:
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


def even_turns(pairs: Sequence[Pair], workers: int, most: int) -> Iterator[Sequence[Pair]]:
    """Cut pairs into turns of like size, at most `most`, as many for each worker: none waits for the others' last."""
    rounds = math.ceil(len(pairs) / (most * workers))
    size = math.ceil(len(pairs) / (rounds * workers)) if pairs else 1
    yield from (pairs[at : at + size] for at in range(0, len(pairs), size))


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
