"""How far a mean over questions can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.statistics.resampling import LEAST_FOR_ANY, LEAST_FOR_BOOTSTRAP, RESAMPLES, mean_intervals

MOST_FOR_SCIPY = 500


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; no interval has a reason."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str | None = None
    reason: str | None = None


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
    import numpy as np
    from scipy import stats

    from models.statistics.seeds import seed_of

    sample = np.sort(np.asarray(values, dtype=np.float64))
    mean = float(sample.mean())
    if n < LEAST_FOR_ANY:
        return Interval(mean, None, None, n, reason=f"{n} questions are too few for an interval")
    if sample[0] == sample[-1]:
        return Interval(mean, mean, mean, n, "constant", "every question has the same value")
    if n < LEAST_FOR_BOOTSTRAP:
        half = float(stats.t.ppf(0.975, n - 1) * sample.std(ddof=1) / np.sqrt(n))
        return Interval(
            mean, mean - half, mean + half, n, "t", f"only {n} questions: the interval assumes normality"
        )
    if n > MOST_FOR_SCIPY:
        # Its jackknife holds n × n numbers; the same interval from weights and a closed form does not.
        low, high = mean_intervals(sample[:, None], seed_of(sample))
        return Interval(mean, float(low[0]), float(high[0]), n, "BCa")
    found = stats.bootstrap(
        (sample,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(seed_of(sample))
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high), n, "BCa")
