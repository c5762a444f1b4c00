"""Resampling questions: shared weights for many columns at once, and intervals from what they give."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 2_000
LEAST_FOR_BOOTSTRAP = 20
LEAST_FOR_ANY = 6
CHUNK_CELLS = 4_000_000


def weights(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each of `n` questions is drawn, (rows, n) a chunk, `resamples` rows in all.

    A resampled mean is then one matrix product for every metric and pair of systems together.
    """
    rng = np.random.default_rng(seed)
    rows = max(1, CHUNK_CELLS // max(n, 1))
    for start in range(0, resamples, rows):
        m = min(rows, resamples - start)
        drawn = rng.integers(0, n, (m, n)) + np.arange(m)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=m * n).reshape(m, n).astype(np.float64)


def bca(
    distribution: Floats, observed: Floats, acceleration: Floats, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the bias-corrected and accelerated ends of each column (Efron 1987, JASA 82:171–185).

    Args:
        distribution: (resamples, columns) resampled statistics.
        observed: (columns,) the statistics of the sample.
        acceleration: (columns,) see `mean_acceleration`.
        level: share covered.
    """
    from scipy.special import ndtr, ndtri

    below = (distribution < observed).sum(axis=0)
    equal = (distribution == observed).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = ndtri((below + 0.5 * equal) / len(distribution))
        ends = []
        for quantile in ((1 - level) / 2, (1 + level) / 2):
            shifted = bias + ndtri(quantile)
            ends.append(ndtr(bias + shifted / (1 - acceleration * shifted)))
    low, high = (quantiles(distribution, np.nan_to_num(end, nan=0.5)) for end in ends)
    return low, high


def mean_acceleration(columns: Floats) -> Floats:
    """Return the acceleration of a mean: a sixth of the skewness of its jackknife values, here in closed form.

    Args:
        columns: (questions, columns), NaN where nothing was scored.
    """
    deviation = columns - np.nanmean(columns, axis=0)
    squares = np.asarray(np.nansum(deviation**2, axis=0), dtype=np.float64)
    cubes = np.asarray(np.nansum(deviation**3, axis=0), dtype=np.float64)
    found: Floats = np.divide(cubes, 6 * squares**1.5, out=np.zeros_like(cubes), where=squares > 0)
    return found


def mean_intervals(columns: Floats, seed: int = 0) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each column's mean: BCa from 20 values on, t from 6, NaN below.

    The rules of `intervals.mean_interval`, for many columns: questions are drawn once for all of them, so that a
    column's resampled mean is over those of its values that were drawn.
    """
    from scipy import stats

    scored = np.isfinite(columns)
    counts = scored.sum(axis=0)
    low, high = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    few = (counts >= LEAST_FOR_ANY) & (counts < LEAST_FOR_BOOTSTRAP)
    if few.any():
        n = counts[few]
        half = stats.t.ppf(0.975, n - 1) * np.nanstd(columns[:, few], axis=0, ddof=1) / np.sqrt(n)
        means = np.nanmean(columns[:, few], axis=0)
        low[few], high[few] = means - half, means + half
    many = counts >= LEAST_FOR_BOOTSTRAP
    if many.any():
        low[many], high[many] = _bca(columns[:, many], scored[:, many], seed)
    same = (counts >= LEAST_FOR_ANY) & _constant(columns, scored)
    if same.any():
        low[same] = high[same] = np.nanmean(columns[:, same], axis=0)
    return low, high


def _bca(columns: Floats, scored: NDArray[np.bool_], seed: int) -> tuple[Floats, Floats]:
    filled, present = np.nan_to_num(columns), scored.astype(np.float64)
    parts = []
    for drawn in weights(len(columns), RESAMPLES, seed):
        n = drawn @ present
        parts.append(np.divide(drawn @ filled, n, out=np.zeros_like(n), where=n > 0))
    return bca(np.concatenate(parts), np.nanmean(columns, axis=0), mean_acceleration(columns))


def _constant(columns: Floats, scored: NDArray[np.bool_]) -> NDArray[np.bool_]:
    highest = np.where(scored, columns, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(scored, columns, np.inf).min(axis=0, initial=np.inf)
    return np.asarray(highest - lowest <= 1e-12)


def quantiles(distribution: Floats, shares: Floats) -> Floats:
    """Return each column's own quantile, interpolated linearly as numpy and scipy do."""
    ordered = np.sort(distribution, axis=0)
    place = shares * (len(ordered) - 1)
    floor = np.floor(place).astype(int)
    ceiling = np.minimum(floor + 1, len(ordered) - 1)
    columns: Any = np.arange(ordered.shape[1])
    lower, upper = ordered[floor, columns], ordered[ceiling, columns]
    return np.asarray(lower + (place - floor) * (upper - lower), dtype=np.float64)


def percentile_interval(values: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """Return the percentile interval of resampled values, None where fewer than half of them exist."""
    sound = values[np.isfinite(values)]
    if 2 * len(sound) < len(values) or not len(sound):
        return None
    low, high = np.quantile(sound, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
