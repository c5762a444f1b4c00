"""Bootstrap resampling of questions with shared weights, and its intervals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 2_000
LEAST_FOR_BOOTSTRAP = 20
LEAST_FOR_ANY = 6
CHUNK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Differences:
    """Columns that are differences of fewer ones without gaps: every pair of twenty systems is 190 columns of 20.

    Attributes:
        parts: (questions, parts), complete.
        first: for each column, the part that stands before the minus.
        second: and the one behind it.
    """

    parts: Floats
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    @property
    def columns(self) -> Floats:
        """Return the differences, (questions, columns)."""
        return np.asarray(self.parts[:, self.first] - self.parts[:, self.second], dtype=np.float64)

    @property
    def slack(self) -> Floats:
        """Return how far rounding may move a column's sum."""
        size = np.abs(self.parts).sum(axis=0)
        return np.asarray(1e-12 * (size[self.first] + size[self.second]), dtype=np.float64)

    def product(self, rows: Floats) -> Floats:
        """Return `rows @ columns` by way of the parts."""
        sums = rows @ self.parts
        return np.asarray(sums[:, self.first] - sums[:, self.second], dtype=np.float64)


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

    # Equal sums, added in another order or by parts, may differ in their last digits.
    slack = 1e-9 * np.maximum(1.0, np.abs(observed))
    below = (distribution < observed - slack).sum(axis=0)
    equal = (distribution <= observed + slack).sum(axis=0) - below
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


def mean_intervals(
    columns: Floats,
    seed: int = 0,
    product: Callable[[Floats], Floats] | None = None,
    sizes: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each column's mean: BCa from 20 values on, t from 6, NaN below.

    The rules of `intervals.mean_interval`, for many columns: questions are drawn once for all of them, so that a
    column's resampled mean is over those of its values that were drawn.

    Args:
        columns: (questions, columns), NaN where nothing was scored.
        seed: of the resampling.
        product: multiplies rows by the columns, where there is a quicker way; the columns have no gap then.
        sizes: how many questions each value is the mean of, where cases are drawn whole and the mean is over questions.
    """
    from scipy.special import stdtrit

    scored = np.isfinite(columns)
    counts = scored.sum(axis=0)
    given, columns = columns, columns if sizes is None else _weighed(columns, sizes)
    sizes = scored.astype(np.float64) if sizes is None else sizes
    low, high = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    few = (counts >= LEAST_FOR_ANY) & (counts < LEAST_FOR_BOOTSTRAP)
    if few.any():
        n = counts[few]
        half = stdtrit(n - 1, 0.975) * np.nanstd(columns[:, few], axis=0, ddof=1) / np.sqrt(n)
        means = np.nanmean(columns[:, few], axis=0)
        low[few], high[few] = means - half, means + half
    many = counts >= LEAST_FOR_BOOTSTRAP
    if many.any():
        low[many], high[many] = _bca(given[:, many], columns[:, many], sizes[:, many], seed, product)
    same = (counts >= LEAST_FOR_ANY) & constant(columns)
    if same.any():
        low[same] = high[same] = np.nanmean(columns[:, same], axis=0)
    return low, high


def _weighed(means: Floats, sizes: Floats) -> Floats:
    """Return what each case adds to the mean over questions: values whose mean it is and whose spread is its error.

    The ratio estimator's residuals (Efron & Tibshirani 1993, An Introduction to the Bootstrap, §10.5); of cases of one
    size the means themselves.
    """
    scored = np.isfinite(means)
    n_cases, n_questions = scored.sum(axis=0), sizes.sum(axis=0)
    whole = np.divide(
        np.nansum(means * sizes, axis=0), n_questions, out=np.zeros(len(n_cases)), where=n_questions > 0
    )
    share = np.divide(sizes * n_cases, n_questions, out=np.zeros_like(sizes), where=n_questions > 0)
    return np.asarray(whole + (means - whole) * share, dtype=np.float64)


def _bca(
    columns: Floats, added: Floats, sizes: Floats, seed: int, product: Callable[[Floats], Floats] | None
) -> tuple[Floats, Floats]:
    n = len(columns)
    filled, gaps = np.nan_to_num(columns) * sizes, np.flatnonzero((sizes != 1).any(axis=0))
    present = sizes[:, gaps]
    means = np.empty((RESAMPLES, columns.shape[1]))
    start = 0
    for drawn in weights(n, RESAMPLES, seed):
        rows = means[start : start + len(drawn)]
        # Where sums are equal, their differences by parts are equal again once the last digits are gone.
        rows[:] = np.round(product(drawn), 9) if product else drawn @ filled
        counts = drawn @ present
        rows[:, gaps] = np.divide(rows[:, gaps] * n, counts, out=np.zeros_like(counts), where=counts > 0)
        rows /= n
        start += len(drawn)
    return bca(means, np.nanmean(added, axis=0), mean_acceleration(added))


def constant(columns: Floats) -> NDArray[np.bool_]:
    """Return for each column whether its values are all the same; NaN is none."""
    scored = np.isfinite(columns)
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
