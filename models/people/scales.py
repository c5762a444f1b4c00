"""The scale of human scores, inferred from them, and values outside it."""

from collections.abc import Sequence
from dataclasses import dataclass

TOPS = (1.0, 5.0, 10.0, 100.0)
STRAYS_AMONG = 20
"""Of so many scores one may lie elsewhere; where more do, the scale is wider."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From the least to the most that a person could give."""

    low: float
    high: float

    def __str__(self) -> str:
        """Write it as `0 to 5`."""
        return f"{self.low:g} to {self.high:g}"

    def holds(self, score: float) -> bool:
        """Say whether somebody could have given this."""
        return self.low <= score <= self.high


def scale_of(scores: Sequence[float]) -> Scale | None:
    """Return the narrowest of 0–1, 0–5, 0–10 and 0–100 that holds all scores but one in twenty; None for none of them.

    Where more than one in twenty lies below zero, as on −2 to 2, the scale reaches as far below it as above.
    """
    most = len(scores) // STRAYS_AMONG
    for low_of, high in ((sign, top) for sign in (0.0, -1.0) for top in TOPS):
        scale = Scale(low_of * high + 0.0, high)
        if sum(not scale.holds(score) for score in scores) <= most:
            return scale
    return None
