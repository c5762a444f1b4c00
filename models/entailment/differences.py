"""Where a claim parts from the sentence nearest to it: contrasts by kind, opposites, words on one side only."""

import math
import re
from collections.abc import Sequence

from medassay.models.entailment.training.turns import OPPOSITE
from medassay.models.nuggets.contrast import (
    Check,
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

READ_CHECKS: tuple[Check, ...] = (
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
"""The nuggets' checks that the weights were fitted to, in their order; a new one there needs new weights here."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_HEDGE = re.compile(
    r"\bmay\b|\bmight\b|\bcould\b|\bsuggest|\bpossibl|\bpotential|\blikely|\bunclear|\bunknown|\bremain", re.I
)


def contrast_cues(nearest: str, claim: str) -> list[float]:
    """Read which of the nuggets' contrast checks fire, as contradiction and as less, and how many."""
    fired = [check(nearest, claim) for check in READ_CHECKS]
    turned = [float(found is not None and found.severity == "contradiction") for found in fired]
    partial = [float(found is not None and found.severity != "contradiction") for found in fired]
    both = [value for two in zip(turned, partial, strict=True) for value in two]
    return [*both, max(turned), sum(turned), max(partial)]


def turns_around(sentence: str, claim: str) -> bool:
    """Say whether a contrast check takes a sentence for the opposite of a claim."""
    found = (check(sentence, claim) for check in READ_CHECKS)
    return any(contrast is not None and contrast.severity == "contradiction" for contrast in found)


def difference_cues(
    nearest: str, sentences: Sequence[str], claim: str, alike: float, negations: int
) -> list[float]:
    """Read opposites that face each other and words that stand on one side only.

    `alike` is the share of the claim's content words in the nearest sentence; `negations` is +1 where only the claim
    negates, -1 where only the sentence does; it counts only between sentences that are nearly the same.
    """
    said = set(_WORD.findall(claim.lower()))
    near = set(_WORD.findall(nearest.lower()))
    window = set(_WORD.findall(" ".join(sentences).lower()))
    values = [
        *(len(facing(said, text)) for text in (near, window)),
        *(len([w for w in said & text if w in OPPOSITE]) for text in (near, window)),
        len(said - window),
        len(_HEDGE.findall(claim)),
    ]
    return [
        *map(math.log1p, values),
        len(said - near) / (len(said) or 1),
        len(near - said) / (len(near) or 1),
        float(negations) if alike > 0.6 else 0.0,
    ]


def facing(said: set[str], text: set[str]) -> set[str]:
    """Words of the claim whose opposite, but not they themselves, the text holds."""
    return {w for w in said - text if OPPOSITE.get(w) in text}
