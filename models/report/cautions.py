"""What has to be known of numbers that are there, said once: of which metrics, and of whose where not of all."""

from collections.abc import Iterable
from typing import NamedTuple


class Known(NamedTuple):
    """A number of a system, and what has to be known of it, empty where nothing is."""

    metric: str
    system: str
    caution: str


def said_once(numbers: Iterable[Known]) -> list[str]:
    """Write a line a caution, and one more for each group of systems that it is true of alone."""
    systems: dict[str, list[str]] = {}
    told: dict[str, dict[str, list[str]]] = {}
    for metric, system, caution in numbers:
        systems.setdefault(metric, []).append(system)
        if caution:
            told.setdefault(caution, {}).setdefault(metric, []).append(system)
    lines = []
    for caution, metrics in told.items():
        whose: dict[str, list[str]] = {}
        for metric, of in metrics.items():
            whose.setdefault("" if of == systems[metric] else f" of {', '.join(of)}", []).append(metric)
        lines += [f"{', '.join(names)}{of}: {caution}" for of, names in whose.items()]
    return lines
