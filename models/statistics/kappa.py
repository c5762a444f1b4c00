"""Agreement of two raters on labels, beyond what their habits alone would give."""

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from models.statistics.bootstrap import bounds
from models.statistics.estimate import Estimate
from models.statistics.resampling import Floats
from models.statistics.seeds import seed_of


def cohen_kappa(
    first: Sequence[str], second: Sequence[str], questions: Sequence[Hashable] | None = None
) -> Estimate:
    """Return Cohen's κ (Cohen 1960, Educ Psychol Meas 20:37–46), its interval over whole questions.

    Args:
        first: one rater's labels.
        second: the other's, of the same items.
        questions: the question of each item; without it every item stands for itself.
    """
    if not first:
        return Estimate(None, None, None, 0, "no item is labelled by both")
    tables = confusions(first, second, questions)
    value = float(kappas(tables.sum(axis=0)[None])[0])
    if not np.isfinite(value):
        return Estimate(None, None, None, len(first), "both give every item the same one label")

    def statistic(drawn: Floats) -> Floats:
        return kappas(np.tensordot(drawn, tables, axes=1))

    found = bounds(statistic, len(tables), seed_of(tables))
    return Estimate(value, found.low, found.high, len(first), found.reason)


def confusions(first: Sequence[str], second: Sequence[str], questions: Sequence[Hashable] | None) -> Floats:
    """Count label pairs by question, (questions, labels, labels), sorted by what was counted."""
    return _counted(first, [second], questions)[:, 0]


def _counted(
    first: Sequence[str], others: Sequence[Sequence[str]], questions: Sequence[Hashable] | None
) -> Floats:
    """Count label pairs of one rater with each of the others, (questions, others, labels, labels)."""
    names = {
        name: n for n, name in enumerate(sorted({*first, *(label for other in others for label in other)}))
    }
    units = list(questions) if questions is not None else list(range(len(first)))
    places = {unit: n for n, unit in enumerate(sorted(set(units), key=str))}
    tables = np.zeros((len(places), len(others), len(names), len(names)))
    for number, second in enumerate(others):
        for one, two, unit in zip(first, second, units, strict=True):
            tables[places[unit], number, names[one], names[two]] += 1
    return tables[np.lexsort(tables.reshape(len(tables), -1).T)]


def kappas(tables: Floats) -> Floats:
    """Return κ of each confusion table, NaN where chance alone agrees always."""
    totals = tables.sum(axis=(1, 2))
    seen = np.trace(tables, axis1=1, axis2=2) / totals
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / totals**2
    room = 1 - chance
    found: Floats = np.divide(seen - chance, room, out=np.full(len(tables), np.nan), where=room > 1e-12)
    return found


def mean_kappa(
    first: Sequence[str], others: Sequence[Sequence[str]], questions: Sequence[Hashable] | None = None
) -> Estimate:
    """Return the mean κ of one rater with each of several others, its interval over whole questions.

    What stands beside `mean_pairwise_kappa` of the others: both are of single raters, where a majority has less noise.
    """
    if not first or not others:
        return Estimate(None, None, None, 0, "no item is labelled by both")
    tables = _counted(first, others, questions)

    def statistic(drawn: Floats) -> Floats:
        found = [kappas(np.tensordot(drawn, tables[:, number], axes=1)) for number in range(len(others))]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    value = float(statistic(np.ones((1, len(tables))))[0])
    if not np.isfinite(value):
        return Estimate(None, None, None, len(first), "with one of them every item has the same one label")
    found = bounds(statistic, len(tables), seed_of(tables))
    return Estimate(value, found.low, found.high, len(first), found.reason)


def mean_pairwise_kappa(raters: Sequence[Sequence[str]]) -> float | None:
    """Return the mean κ of every two raters of the same items, None where no two vary."""
    found = [cohen_kappa(one, two).value for one, two in combinations(raters, 2)]
    sound = [value for value in found if value is not None]
    return float(np.mean(sound)) if sound else None
