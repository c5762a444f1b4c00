"""Active selection: the items whose labels narrow the interval most."""

import heapq
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

N_LEVELS = 4
"""Into how many levels of the automatic score items are sorted."""
PRIOR_LABELS = 4.0
"""How many labels' worth the spread over all strata counts within each: few labels say little of a spread."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The items to label, in order, and the half-width of the 95 % interval before and, as expected, after."""

    items: tuple[int, ...]
    before: float | None
    after: float | None


def levels(values: Sequence[float | None]) -> list[int]:
    """Return for each automatic score which quarter of all scores it is in, 0 to 3; -1 where there is none."""
    ordered = sorted(value for value in values if value is not None)
    return [
        -1 if value is None else N_LEVELS * sum(other < value for other in ordered) // len(ordered)
        for value in values
    ]


def next_labels(
    strata: Sequence[Hashable],
    questions: Sequence[Hashable],
    residuals: Mapping[int, float],
    n: int,
) -> Choice:
    """Choose up to `n` unlabelled items.

    What is estimated is the mean difference of human and automatic score over all items, post-stratified by what the
    automatic score is near and which system it is of. With N_h items and n_h labels in stratum h of residual spread
    s_h, the variance is Σ (N_h/N)² s_h²/n_h · (1 − n_h/N_h), and the next label goes where it takes most of it away
    (Neyman 1934, J R Stat Soc 97:558–625, one label at a time). Strata without a label come first, the largest first;
    while no spread is seen, the one with the smallest labelled share; within a stratum, questions with fewest labels.

    Args:
        strata: the stratum of each item.
        questions: the question of each item.
        residuals: human less automatic score of the labelled items, by their place.
        n: how many to choose at most.
    """
    size: dict[Hashable, int] = {}
    for stratum in strata:
        size[stratum] = size.get(stratum, 0) + 1
    counts = dict.fromkeys(size, 0)
    labelled: dict[Hashable, int] = dict.fromkeys(questions, 0)
    for place in residuals:
        counts[strata[place]] += 1
        labelled[questions[place]] += 1
    spreads = _spreads(strata, residuals, list(size))
    before = _half_width(size, counts, spreads, len(strata))
    waiting: dict[Hashable, list[tuple[int, int]]] = {stratum: [] for stratum in size}
    for place, stratum in enumerate(strata):
        if place not in residuals:
            heapq.heappush(waiting[stratum], (labelled[questions[place]], place))
    chosen: list[int] = []
    while len(chosen) < n and any(waiting.values()):
        stratum = max(
            (s for s in size if waiting[s]),
            key=lambda s: (
                counts[s] == 0,
                _gain(size[s], counts[s], spreads[s]),
                -counts[s] / size[s],
                size[s],
            ),
        )
        place = _least_labelled(waiting[stratum], labelled, questions)
        counts[stratum] += 1
        labelled[questions[place]] += 1
        chosen.append(place)
    return Choice(tuple(chosen), before, _half_width(size, counts, spreads, len(strata)))


def _least_labelled(
    heap: list[tuple[int, int]], labelled: Mapping[Hashable, int], questions: Sequence[Hashable]
) -> int:
    """Take the item whose question has the fewest labels now; entries that are out of date go back."""
    while True:
        count, place = heapq.heappop(heap)
        now = labelled[questions[place]]
        if count == now:
            return place
        heapq.heappush(heap, (now, place))


def _spreads(
    strata: Sequence[Hashable], residuals: Mapping[int, float], names: Sequence[Hashable]
) -> dict[Hashable, float]:
    """Return the standard deviation of each stratum's residuals, drawn towards that of all; 1 where none is known."""
    values = list(residuals.values())
    overall = _variance(values) if len(values) > 1 else 1.0
    found = {}
    for name in names:
        own = [value for place, value in residuals.items() if strata[place] == name]
        squares = _variance(own) * (len(own) - 1) if len(own) > 1 else 0.0
        freedom = max(len(own) - 1, 0)
        found[name] = math.sqrt((squares + PRIOR_LABELS * overall) / (freedom + PRIOR_LABELS))
    return found


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _gain(size: int, count: int, spread: float) -> float:
    """Return how much variance the next label of a stratum takes away, but for the common 1/N²."""
    return size**2 * spread**2 * (1 / count - 1 / (count + 1)) if count else math.inf


def _half_width(
    size: Mapping[Hashable, int],
    counts: Mapping[Hashable, int],
    spreads: Mapping[Hashable, float],
    total: int,
) -> float | None:
    """Return 1.96 standard errors, None while a stratum has no label."""
    if any(counts[stratum] == 0 for stratum in size):
        return None
    variance = sum(
        (size[s] / total) ** 2 * spreads[s] ** 2 / counts[s] * (1 - counts[s] / size[s]) for s in size
    )
    return 1.959963984540054 * math.sqrt(variance)
