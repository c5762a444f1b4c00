"""Claims by their positions, and the line that introduces them."""

from collections.abc import Mapping, Sequence

from medassay.models.nuggets.evidence import ClaimText

LED = 10  # claims that a heading or an introducing line is read with


def by_position(claims: Sequence[ClaimText]) -> dict[int, ClaimText]:
    """Index claims by position.

    Raises:
        ValueError: for a position given twice, since a verdict would then belong to two claims.
    """
    found = {claim.position: claim for claim in claims}
    if len(found) != len(claims):
        raise ValueError("two claims share a position; give each claim of an answer its own")
    return found


def lead_text(position: int, claims: Mapping[int, ClaimText]) -> str:
    """Return the heading or the line that introduces what stands at a position; empty where there is none."""
    for place in range(position - 1, position - 1 - LED, -1):
        if place in claims and claims[place].leads:
            return claims[place].text
    return ""
