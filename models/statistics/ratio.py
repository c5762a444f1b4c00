"""Ratios of sums (the `_micro` form of a metric) and proportions, with intervals."""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.statistics.bootstrap import Estimate, arrange, bounds
from medassay.models.statistics.resampling import Floats


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Return a proportion with Wilson's score interval (Wilson 1927, JASA 22:209–212).

    Sound for few trials and at 0 and 1, where resampling can only return the point (Brown, Cai & DasGupta 2001,
    Statist Sci 16:101–133). The trials are taken to be independent of each other.

    Raises:
        ValueError: for more successes than trials, or a negative number of them.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: a proportion needs 0 ≤ successes ≤ n")
    if n == 0:
        return Estimate(None, None, None, 0, "nothing was counted")
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Estimate(share, low, high, n)


def ratio_of_sums(questions: Sequence[Hashable], numerators: ArrayLike, denominators: ArrayLike) -> Estimate:
    """Return Σ numerator / Σ denominator, its interval over whole questions; `n` is the sum of the denominators.

    The questions are resampled and not the claims, since those of one answer stand or fall together (Efron &
    Tibshirani 1993, An Introduction to the Bootstrap, §8.3; the ratio estimator, §10.5).

    Args:
        questions: the question of each answer.
        numerators: of each answer, NaN where it was not scored.
        denominators: of the same length.
    """
    rows = arrange(questions, numerators, denominators)
    sums = np.column_stack(
        [np.bincount(rows.codes, column, minlength=rows.n_questions) for column in rows.columns]
    )
    total = sums.sum(axis=0)
    if total[1] <= 0:
        return Estimate(
            None, None, None, 0, "every denominator is 0" if len(rows.codes) else "nothing was scored"
        )

    def statistic(drawn: Floats) -> Floats:
        over, under = (drawn @ sums).T
        found: Floats = np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)
        return found

    found = bounds(statistic, rows.n_questions, rows.seed)
    return Estimate(float(total[0] / total[1]), found.low, found.high, round(total[1]), found.reason)
