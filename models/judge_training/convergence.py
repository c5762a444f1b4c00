"""How far rounds of introspection would still lead: a curve with a limit, y = L − (L − y₀)·rᵗ, fitted to the rounds.

AutoMedEval (Appendix F) fits a curve to three points and reads off the sixth round: its text says 52.21, its printed
equation gives 52.13. Through three points that are evenly apart just one such curve goes, so an interval has no meaning
before there are four.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.statistics.resampling import Floats

PUBLISHED_POINTS = (44.61, 47.13, 48.65)
"""AutoMedEval's three published points (%), taken here as rounds 0, 1 and 2 of its accuracy over triples."""
PUBLISHED_AT_SIX_BY_EQUATION, PUBLISHED_AT_SIX_BY_TEXT = 52.13, 52.21
SIXTH_ROUND = 6


@dataclass(frozen=True, slots=True)
class Curve:
    """A fitted curve: its limit, how much of the gap each round leaves (`rate`), and the limit's 95 % interval.

    `reason` says why there is no curve, or why there is no interval.
    """

    start: float | None
    limit: float | None
    rate: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None

    def at(self, rounds: float) -> float | None:
        """Return the curve's value after so many rounds, None where there is no curve."""
        if self.start is None or self.limit is None or self.rate is None:
            return None
        return float(self.limit - (self.limit - self.start) * self.rate**rounds)


def fit_curve(values: Sequence[float]) -> Curve:
    """Fit the curve to the value before introspection and after each round; exactly for three points."""
    n = len(values)
    if n < 3:
        return _none(n, f"{n} points; a curve with a limit takes three")
    if n == 3:
        first, second = values[1] - values[0], values[2] - values[1]
        if first == 0 or not 0 < second / first < 1:
            return _none(n, "the steps do not shrink: no curve with a limit goes through these points")
        rate = second / first
        limit = values[2] + second * rate / (1 - rate)
        return Curve(values[0], limit, rate, None, None, n, "three points fix the curve: no interval")
    return _least_squares(values)


def _least_squares(values: Sequence[float]) -> Curve:
    """Fit more than three points; the interval is the linear approximation's, with Student's t."""
    import numpy as np
    from scipy.optimize import OptimizeWarning, curve_fit
    from scipy.stats import t as student

    rounds, n = np.arange(len(values), dtype=np.float64), len(values)

    def shape(at: Floats, limit: float, gap: float, rate: float) -> Floats:
        return np.asarray(limit - gap * rate**at, dtype=np.float64)

    begin = (values[-1], values[-1] - values[0], 0.5)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", OptimizeWarning)
            found, spread = curve_fit(
                shape,
                rounds,
                np.asarray(values),
                p0=begin,
                bounds=([-np.inf, -np.inf, 1e-6], [np.inf, np.inf, 0.999]),
            )
    except (RuntimeError, OptimizeWarning):
        return _none(n, "no curve with a limit fits these points")
    limit, gap, rate = (float(value) for value in found)
    error = math.sqrt(float(spread[0][0]))
    if not math.isfinite(error):
        return Curve(limit - gap, limit, rate, None, None, n, "the points do not fix the limit: no interval")
    half = float(student.ppf(0.975, n - 3)) * error
    return Curve(limit - gap, limit, rate, limit - half, limit + half, n, None)


def _none(n: int, reason: str) -> Curve:
    return Curve(None, None, None, None, None, n, reason)
