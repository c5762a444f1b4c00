"""Many pairs of systems on one metric: preference, difference, interval, p and power."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medassay.models.counting import counted
from medassay.models.statistics.bootstrap import interval_note, known
from medassay.models.statistics.paired import (
    ALPHA,
    detectable_difference,
    effect_size,
    least_p,
    questions_needed,
    sign_flip_p,
)
from medassay.models.statistics.resampling import Differences, Floats, mean_intervals

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


@dataclass(frozen=True, slots=True)
class Contrast:
    """System a less system b over the questions scored for both; where something is None, `reason` says why."""

    n: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    effect_size: float | None
    detectable_difference: float | None
    questions_needed: int | None
    wins: int
    ties: int
    losses: int
    reason: str | None


def contrasts(
    differences: Floats | Differences,
    family: int = 1,
    seed: int = 0,
    margin: float | Floats = TIE_MARGIN,
    better: float | Floats = 1.0,
    most: float | Floats = np.inf,
    unit: str = "question",
) -> list[Contrast]:
    """Return one contrast a column.

    Args:
        differences: (questions, columns) a − b, NaN where one of the two was not scored; or the same by its parts,
            where nothing is missing.
        family: how many tests are corrected together.
        seed: of the random sign flips and of the resampling.
        margin: up to this difference a question is a tie; one number, or one a column.
        better: 1 where more is better, −1 where less is: it turns wins and losses, never the difference.
        most: the largest difference that can be; an interval that reaches beyond it ends there.
        unit: what the rows are, question or case, as reasons name it.
    """
    factored = differences if isinstance(differences, Differences) else None
    columns = differences.columns if isinstance(differences, Differences) else differences
    scored = np.isfinite(columns)
    p_values = sign_flip_p(columns, family, seed, factored)
    low, high = mean_intervals(columns, seed, factored.product if factored else None)
    low, high = np.clip(low, np.negative(most), most), np.clip(high, np.negative(most), most)
    margins, turns = np.broadcast_to(margin, len(low)), np.broadcast_to(better, len(low))
    return [
        _contrast(columns[scored[:, i], i], p_values[i], low[i], high[i], family, margins[i], turns[i], unit)
        for i in range(columns.shape[1])
    ]


def _contrast(
    values: Floats,
    p_value: float,
    low: float,
    high: float,
    family: int,
    margin: float,
    better: float,
    unit: str,
) -> Contrast:
    n = len(values)
    if n == 0:
        return Contrast(
            0, None, None, None, None, None, None, None, 0, 0, 0, "no question was scored for both"
        )
    difference = float(values.mean())
    # Differences that cancel can leave a mean of rounding errors, and equal ones a deviation.
    difference = 0.0 if abs(difference) <= 1e-12 * float(np.abs(values).max()) else difference
    deviation = float(values.std(ddof=1)) if n > 1 else 0.0
    deviation = 0.0 if deviation <= 1e-12 * max(1.0, abs(difference)) else deviation
    won = count_outcomes(better * values, margin)
    return Contrast(
        n=n,
        difference=difference,
        low=known(low),
        high=known(high),
        p_value=float(p_value),
        effect_size=effect_size(difference, deviation),
        detectable_difference=detectable_difference(deviation, n, family) if deviation else None,
        questions_needed=questions_needed(difference, deviation, family) if deviation else None,
        wins=won.wins,
        ties=won.ties,
        losses=won.losses,
        reason=_reason(n, deviation, family, unit),
    )


def _reason(n: int, deviation: float, family: int, unit: str) -> str | None:
    reasons = [interval_note(n, deviation == 0, unit, "difference")]
    if least_p(n, family) * family > ALPHA:
        reasons.insert(
            0, f"{counted(n, unit)} cannot reach p {ALPHA} in a family of {family}, whatever they show"
        )
    return "; ".join(filter(None, reasons)) or None
