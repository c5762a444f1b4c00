"""Krippendorff's α: agreement of raters with missing values, at a level of measurement."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from medassay.models.statistics.bootstrap import Estimate, Statistic, bounds, seed_of
from medassay.models.statistics.resampling import Floats

Level = Literal["nominal", "ordinal", "interval"]


def level_of(ratings: ArrayLike) -> Level:
    """Return what ratings can be taken for: 0 and 1 are labels, other whole numbers ranks, all else scores."""
    values = np.asarray(ratings, dtype=np.float64)
    values = np.unique(values[np.isfinite(values)])
    if np.isin(values, (0, 1)).all():
        return "nominal"
    return "ordinal" if (values == values.round()).all() else "interval"


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> Estimate:
    """Return Krippendorff's α (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"); `n` counts items.

    One less the disagreement within items over that between any two ratings. Its interval resamples items (Hayes &
    Krippendorff 2007, Commun Methods Meas 1:77–89), ranks staying those of the whole sample.

    Args:
        ratings: (raters, items), NaN where a rater gave none; labels as numbers.
        level: nominal for labels, ordinal for ranks, interval for scores.
    """
    table = np.asarray(ratings, dtype=np.float64).T + 0.0
    table = np.sort(table[np.isfinite(table).sum(axis=1) > 1], axis=1)
    table = table[np.lexsort(table.T)]
    n = len(table)
    if n == 0:
        return Estimate(None, None, None, 0, "no item has two ratings")
    if np.nanmin(table) == np.nanmax(table):
        return Estimate(None, None, None, n, "every rating is the same")
    statistic = _of_labels(table) if level == "nominal" else _of_numbers(table, level)
    value = float(statistic(np.ones((1, n)))[0])
    found = bounds(statistic, n, seed_of(table), unit="item")
    return Estimate(value, found.low, found.high, n, found.reason)


def _of_numbers(table: Floats, level: Level) -> Statistic:
    """Give α by weights where distances are squared differences, of the scores or of their midranks.

    The squared differences of all pairs of m numbers sum to 2 (m Σv² − (Σv)²), so that four sums an item are enough.
    """
    present = np.isfinite(table)
    if level == "ordinal":
        from scipy.stats import rankdata

        ranked = np.zeros_like(table)
        ranked[present] = rankdata(table[present])
        table = ranked
    values = np.where(present, table - table[present].mean(), 0.0)
    m = present.sum(axis=1).astype(np.float64)
    total, squares = values.sum(axis=1), (values**2).sum(axis=1)
    within = 2 * (m * squares - total**2) / (m - 1)
    sums = np.column_stack([within, m, total, squares])

    def statistic(drawn: Floats) -> Floats:
        seen, n, of_values, of_squares = (drawn @ sums).T
        return _alphas(seen, 2 * (n * of_squares - of_values**2) / (n - 1))

    return statistic


def _of_labels(table: Floats) -> Statistic:
    """Give α by weights where any two different labels are equally far apart."""
    from scipy.sparse import csr_array

    present = np.isfinite(table)
    labels = np.unique(table[present], return_inverse=True)[1]
    items = np.nonzero(present)[0]
    counts = csr_array((np.ones(len(items)), (items, labels)))
    m = present.sum(axis=1).astype(np.float64)
    within = (m**2 - np.asarray(counts.multiply(counts).sum(axis=1)).ravel()) / (m - 1)

    def statistic(drawn: Floats) -> Floats:
        totals = np.asarray(drawn @ counts)
        n = totals.sum(axis=1)
        return _alphas(drawn @ within, (n**2 - (totals**2).sum(axis=1)) / (n - 1))

    return statistic


def _alphas(seen: Floats, expected: Floats) -> Floats:
    sound = expected > 1e-12 * np.abs(expected).max(initial=0.0)
    share: Floats = np.divide(seen, expected, out=np.full(len(seen), np.nan), where=sound)
    return 1 - share
