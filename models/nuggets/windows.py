"""A claim with its neighbours: a nugget may be spread over two sentences."""

from collections.abc import Mapping, Sequence

from models.nuggets.evidence import ClaimText


def by_position(claims: Sequence[ClaimText]) -> dict[int, ClaimText]:
    """Index claims by position.

    Raises:
        ValueError: for a position given twice, since a verdict would then belong to two claims.
    """
    found = {claim.position: claim for claim in claims}
    if len(found) != len(claims):
        raise ValueError("two claims share a position; give each claim of an answer its own")
    return found


def window_of(position: int, claims: Mapping[int, ClaimText]) -> tuple[int, ...]:
    """Positions of the claim and of its neighbours that assert something, in order."""
    around = (position - 1, position, position + 1)
    return tuple(p for p in around if p == position or (p in claims and claims[p].kind == "claim"))


def window_text(window: Sequence[int], claims: Mapping[int, ClaimText]) -> str:
    """Join a window's claims to one premise; the same words whoever asks, as verdicts are keyed by text."""
    return " ".join(claims[position].text.strip() for position in window)
