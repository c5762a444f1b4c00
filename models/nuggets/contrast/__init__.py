"""Contrasts that cosine cannot see; each check is its own small function with the reason it fires.

A check fires only when the two sentences speak of the same thing: the words around the contrast must be
found on both sides.
"""

from collections.abc import Callable

from models.nuggets.contrast import (
    antonyms,
    certainty,
    comparison,
    direction,
    frequency,
    negation,
    population,
    quantities,
    routes,
    sequence,
)
from models.nuggets.evidence import Contrast

Check = Callable[[str, str], Contrast | None]

CHECKS: tuple[Check, ...] = (
    comparison.check,
    direction.check,
    negation.check,
    quantities.check,
    frequency.check,
    population.check,
    sequence.check,
    routes.check,
    antonyms.check,
    certainty.check,
)


def contrasts(nugget: str, claim: str) -> tuple[Contrast, ...]:
    """Run every check on (nugget, claim) and return what fired, contradictions first."""
    fired = [found for check in CHECKS if (found := check(nugget, claim)) is not None]
    return tuple(sorted(fired, key=lambda found: found.severity != "contradiction"))
