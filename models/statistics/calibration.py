"""Calibration maps from automatic to human scores (linear, isotonic), evaluated out of sample."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import too_few
from medassay.models.statistics.bootstrap import Arranged, Estimate, Statistic, arrange, bounds, known
from medassay.models.statistics.resampling import Floats

Kind = Literal["linear", "isotonic"]
FOLDS = 5
LEAST_QUESTIONS = 10


class Map(Protocol):
    """Turns automatic scores into what humans would give."""

    def apply(self, scores: Floats) -> Floats:
        """Return one value a score."""
        ...


@dataclass(frozen=True, slots=True)
class LinearMap:
    """A straight line by least squares."""

    intercept: float
    slope: float

    def apply(self, scores: Floats) -> Floats:
        """Return points on the line."""
        return self.intercept + self.slope * scores


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """A line that never falls: knots with straight pieces between them, level beyond the ends."""

    knots: tuple[float, ...]
    levels: tuple[float, ...]

    def apply(self, scores: Floats) -> Floats:
        """Return interpolated points."""
        return np.asarray(np.interp(scores, self.knots, self.levels), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well a map predicts human scores on questions it was not fitted on.

    `error` is the root mean squared error, `baseline` that of always giving the mean human score, `skill` the share of
    the baseline's squared error that the map removes: below 0 it is worse than not looking at the answer.
    """

    kind: Kind
    map: Map | None
    error: Estimate
    skill: Estimate
    baseline: float | None


def fit(kind: Kind, automatic: Floats, human: Floats) -> Map:
    """Fit a map: least squares, or pool-adjacent-violators (Barlow et al. 1972, Statistical Inference under Order
    Restrictions, ch. 1) over the mean human score of each automatic one.
    """
    if kind == "isotonic":
        from scipy.optimize import isotonic_regression

        knots, places, counts = np.unique(automatic, return_inverse=True, return_counts=True)
        means = np.bincount(places, human) / counts
        levels = isotonic_regression(means, weights=counts.astype(np.float64)).x
        return IsotonicMap(tuple(knots.tolist()), tuple(levels.tolist()))
    x, y = automatic - automatic.mean(), human - human.mean()
    spread = float((x**2).sum())
    slope = float((x * y).sum()) / spread if spread > 0 else 0.0
    return LinearMap(float(human.mean()) - slope * float(automatic.mean()), slope)


def calibrate(
    kind: Kind, questions: Sequence[Hashable], automatic: ArrayLike, human: ArrayLike
) -> Calibration:
    """Fit a map on all answers and measure it by cross-validation over whole questions, in five folds.

    Args:
        kind: linear or isotonic.
        questions: the question of each answer.
        automatic: its score, NaN where there is none.
        human: the same of the humans.
    """
    rows = arrange(questions, automatic, human)
    x, y = rows.columns
    if rows.n_questions < LEAST_QUESTIONS:
        none = Estimate(
            None, None, None, len(x), too_few(rows.n_questions, "question", "to fit and to test on")
        )
        return Calibration(kind, None, none, none, None)
    predicted, mean = out_of_fold(kind, rows)
    by_question = [(y - predicted) ** 2, (y - mean) ** 2, np.ones_like(y)]
    sums = np.column_stack([np.bincount(rows.codes, part) for part in by_question])

    def error(drawn: Floats) -> Floats:
        left, _, n = (drawn @ sums).T
        return np.asarray(np.sqrt(left / n), dtype=np.float64)

    def skill(drawn: Floats) -> Floats:
        left, before, _ = (drawn @ sums).T
        share: Floats = np.divide(left, before, out=np.full(len(left), np.nan), where=before > 0)
        return 1 - share

    return Calibration(
        kind,
        fit(kind, x, y),
        _estimate(error, rows),
        _estimate(skill, rows),
        float(np.sqrt(sums[:, 1].sum() / len(y))),
    )


def _estimate(statistic: Statistic, rows: Arranged) -> Estimate:
    value = known(statistic(np.ones((1, rows.n_questions)))[0])
    if value is None:
        return Estimate(None, None, None, len(rows.codes), "every human score is the same")
    found = bounds(statistic, rows.n_questions, rows.seed)
    return Estimate(value, found.low, found.high, len(rows.codes), found.reason)


def folds_of(rows: Arranged) -> NDArray[np.int64]:
    """Return the fold of each row; a question is in one fold only."""
    of_question = np.arange(rows.n_questions) % FOLDS
    return np.random.default_rng(rows.seed).permutation(of_question)[rows.codes]


def out_of_fold(kind: Kind, rows: Arranged) -> tuple[Floats, Floats]:
    """Return what maps fitted on the other folds predict, and the mean human score of those folds."""
    x, y = rows.columns
    folds = folds_of(rows)
    predicted, mean = np.zeros_like(y), np.zeros_like(y)
    for fold in range(FOLDS):
        test = folds == fold
        predicted[test] = fit(kind, x[~test], y[~test]).apply(x[test])
        mean[test] = y[~test].mean()
    return predicted, mean
