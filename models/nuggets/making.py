"""Nuggets from a reference answer by rule: one fact each, each said once, each tied to its place."""

import re
from collections.abc import Iterable

from models.nuggets.contrast import contrasts
from models.nuggets.evidence import MadeNugget
from models.nuggets.words import keys, share, words
from models.records import Answer, Importance
from models.text.claims import decompose

NEAR_DUPLICATE = 0.9
"""Share of each nugget's telling words found in the other from which two nuggets say the same."""

BESIDES = re.compile(
    r"^(?:also|additionally|in addition|"
    r"furthermore|moreover|besides|for example|for instance|e\.g\.|note that|interestingly|incidentally"
    r"|historically|some (?:people|patients|studies)|other\b)|\balso known as\b"
    r"|\bbrand names?\b|\bavailable (?:over|as|without)\b|\bmay also\b",
    re.IGNORECASE,
)
FEWEST_WORDS = 3


def nuggets_from_reference(text: str) -> list[MadeNugget]:
    """Make nuggets from a reference answer, in its order.

    Its claims, as answers are split into claims; greetings, questions, headings and fragments are none. Of two that
    say the same the first stays. What is said besides ("also", "for example", brand names) is okay, the rest vital.
    Spans are offsets into `text`.
    """
    claims = decompose(Answer("reference", "reference", text), "").claims
    return deduplicated(
        MadeNugget(claim.text, importance_of(claim.text), claim.start, claim.end)
        for claim in claims
        if claim.kind == "claim" and sum(word.weight > 0 for word in words(claim.text)) >= FEWEST_WORDS
    )


def importance_of(fact: str) -> Importance:
    """Grade a fact by how it is introduced."""
    return "okay" if BESIDES.search(fact) else "vital"


def deduplicated(nuggets: Iterable[MadeNugget]) -> list[MadeNugget]:
    """Keep the first of those that say the same; nuggets that contrast with each other both stay."""
    kept: list[MadeNugget] = []
    for nugget in nuggets:
        if not any(says_the_same(nugget.text, other.text) for other in kept):
            kept.append(nugget)
    return kept


def says_the_same(left: str, right: str) -> bool:
    """Tell whether two facts share nearly all their telling words and no check tells them apart."""
    mine, theirs = keys(words(left)), keys(words(right))
    if mine != theirs:
        if min(share(mine, theirs) or 0.0, share(theirs, mine) or 0.0) < NEAR_DUPLICATE:
            return False
    return not contrasts(left, right)
