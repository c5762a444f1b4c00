"""Several runs over the same answers: their average, and how far they lie apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.statistics.resampling import Floats


@dataclass(frozen=True, slots=True)
class Repeats:
    """Averages and standard deviations by answer, NaN-free by way of `scored`; `typical` sums them up.

    `typical` is the pooled standard deviation of a single run about the answer's mean, `of_means` that of the runs'
    overall means; each is None where `reason` says why.
    """

    averages: Floats
    scored: Floats
    typical: float | None
    of_means: float | None
    reason: str | None = None


def average_runs(scores: ArrayLike) -> Repeats:
    """Average the runs of each answer and measure their spread (one-way random effects: Searle 1971, §9).

    Args:
        scores: (runs, answers), NaN where a run gave no score.
    """
    table = np.asarray(scores, dtype=np.float64)
    present = np.isfinite(table)
    scored = present.sum(axis=0).astype(np.float64)
    filled = np.where(present, table, 0.0)
    averages = np.divide(filled.sum(axis=0), scored, out=np.zeros(table.shape[1]), where=scored > 0)
    freedom = float((scored[scored > 0] - 1).sum())
    if freedom < 1:
        return Repeats(averages, scored, None, None, "no answer was scored by two runs")
    apart = np.where(present, table - averages, 0.0)
    # Equal runs lie 0 apart, and not by what their average was rounded.
    apart[np.isclose(apart, 0.0, atol=1e-12)] = 0.0
    typical = float(np.sqrt((apart**2).sum() / freedom))
    whole = table[:, present.all(axis=0)]
    if whole.shape[1] == 0:
        return Repeats(averages, scored, typical, None, "no answer was scored by every run")
    of_means = float(whole.mean(axis=1).std(ddof=1))
    return Repeats(averages, scored, typical, 0.0 if np.isclose(of_means, 0.0, atol=1e-12) else of_means)
