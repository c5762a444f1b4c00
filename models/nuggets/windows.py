"""A claim with its neighbours: a nugget may be spread over two sentences."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.evidence import ClaimText

if TYPE_CHECKING:
    import numpy as np


WIDE = 2  # claims either side in which a nugget's words are looked for
LED = 10  # claims that a heading or an introducing line is read with
BEFORE = 2  # claims back to which a pronoun may point


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


def wide_texts(position: int, claims: Mapping[int, ClaimText]) -> tuple[str, ...]:
    """Return the claims up to `WIDE` places before and after a claim, one text each, without the claim itself."""
    return tuple(
        claims[place].text
        for place in range(position - WIDE, position + WIDE + 1)
        if place != position and place in claims and claims[place].kind == "claim"
    )


def lead_text(position: int, claims: Mapping[int, ClaimText]) -> str:
    """Return the heading or the line that introduces what stands at a position; empty where there is none."""
    for place in range(position - 1, position - 1 - LED, -1):
        if place in claims and claims[place].leads:
            return claims[place].text
    return ""


def text_before(position: int, claims: Mapping[int, ClaimText]) -> str:
    """Return what was said just before a claim, `BEFORE` places far, headings and non-claims included."""
    return " ".join(claims[place].text for place in range(position - BEFORE, position) if place in claims)


def window_vectors(claims: Sequence[ClaimText], vectors: "np.ndarray") -> "np.ndarray":
    """Embed every claim's window at no cost: the normalised sum of the vectors of its claims.

    Args:
        claims: the answer's claims.
        vectors: their embeddings, shape (n_claims, d), rows of length 1.
    """
    import numpy as np

    known = by_position(claims)
    row_of = {claim.position: row for row, claim in enumerate(claims)}
    summed = np.zeros_like(vectors)
    for claim in claims:
        rows = [row_of[position] for position in window_of(claim.position, known)]
        summed[row_of[claim.position]] = vectors[rows].sum(axis=0)
    lengths = np.linalg.norm(summed, axis=1, keepdims=True)
    scaled: np.ndarray = np.divide(summed, lengths, out=np.zeros_like(summed), where=lengths > 0)
    return scaled
