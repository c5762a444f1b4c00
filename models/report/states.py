"""Display names of states, and cautions beside numbers."""

from collections.abc import Iterable
from typing import NamedTuple

STATES = {
    "covered": ("Covered", "A claim states this nugget rightly."),
    "partial": (
        "Partial",
        "Some parts of the nugget are stated, or of the claim entailed; none is contradicted.",
    ),
    "contradicted": ("Contradicted", "A claim speaks of this nugget and turns it around."),
    "missing": ("Missing", "No claim speaks of this nugget."),
    "correct": ("Correct", "The claim states a nugget of the reference rightly."),
    "contradicts": ("Contradicts", "It says the opposite of the reference or of the source."),
    "unmatched": (
        "Not in the reference",
        "The reference says nothing of this claim: it is neither right nor wrong.",
    ),
    "non_claim": ("Not a claim", "A greeting, a heading, a question or advice: counted apart."),
    "supports": ("Supports", "The source entails the claim."),
    "neutral": ("Does not say", "The source neither supports nor contradicts the claim."),
    "not_found": ("Not found", "A source that answers has no such record: the citation is likely made up."),
    "untraceable": ("Untraceable", "A bare marker with nothing behind it."),
    "unverifiable": ("Unverifiable", "It exists but its text could not be had, or no source could be asked."),
}
CITATION_STATES = (
    "supports",
    "partial",
    "neutral",
    "contradicts",
    "not_found",
    "untraceable",
    "unverifiable",
)


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
