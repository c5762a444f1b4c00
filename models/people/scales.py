"""The scale of human scores, inferred from them, and values outside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

TOPS = (1.0, 5.0, 10.0, 100.0)
STRAYS_AMONG = 20
"""Of so many scores one may lie elsewhere; where more do, the scale is wider."""


_NUMBER = r"[-−]?\d+(?:\.\d+)?"
_NAMED = re.compile(
    rf"[\[(]?\s*({_NUMBER})\s*(?:-|–|—|to|bis|\.\.+|,|;|:|/)\s*({_NUMBER})\s*[\])]?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Scale:
    """From the least to the most that a person could give."""

    low: float
    high: float

    def __str__(self) -> str:
        """Write it as `0 to 5`."""
        return f"{self.low:g} to {self.high:g}"

    def holds(self, score: float) -> bool:
        """Return whether somebody could have given this."""
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


def named_scale(value: Any) -> Scale | None:
    """Read a scale as people write it, `1 to 5`, `1-5`, `[0, 100]`; None for what is none."""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    found = _NAMED.fullmatch(str(value).strip())
    low, high = (float(end.replace("−", "-")) for end in found.groups()) if found else (0.0, 0.0)
    return Scale(low, high) if low < high else None
