"""Agreement of any number of raters with gaps, at the right level of measurement."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from models.statistics.bootstrap import bounds
from models.statistics.estimate import Estimate
from models.statistics.intervals import LEAST_FOR_ANY
from models.statistics.resampling import Floats
from models.statistics.seeds import seed_of

Level = Literal["nominal", "ordinal", "interval"]
MOST_CELLS = 20_000_000


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> Estimate:
    """Return Krippendorff's α (Krippendorff 2004, Content Analysis, ch. 11) by the library of that name.

    Its interval resamples items, for which α is rebuilt from each item's own coincidences (Hayes & Krippendorff 2007,
    Commun Methods Meas 1:77–89); labels and ordered ranks need none but the disagreements of the whole sample.

    Args:
        ratings: (raters, items), NaN where a rater gave none; labels as numbers.
        level: nominal for labels, ordinal for ranks, interval for scores.
    """
    import krippendorff

    table = np.asarray(ratings, dtype=np.float64)
    table = table[:, np.isfinite(table).sum(axis=0) > 1]
    n = table.shape[1]
    if n == 0:
        return Estimate(None, None, None, 0, "no item has two ratings")
    scored = table[np.isfinite(table)]
    if scored.min() == scored.max():
        return Estimate(None, None, None, n, "every rating is the same")
    large = n * len(np.unique(scored)) ** 2 > MOST_CELLS
    # The library holds a table an item, which is gigabytes for a hundred thousand items with fifty scores.
    value = float(
        alphas(*summed(table, level))[0]
        if large
        else krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    )
    if n < LEAST_FOR_ANY:
        return Estimate(value, None, None, n, f"{n} items are too few for an interval")
    if large:
        return Estimate(value, None, None, n, "too many different scores to resample")
    parts, distances = coincidences(table, level)

    def statistic(drawn: Floats) -> Floats:
        return alphas(np.tensordot(drawn, parts, axes=1), distances)

    found = bounds(statistic, n, seed_of(table), unit="items")
    return Estimate(value, found.low, found.high, n, found.reason)


def coincidences(table: Floats, level: Level) -> tuple[Floats, Floats]:
    """Return each item's coincidences, (items, values, values), and the squared distances of the values."""
    values = np.unique(table[np.isfinite(table)])
    counts = (table[:, :, None] == values).sum(axis=0).astype(np.float64)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(len(values)), np.arange(len(values))] -= counts
    parts = pairs / (counts.sum(axis=1) - 1)[:, None, None]
    return parts, squared_distances(values, parts.sum(axis=(0, 1)), level)


def summed(table: Floats, level: Level) -> tuple[Floats, Floats]:
    """Return the coincidences of all items together, (1, values, values), and the squared distances."""
    values = np.unique(table[np.isfinite(table)])
    counts = np.stack([(table == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    shares = counts / (counts.sum(axis=1) - 1)[:, None]
    total = shares.T @ counts - np.diag(shares.sum(axis=0))
    return total[None], squared_distances(values, total.sum(axis=0), level)


def squared_distances(values: Floats, totals: Floats, level: Level) -> Floats:
    """Return how far every two values are apart at a level of measurement (Krippendorff 2011, step 4)."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2, dtype=np.float64)
    upto = np.cumsum(totals)
    between = upto[None, :] - upto[:, None] + totals[:, None] / 2 - totals[None, :] / 2
    distances: Floats = np.where(np.triu(np.ones_like(between), 1) > 0, between, 0.0) ** 2
    return distances + distances.T


def alphas(tables: Floats, distances: Floats) -> Floats:
    """Return α of each coincidence table: one less the seen over the expected disagreement."""
    totals = tables.sum(axis=1)
    n = totals.sum(axis=1)
    seen = (tables * distances).sum(axis=(1, 2))
    expected = np.einsum("rc,rk,ck->r", totals, totals, distances) / (n - 1)
    share: Floats = np.divide(seen, expected, out=np.full(len(tables), np.nan), where=expected > 0)
    return 1 - share
