"""What a measure returns: a number with its interval, or the reason why there is none."""

import math
from dataclasses import dataclass


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
