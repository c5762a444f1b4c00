"""Intraclass correlation: share of variance between answers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.statistics.bootstrap import Estimate


@dataclass(frozen=True, slots=True)
class IntraclassCorrelations:
    """Agreement of a single rater, ICC(2,1), and of the mean of all, ICC(2,k)."""

    single: Estimate
    average: Estimate


def icc2(ratings: ArrayLike) -> IntraclassCorrelations:
    """Return ICC(2,1) and ICC(2,k): two-way random effects, absolute agreement.

    Shrout & Fleiss 1979, Psychol Bull 86:420–428; the intervals after McGraw & Wong 1996, Psychol Methods 1:30–46.

    Args:
        ratings: (items, raters); items that a rater left out are dropped, and `n` counts the others.
    """
    table = np.asarray(ratings, dtype=np.float64)
    table = table[np.isfinite(table).all(axis=1)]
    n, k = table.shape
    if n < 2 or k < 2:
        none = Estimate(None, None, None, n, f"{n} items rated by all of {k} raters")
        return IntraclassCorrelations(none, none)
    grand = table.mean()
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    of_rows = k * float(((rows - grand) ** 2).sum()) / (n - 1)
    of_columns = n * float(((columns - grand) ** 2).sum()) / (k - 1)
    left = table - rows[:, None] - columns[None, :] + grand
    of_error = float((left**2).sum()) / ((n - 1) * (k - 1))
    spread = of_rows + (k - 1) * of_error + k * (of_columns - of_error) / n
    if spread <= 1e-12:
        none = Estimate(None, None, None, n, "every score is the same")
        return IntraclassCorrelations(none, none)
    single = (of_rows - of_error) / spread
    average_spread = of_rows + (of_columns - of_error) / n
    average = (of_rows - of_error) / average_spread if average_spread > 1e-12 else None
    low, high = _interval(single, of_rows, of_columns, of_error, n, k)
    stepped = [
        None if end is None or 1 + (k - 1) * end <= 0 else k * end / (1 + (k - 1) * end)
        for end in (low, high)
    ]
    reason = None
    if low is None:
        how = "never differ" if of_columns <= 1e-12 else "differ by the same on every item"
        reason = f"the raters {how}: no interval"
    return IntraclassCorrelations(
        Estimate(single, low, high, n, reason),
        Estimate(average, stepped[0], stepped[1], n, reason or _without_average(average, stepped)),
    )


def _without_average(average: float | None, ends: list[float | None]) -> str | None:
    """Return why the mean of all raters has no value or an interval without an end; None where nothing is missing."""
    if average is None:
        return "the items differ less than chance lets them: the mean of all raters has no reliability"
    if None in ends:
        return "the interval of a single rater reaches where the mean of all has no reliability"
    return None


def _interval(
    icc: float, of_rows: float, of_columns: float, of_error: float, n: int, k: int
) -> tuple[float | None, float | None]:
    from scipy.stats import f

    if of_error <= 1e-12:
        return None, None
    ratio = of_columns / of_error
    over = k * icc * ratio + n * (1 + (k - 1) * icc) - k * icc
    under = (n - 1) * k**2 * icc**2 * ratio**2 + (n * (1 + (k - 1) * icc) - k * icc) ** 2
    freedom = (n - 1) * (k - 1) * over**2 / under
    up, down = float(f.ppf(0.975, n - 1, freedom)), float(f.ppf(0.975, freedom, n - 1))
    both = k * of_columns + (k * n - k - n) * of_error
    low = n * (of_rows - up * of_error) / (up * both + n * of_rows)
    high = n * (down * of_rows - of_error) / (both + n * down * of_rows)
    return low, high
