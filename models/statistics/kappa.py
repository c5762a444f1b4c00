"""Cohen's κ: chance-corrected agreement of two raters."""

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from medassay.models.statistics.bootstrap import Estimate, bounds, seed_of
from medassay.models.statistics.resampling import Floats

# A rater's labels of some items, None where the rater gave none.
Labels = Sequence[str | None]


def cohen_kappa(first: Labels, second: Labels, questions: Sequence[Hashable] | None = None) -> Estimate:
    """Return Cohen's κ (Cohen 1960, Educ Psychol Meas 20:37–46), its interval over whole questions.

    Args:
        first: one rater's labels.
        second: the other's, of the same items; only those that both labelled count, as `n` does.
        questions: the question of each item; without it every item stands for itself.
    """
    tables = confusions(first, second, questions)
    n = int(tables.sum())
    if n == 0:
        return Estimate(None, None, None, 0, "no item is labelled by both")
    value = float(kappas(tables.sum(axis=0)[None])[0])
    if not np.isfinite(value):
        return Estimate(None, None, None, n, "both give every item the same one label")

    def statistic(drawn: Floats) -> Floats:
        return kappas(np.tensordot(drawn, tables, axes=1))

    found = bounds(statistic, len(tables), seed_of(tables))
    return Estimate(value, found.low, found.high, n, found.reason)


def confusions(first: Labels, second: Labels, questions: Sequence[Hashable] | None) -> Floats:
    """Count label pairs by question, (questions, labels, labels), sorted by what was counted."""
    return _counted(first, [second], questions)[:, 0]


def _counted(first: Labels, others: Sequence[Labels], questions: Sequence[Hashable] | None) -> Floats:
    """Count label pairs of one rater with each of the others, (questions, others, labels, labels)."""
    units = questions if questions is not None else range(len(first))
    pairs = [
        (unit, number, one, two)
        for number, second in enumerate(others)
        for one, two, unit in zip(first, second, units, strict=True)
        if one is not None and two is not None
    ]
    names = {name: n for n, name in enumerate(sorted({label for _, _, *pair in pairs for label in pair}))}
    places = {unit: n for n, unit in enumerate(sorted({unit for unit, *_ in pairs}, key=str))}
    tables = np.zeros((len(places), len(others), len(names), len(names)))
    for unit, number, one, two in pairs:
        tables[places[unit], number, names[one], names[two]] += 1
    return tables[np.lexsort(tables.reshape(len(tables), -1).T)] if pairs else tables


def kappas(tables: Floats) -> Floats:
    """Return κ of each confusion table, NaN for an empty one and where chance alone agrees always."""
    totals = tables.sum(axis=(1, 2))
    shares = tables / np.where(totals > 0, totals, 1.0)[:, None, None]
    seen = np.trace(shares, axis1=1, axis2=2)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    room = np.where(totals > 0, 1 - chance, 0.0)
    found: Floats = np.divide(seen - chance, room, out=np.full(len(tables), np.nan), where=room > 1e-12)
    return found


def mean_kappa(
    first: Labels, others: Sequence[Labels], questions: Sequence[Hashable] | None = None
) -> Estimate:
    """Return the mean κ of one rater with each of several others who have one, its interval over whole questions.

    What stands beside `mean_pairwise_kappa` of the others: both are of single raters, where a majority has less noise.
    Each κ is over the items that both labelled; `n` counts those that any of the others did.
    """
    tables = _counted(first, others, questions)
    n = sum(
        one is not None and any(label is not None for label in said)
        for one, *said in zip(first, *others, strict=True)
    )
    if n == 0:
        return Estimate(None, None, None, 0, "no item is labelled by both")

    def statistic(drawn: Floats) -> Floats:
        by_other = [kappas(np.tensordot(drawn, tables[:, number], axes=1)) for number in range(len(others))]
        counts = np.isfinite(by_other).sum(axis=0)
        found: Floats = np.divide(
            np.nansum(by_other, axis=0), counts, out=np.full(len(drawn), np.nan), where=counts > 0
        )
        return found

    value = float(statistic(np.ones((1, len(tables))))[0])
    if not np.isfinite(value):
        return Estimate(None, None, None, n, "with each of them every item has the same one label")
    found = bounds(statistic, len(tables), seed_of(tables))
    return Estimate(value, found.low, found.high, n, found.reason)


def mean_pairwise_kappa(raters: Sequence[Labels]) -> float | None:
    """Return the mean κ of every two raters, each over the items that both labelled, None where no two vary."""
    found = [cohen_kappa(one, two).value for one, two in combinations(raters, 2)]
    sound = [value for value in found if value is not None]
    return float(np.mean(sound)) if sound else None


def macro_f1s(tables: Floats) -> Floats:
    """Return macro-F1 of each confusion table, over the labels that were given; NaN for an empty one."""
    hits = np.diagonal(tables, axis1=1, axis2=2)
    given = tables.sum(axis=1) + tables.sum(axis=2)
    f1 = np.divide(2 * hits, given, out=np.full(hits.shape, np.nan), where=given > 0)
    n_labels = np.isfinite(f1).sum(axis=1)
    found: Floats = np.divide(
        np.nansum(f1, axis=1), n_labels, out=np.full(len(tables), np.nan), where=n_labels > 0
    )
    return found


def macro_f1(
    first: Labels, others: Sequence[Labels], questions: Sequence[Hashable] | None = None
) -> Estimate:
    """Return macro-F1 of one rater over every label of the others, its interval over whole questions.

    As HealthBench's meta-evaluation counts: an item that two physicians labelled counts twice; `n` counts items.
    """
    tables = _counted(first, others, questions).sum(axis=1)
    n = sum(
        one is not None and any(label is not None for label in said)
        for one, *said in zip(first, *others, strict=True)
    )
    if n == 0:
        return Estimate(None, None, None, 0, "no item is labelled by both")
    value = float(macro_f1s(tables.sum(axis=0)[None])[0])
    found = bounds(lambda drawn: macro_f1s(np.tensordot(drawn, tables, axes=1)), len(tables), seed_of(tables))
    return Estimate(value, found.low, found.high, n, found.reason)


def pairwise_macro_f1(raters: Sequence[Labels]) -> float | None:
    """Return macro-F1 of every rater over the labels of each other one, pooled; None where no two labelled an item."""
    said = [
        (one, two)
        for first, second in combinations(raters, 2)
        for pair in zip(first, second, strict=True)
        for one, two in (pair, pair[::-1])
    ]
    if not any(None not in pair for pair in said):
        return None
    return macro_f1([one for one, _ in said], [[two for _, two in said]]).value
