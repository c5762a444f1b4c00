"""Which of two answers wins: the sign of a difference, once it is more than a tie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medassay.models.statistics.resampling import Floats

TIE_MARGIN = 0.05
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How often a won, tied and lost."""

    wins: int
    ties: int
    losses: int


def outcome_signs(differences: Floats, margin: float = TIE_MARGIN) -> NDArray[np.int8]:
    """Return 1 where a wins, −1 where it loses, 0 within the margin; a difference of the margin itself is a tie."""
    beyond = np.abs(differences) > margin + _ROUNDING
    return np.where(beyond, np.sign(differences), 0).astype(np.int8)


def count_outcomes(differences: Floats, margin: float = TIE_MARGIN) -> Outcomes:
    """Count wins, ties and losses of a over the questions scored for both."""
    signs = outcome_signs(differences[np.isfinite(differences)], margin)
    return Outcomes(int((signs > 0).sum()), int((signs == 0).sum()), int((signs < 0).sum()))
