"""Paired non-inferiority: whether a mean got worse by less than a margin, by more, or whether the data do not tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from medassay.models.statistics.bootstrap import seed_of
from medassay.models.statistics.contrast import contrasts
from medassay.models.statistics.paired import ALPHA, holm, least_questions
from medassay.models.statistics.resampling import Floats

Verdict = Literal["not_inferior", "inferior", "undecided"]
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences of one metric, now less then, one a unit, with what they are held against.

    Attributes:
        margin: By how much the mean may be worse, in the metric's own unit.
        better: 1 where more is better, −1 where less is.
        most: The largest difference that can be.
    """

    differences: Floats
    margin: float
    better: float = 1.0
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class Held:
    """A mean difference against its margin; `questions_needed` in all, None where more than a million would not do."""

    verdict: Verdict
    n: int
    difference: float
    low: float | None
    high: float | None
    p_adjusted: float
    questions_needed: int | None
    reason: str | None


def hold_against_margins(columns: Sequence[Paired], family: int, unit: str = "question") -> list[Held]:
    """Test whether each mean is worse by less than its margin, all of them adjusted together by Holm's rule.

    The margin is added to differences turned so that more is better (Piaggio et al. 2012, JAMA 308:2594), and the
    sign-flip test asks whether the mean differs from 0: above it the metric is not inferior, below it inferior.
    Two-sided at 5 %, which is the 2.5 % one-sided that such tests are held to, and it agrees with the 95 % interval.

    Args:
        columns: each with at least one difference.
        family: how many tests were declared; those that could not be made count in it.
        unit: what a difference belongs to, question or case, as reasons name it.
    """
    found = []
    for column in columns:
        shifted = np.asarray(column.better * column.differences + column.margin, dtype=np.float64)
        shifted[np.abs(shifted) < _ROUNDING] = 0.0
        (one,) = contrasts(shifted[:, None], family, seed_of(column.differences), unit=unit)
        found.append(one)
    adjusted = holm([one.p_value or 0.0 for one in found], family)
    held = []
    for column, one, p in zip(columns, found, adjusted, strict=True):
        above = one.difference or 0.0
        verdict: Verdict = (
            "undecided" if p > ALPHA or not above else "not_inferior" if above > 0 else "inferior"
        )
        needed = (
            one.questions_needed
            if one.effect_size is not None
            else (least_questions(family) if above else None)
        )
        held.append(
            Held(
                verdict,
                one.n,
                column.better * (above - column.margin),
                *_unshifted(column, one.low, one.high),
                p,
                None if verdict != "undecided" else needed,
                one.reason,
            )
        )
    return held


def _unshifted(column: Paired, low: float | None, high: float | None) -> tuple[float | None, float | None]:
    if low is None or high is None:
        return None, None
    ends = sorted(column.better * (end - column.margin) for end in (low, high))
    return max(-column.most, ends[0]), min(column.most, ends[1])
