"""Pairwise and triple accuracy of rankings against people, with ties."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from medassay.models.statistics.bootstrap import Bounds, Estimate, bounds, seed_of
from medassay.models.statistics.ratio import wilson
from medassay.models.statistics.resampling import Floats

MOST_CUT_OFFS = 60
MOST_TRIPLES = 20_000
_UNREADABLE = 10**6
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class OrderAccuracy:
    """The share of pairs (or triples) in the humans' order; `baseline` is always giving the humans' commonest order."""

    accuracy: Estimate
    baseline: float | None


def accuracy_2tuple(
    automatic: Floats,
    human: Floats,
    cut_off: float | Floats = 0.0,
    questions: Sequence[Hashable] | None = None,
) -> OrderAccuracy:
    """Return the share of pairs whose signs match (AutoMedEval's accuracy over 2-tuples).

    A tie must match a tie. A missing automatic score makes its pairs wrong; a missing human one leaves them out.

    Args:
        automatic: (questions, systems), NaN where unreadable.
        human: of the same shape.
        cut_off: automatic scores up to this far apart are a tie; one number, or one a question.
        questions: the question of each row, where some have several; intervals resample whole questions.
    """
    return _accuracy(automatic, human, cut_off, 2, questions)


def accuracy_triple(
    automatic: Floats,
    human: Floats,
    cut_off: float | Floats = 0.0,
    questions: Sequence[Hashable] | None = None,
) -> OrderAccuracy:
    """Return the share of triples whose whole order matches, ties included: all three of their signs.

    Of more than 20,000 triples of systems a fixed random 20,000 stand for all.
    """
    return _accuracy(automatic, human, cut_off, 3, questions)


def _accuracy(
    automatic: Floats,
    human: Floats,
    cut_off: float | Floats,
    size: int,
    questions: Sequence[Hashable] | None,
) -> OrderAccuracy:
    right, asked, most = order_counts(automatic, human, cut_off, size)
    if questions is not None:
        right, asked = by_question(questions, right), by_question(questions, asked)
    n = int(asked.sum())
    if n == 0:
        what = "pair" if size == 2 else "triple"
        return OrderAccuracy(Estimate(None, None, None, 0, f"no {what} of answers has human scores"), None)

    def statistic(drawn: Floats) -> Floats:
        total = drawn @ asked
        found: Floats = np.divide(drawn @ right, total, out=np.full(len(drawn), np.nan), where=total > 0)
        return found

    order = np.lexsort((right, asked))
    order = order[asked[order] > 0]
    right, asked = right[order], asked[order]
    interval = bounds(statistic, len(asked), seed_of(right, asked))
    value = float(right.sum() / n)
    if interval.low is not None and value in (0.0, 1.0):
        # Resampling what never varies gives the point; so many questions leave room for some others all the same.
        whole = wilson(round(value * len(asked)), len(asked))
        interval = Bounds(whole.low, whole.high, "every question alike: Wilson's interval over questions")
    return OrderAccuracy(Estimate(value, interval.low, interval.high, n, interval.reason), most / n)


def by_question(questions: Sequence[Hashable], counts: Floats) -> Floats:
    """Return the sums of rows' counts, one a question, in the order in which questions come first."""
    places = {question: number for number, question in enumerate(dict.fromkeys(questions))}
    summed = np.bincount([places[question] for question in questions], counts, len(places))
    return np.asarray(summed, dtype=np.float64)


def order_counts(
    automatic: Floats, human: Floats, cut_off: float | Floats, size: int
) -> tuple[Floats, Floats, int]:
    """Count by question what is right and what is asked, and how often the commonest order would be right.

    The commonest order is that of the humans for the same systems over all questions, seen afterwards: a generous
    baseline, which knows how good the systems are and nothing of the answers.
    """
    cuts = np.broadcast_to(np.asarray(cut_off, dtype=np.float64), (len(human),))
    right, asked = np.zeros(len(human)), np.zeros(len(human))
    most = 0
    for group in _groups(human.shape[1], size):
        ours, theirs = orders(automatic, group, cuts), orders(human, group, np.zeros(len(human)))
        readable = theirs < _UNREADABLE
        right += (readable & (ours == theirs)).sum(axis=1)
        asked += readable.sum(axis=1)
        furthest = 3 ** (size * (size - 1) // 2) // 2
        votes = np.stack(
            [((theirs == order) & readable).sum(axis=0) for order in range(-furthest, furthest + 1)]
        )
        most += int(votes.max(axis=0, initial=0).sum())
    return right, asked, most


def orders(scores: Floats, group: NDArray[np.int64], cuts: Floats) -> NDArray[np.int64]:
    """Return each group's signs as one number in base 3, or a number over all of them where a score is missing."""
    total = np.zeros((len(scores), len(group)), dtype=np.int64)
    missing = np.zeros(total.shape, dtype=np.bool_)
    for place, (a, b) in enumerate(combinations(range(group.shape[1]), 2)):
        difference = scores[:, group[:, a]] - scores[:, group[:, b]]
        apart = np.abs(difference) > cuts[:, None] + _ROUNDING
        total += np.where(apart, np.sign(np.nan_to_num(difference)), 0).astype(np.int64) * 3**place
        missing |= ~np.isfinite(difference)
    return np.where(missing, _UNREADABLE, total)


def _groups(systems: int, size: int) -> Iterator[NDArray[np.int64]]:
    """Yield the pairs or triples of systems, some at a time."""
    every = np.array(list(combinations(range(systems), size)), dtype=np.int64).reshape(-1, size)
    if len(every) > MOST_TRIPLES:
        every = every[np.random.default_rng(0).choice(len(every), MOST_TRIPLES, replace=False)]
    for start in range(0, len(every), 2_000):
        yield every[start : start + 2_000]


def tie_cut_off(automatic: Floats, human: Floats) -> float:
    """Return the cut-off under which two-answer orders match best; of equally good ones the least.

    For continuous scores, which hardly ever tie by themselves; give it `tune` rows alone.
    """
    candidates, right, asked = by_cut_off(automatic, human)
    return float(candidates[int(np.argmax(right.sum(axis=0)))]) if asked.sum() else 0.0


def cut_offs_left_out(automatic: Floats, human: Floats) -> Floats:
    """Return a cut-off for each question, chosen on all the others: for data that has no part of its own for tuning."""
    candidates, right, _ = by_cut_off(automatic, human)
    return np.asarray(candidates[np.argmax(right.sum(axis=0) - right, axis=1)], dtype=np.float64)


def by_cut_off(automatic: Floats, human: Floats) -> tuple[Floats, Floats, Floats]:
    """Return up to 60 candidate cut-offs, and by question how many pairs each gets right, of how many."""
    a, b = np.triu_indices(human.shape[1], 1)
    apart = np.abs(automatic[:, a] - automatic[:, b])
    apart = apart[np.isfinite(apart) & np.isfinite(human[:, a] - human[:, b])]
    spread = np.quantile(apart, np.linspace(0, 1, MOST_CUT_OFFS)) if len(apart) else np.zeros(0)
    candidates = np.unique(np.concatenate([[0.0], spread]))
    counted = [order_counts(automatic, human, float(cut), 2) for cut in candidates]
    return candidates, np.column_stack([right for right, _, _ in counted]), counted[0][1]
