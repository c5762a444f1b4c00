"""The interval of any statistic that can be computed from weights on questions."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from medassay.models.counting import too_few
from medassay.models.statistics.estimate import known
from medassay.models.statistics.resampling import (
    LEAST_FOR_ANY,
    LEAST_FOR_BOOTSTRAP,
    RESAMPLES,
    Floats,
    bca,
    percentile_interval,
    weights,
)

MOST_DELETIONS = 200

# (resamples, questions) weights → (resamples,) values, NaN where the statistic is not defined.
Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ends of a 95 % interval, or None and the reason; a reason beside ends is a warning."""

    low: float | None
    high: float | None
    reason: str | None = None


def bounds(statistic: Statistic, n: int, seed: int, unit: str = "question") -> Bounds:
    """Resample `n` questions whole: BCa from 20 on (Efron 1987), percentiles with a warning from 6, none below.

    Whole questions, because the answers to one are not independent of each other (Davison & Hinkley 1997, Bootstrap
    Methods and their Application, §3.8). The acceleration comes from leaving out questions, in at most 200 groups.
    """
    if n < LEAST_FOR_ANY:
        return Bounds(None, None, too_few(n, unit, "for an interval"))
    observed = float(statistic(np.ones((1, n)))[0])
    drawn = np.concatenate([statistic(block) for block in weights(n, RESAMPLES, seed)])
    sound = drawn[np.isfinite(drawn)]
    if not np.isfinite(observed) or 2 * len(sound) < len(drawn):
        return Bounds(None, None, "most resamples have no value")
    if np.ptp(sound) <= 1e-12:
        return Bounds(known(sound[0]), known(sound[0]), "every resample gives the same value")
    if n < LEAST_FOR_BOOTSTRAP:
        found = percentile_interval(drawn)
        low, high = found if found else (np.nan, np.nan)
        return Bounds(known(low), known(high), f"only {n} {unit}s: the interval is rough")
    ends = bca(sound[:, None], np.array([observed]), np.array([acceleration(statistic, n)]))
    return Bounds(known(ends[0][0]), known(ends[1][0]))


def acceleration(statistic: Statistic, n: int) -> float:
    """Return a sixth of the skewness of the jackknife values (Efron 1987, eq. 6.6), 0 where they are all equal."""
    groups = np.arange(n) % min(n, MOST_DELETIONS)
    left = statistic((groups[None, :] != np.arange(groups.max() + 1)[:, None]).astype(np.float64))
    left = left[np.isfinite(left)]
    if len(left) < 2:
        return 0.0
    deviation = left.mean() - left
    squares = float((deviation**2).sum())
    return float((deviation**3).sum() / (6 * squares**1.5)) if squares > 0 else 0.0
