"""Contrasts that cosine cannot see; each check is its own small function with the reason it fires.

A check fires only when the two sentences speak of the same thing: the words around the contrast must be
found on both sides.
"""

from typing import Protocol

from medassay.models.nuggets.contrast import (
    antonyms,
    certainty,
    comparison,
    direction,
    findings,
    frequency,
    negation,
    population,
    quantities,
    routes,
    sequence,
)
from medassay.models.nuggets.evidence import Contrast


class Check(Protocol):
    """Hold a nugget and a claim against each other; `before` is what the claim may lean on."""

    def __call__(self, nugget: str, claim: str, before: str = "") -> Contrast | None: ...  # noqa: D102


CHECKS: tuple[Check, ...] = (
    comparison.check,
    direction.check,
    negation.check,
    quantities.check_amounts,
    frequency.check,
    population.check,
    sequence.check,
    routes.check,
    antonyms.check,
    findings.check,
    certainty.check,
)


def contrasts(nugget: str, claim: str, before: str = "") -> tuple[Contrast, ...]:
    """Run every check on (nugget, claim) and return what fired, contradictions first.

    Args:
        nugget: the nugget's text.
        claim: the claim's text.
        before: the question and what the answer said just before, for claims that lean on it.
    """
    fired = [found for check in CHECKS if (found := check(nugget, claim, before)) is not None]
    return tuple(sorted(fired, key=lambda found: found.severity != "contradiction"))
