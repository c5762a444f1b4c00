"""Pairs to verdicts: read evidence windows until a decision, then aggregate."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from medassay.models.deciding_sentence import deciding_sentence
from medassay.models.folding import Folded, folded
from medassay.models.nli.encoder.inputs import Batch, packed
from medassay.models.nli.encoder.tokenisation import Encoded, Planner, Row, Work
from medassay.models.nli.evidence import Piece, about_as_near
from medassay.models.nli.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from medassay.models.nli.word_checks import names_other_drugs_only, stands_in
from medassay.models.records import PairVerdict, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_NUMBER = "the model gave no number for this pair"
Forward = Callable[[Batch], "NDArray[np.float32]"]
"""A network: inputs → (n, 3) probabilities in the order of `LABELS`."""


@dataclass(frozen=True, slots=True)
class Judge:
    """What makes pairs ready, a network behind `forward`, and the rules over windows."""

    planner: Planner
    forward: Forward
    tokens_a_batch: int

    def judge(self, pairs: Sequence[Pair]) -> list[PairVerdict]:
        """Judge pairs, read as `folded` has them: one verdict a pair, in the order given."""
        plain = {text: folded(text) for text in {text for pair in pairs for text in pair}}
        read = [(plain[premise].text, plain[hypothesis].text) for premise, hypothesis in pairs]
        works = self.planner.plan(list(dict.fromkeys(read)))
        self._read(works)
        told = self._telling(works)
        verdicts = {work.pair: self._conclude(work, told[i]) for i, work in enumerate(works)}
        return [
            _of_original(verdicts[pair], plain[premise])
            for pair, (premise, _) in zip(read, pairs, strict=True)
        ]

    def _read(self, works: Sequence[Work]) -> None:
        """Score first windows, then further ones of those pairs that nothing has decided yet."""
        for window in range(self.planner.reading.windows):
            waiting = [
                w for w in works if window < len(w.windows) and (window == 0 or _undecided(w.rows[-1]))
            ]
            rows = self._rows([self.planner.input(work, window) for work in waiting])
            for work, row in zip(waiting, rows, strict=True):
                work.rows.append(row)

    def _rows(self, inputs: Sequence[Encoded]) -> list[Row]:
        """Read inputs, those of like length together."""
        rows: list[Row] = [(0.0, 0.0, 0.0)] * len(inputs)
        for batch in batches(inputs, self.tokens_a_batch):
            read = self.forward(packed([inputs[i] for i in batch])).tolist()
            for i, row in zip(batch, read, strict=True):
                rows[i] = (row[0], row[1], row[2])
        return rows

    def _conclude(self, work: Work, telling: int) -> PairVerdict:
        if not work.rows:
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=work.reason)
        if not all(math.isfinite(share) for row in work.rows for share in row):
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=NO_NUMBER)
        row = shift_to_neutral(work.rows[work.deciding], self._caution(work))
        sentence = work.pieces[telling]
        if copied := self._copied(work):
            row, sentence = towards_entailment(row, self.planner.reading.verbatim), copied
        read = [work.pieces[i].span for window in work.windows[: len(work.rows)] for i in window.pieces]
        return PairVerdict(
            entailment=row[ENTAILMENT],
            neutral=row[NEUTRAL],
            contradiction=row[CONTRADICTION],
            n_windows=len(work.rows),
            sentence=deciding_sentence(*work.pair, sentence.span),
            coverage=_share(read, [piece.span for piece in work.pieces]),
        )

    def _caution(self, work: Work) -> float:
        """What a decision has to be surer of: the more places were looked at, and where the talk is of other drugs."""
        reading = self.planner.reading
        others = reading.other_drugs and names_other_drugs_only(*work.pair)
        return reading.caution * math.log(len(work.rows)) + (reading.other_drugs if others else 0.0)

    def _telling(self, works: Sequence[Work]) -> list[int]:
        """Find by pair which sentence decided: where several are about as near to the claim, each is read alone.

        Words tell what a sentence is about, not what it says of it: of "causes nausea" and "does not cause nausea"
        the one that says the opposite would be shown half of the time.
        """
        found, asked, inputs = [0] * len(works), [], []
        for at, work in enumerate(works):
            if not work.rows:
                continue
            window, row = work.windows[work.deciding], work.rows[work.deciding]
            found[at] = window.best
            near = about_as_near(work.pieces, window, work.claim, self.planner.rarity)
            if near and not _undecided(row):
                decision = CONTRADICTION if row[CONTRADICTION] > row[ENTAILMENT] else ENTAILMENT
                asked += [(at, piece, decision) for piece in near]
                inputs += [self.planner.reader.pair(work.pieces[piece].ids, work.claim) for piece in near]
        surest: dict[int, float] = {}
        for (at, piece, decision), row in zip(asked, self._rows(inputs), strict=True):
            if row[decision] > surest.get(at, 0.0):
                surest[at], found[at] = row[decision], piece
        return found

    def _copied(self, work: Work) -> Piece | None:
        """Return the sentence that the claim was copied from; None where there is none."""
        if not self.planner.reading.verbatim:
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


def shift_to_neutral(row: Row, caution: float) -> Row:
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
