"""Probabilities → what a premise says of a hypothesis, by a run's cut-offs."""

from math import isfinite
from typing import Literal

from medassay.models.records import PairVerdict

Said = Literal["supports", "contradicts", "neutral"]


def says(verdict: PairVerdict, supports_at: float, contradicts_at: float) -> Said | None:
    """Return the most probable of the three where it reaches its cut-off, else neutral; None without probabilities.

    What is no number (NaN) is no probability. Below a third a cut-off changes nothing: the most probable of
    three is never less likely. The macro `says` in `sql/staging` is the same rule for stored verdicts.
    """
    e, n, c = verdict.entailment, verdict.neutral, verdict.contradiction
    if e is None or n is None or c is None or not all(map(isfinite, (e, n, c))):
        return None
    if c >= contradicts_at and c > e and c >= n:
        return "contradicts"
    if e >= supports_at and e >= c and e >= n:
        return "supports"
    return "neutral"
