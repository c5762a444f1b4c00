"""Intervals over questions: of means, and of any statistic by bootstrap, with seeds from the data, as `Estimate`s."""

import hashlib
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import too_few
from medassay.models.statistics.resampling import (
    LEAST_FOR_ANY,
    LEAST_FOR_BOOTSTRAP,
    RESAMPLES,
    Floats,
    bca,
    mean_intervals,
    percentile_interval,
    weights,
)

MOST_DELETIONS = 200
# (resamples, questions) weights → (resamples,) values, NaN where the statistic is not defined.
Statistic = Callable[[Floats], Floats]

MOST_FOR_SCIPY = 500


@dataclass(frozen=True, slots=True)
class Arranged:
    """Rows without gaps, in an order of their own; `codes` numbers each row's question from 0."""

    codes: NDArray[np.int64]
    columns: tuple[Floats, ...]
    n_questions: int
    seed: int


def seed_of(*arrays: ArrayLike) -> int:
    """Return a seed of 32 bits that depends on the arrays, in their order, and on nothing else."""
    digest = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        digest.update(repr((values.shape, values.dtype.kind)).encode())
        digest.update(values.tobytes())
    return int.from_bytes(digest.digest()[:4], "big")


def arrange(questions: Sequence[Hashable], *columns: ArrayLike) -> Arranged:
    """Drop rows that lack a value, sort the rest, and derive the seed, so that no result depends on row order.

    Args:
        questions: the question (or other unit of resampling) of each row; sorted by their text.
        columns: numbers of the same length, NaN where there is none.
    """
    values = [np.asarray(column, dtype=np.float64) + 0.0 for column in columns]  # −0.0 becomes 0.0
    names = {name: n for n, name in enumerate(sorted(set(questions), key=str))}
    codes = np.fromiter((names[name] for name in questions), dtype=np.int64, count=len(questions))
    whole = np.ones(len(codes), dtype=np.bool_)
    for column in values:
        whole &= np.isfinite(column)
    found, codes = np.unique(codes[whole], return_inverse=True)
    values = [column[whole] for column in values]
    order = np.lexsort((*reversed(values), codes))
    codes, values = codes[order].astype(np.int64), [column[order] for column in values]
    return Arranged(codes, tuple(values), len(found), seed_of(codes, *values))


@dataclass(frozen=True, slots=True)
class Estimate:
    """One measured number; where something is None, `reason` says why. Never NaN."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None


def known(value: float) -> float | None:
    """Return a float, or None for NaN and infinities: what a library could not compute is not a number here."""
    number = float(value)
    return number if math.isfinite(number) else None


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


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; no interval has a reason."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str | None = None
    reason: str | None = None


def interval_note(n: int, is_constant: bool, unit: str = "question", what: str = "value") -> str | None:
    """Return why a mean has no interval or what to know of it; None where there is nothing to say.

    Args:
        n: how many units the mean is over.
        is_constant: whether they are all the same, so that the interval is a point.
        unit: the question, or the case where several questions share one.
        what: what every unit then has the same of.
    """
    if n < LEAST_FOR_ANY:
        return too_few(n, unit, "for an interval")
    if is_constant:
        return f"every {unit} has the same {what}"
    if n < LEAST_FOR_BOOTSTRAP:
        return f"only {n} {unit}s: the interval assumes normality"
    return None


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean with its 95 % interval over questions.

    From 20 values on the bias-corrected and accelerated bootstrap (Efron 1987, JASA 82:171–185) by scipy, from 6
    on Student's t with a warning, below none. Equal values have no spread to resample: the interval is the point.

    Args:
        values: one value a question, order without meaning; the interval may leave their scale.
    """
    n = len(values)
    if n == 0:
        return Interval(None, None, None, 0, reason="nothing was scored")
    from scipy.special import stdtrit

    sample = np.sort(np.asarray(values, dtype=np.float64))
    mean = float(sample.mean())
    if n < LEAST_FOR_ANY:
        return Interval(mean, None, None, n, reason=interval_note(n, False))
    if sample[0] == sample[-1]:
        return Interval(mean, mean, mean, n, "constant", interval_note(n, True))
    if n < LEAST_FOR_BOOTSTRAP:
        half = float(stdtrit(n - 1, 0.975) * sample.std(ddof=1) / np.sqrt(n))
        return Interval(mean, mean - half, mean + half, n, "t", interval_note(n, False))
    if n > MOST_FOR_SCIPY:
        # Its jackknife holds n × n numbers; the same interval from weights and a closed form does not.
        low, high = mean_intervals(sample[:, None], seed_of(sample))
        return Interval(mean, float(low[0]), float(high[0]), n, "BCa")
    from scipy import stats

    found = stats.bootstrap(
        (sample,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(seed_of(sample))
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high), n, "BCa")
