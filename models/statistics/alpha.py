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
    value = float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))
    if n < LEAST_FOR_ANY:
        return Estimate(value, None, None, n, f"{n} items are too few for an interval")
    if n * len(np.unique(scored)) ** 2 > MOST_CELLS:
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
    if level == "nominal":
        return parts, 1 - np.eye(len(values))
    if level == "interval":
        return parts, np.subtract.outer(values, values) ** 2
    totals = parts.sum(axis=(0, 1))
    upto = np.cumsum(totals)
    between = upto[None, :] - upto[:, None] + totals[:, None] / 2 - totals[None, :] / 2
    distances: Floats = np.where(np.triu(np.ones_like(between), 1) > 0, between, 0.0) ** 2
    return parts, distances + distances.T


def alphas(tables: Floats, distances: Floats) -> Floats:
    """Return α of each coincidence table: one less the seen over the expected disagreement."""
    totals = tables.sum(axis=1)
    n = totals.sum(axis=1)
    seen = (tables * distances).sum(axis=(1, 2))
    expected = np.einsum("rc,rk,ck->r", totals, totals, distances) / (n - 1)
    share: Floats = np.divide(seen, expected, out=np.full(len(tables), np.nan), where=expected > 0)
    return 1 - share
