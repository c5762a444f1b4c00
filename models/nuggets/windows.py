"""Windows of an answer: the sentences that a nugget is read with, nearest in meaning first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.evidence import ClaimText, MatchSettings

if TYPE_CHECKING:
    import numpy as np

LED = 10  # claims that a heading or an introducing line is read with

WINDOW = 3
"""Sentences a window: on K-QA questions that nobody tuned on κ was .56 against .44 for whole answers."""


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


def windows_of(claims: Sequence[ClaimText]) -> dict[int, tuple[int, ...]]:
    """Return by claim position the positions of the sentences that it is read with, in order, its own among them.

    The claims that assert something in runs of three around each; of a shorter answer all.
    """
    asserted = sorted(claim.position for claim in claims if claim.kind == "claim")
    found = {}
    for place, position in enumerate(asserted):
        start = max(0, min(place - WINDOW // 2, len(asserted) - WINDOW))
        found[position] = tuple(asserted[start : start + WINDOW])
    return found


def passage_of(window: Sequence[int], claims: dict[int, ClaimText]) -> str:
    """Return a window's text, one claim a line, below the heading or the line that introduces its first claim."""
    lead = lead_text(window[0], claims).strip()
    lines = [claims[position].text.strip() for position in window]
    return "\n".join([lead, *lines] if lead and lead not in lines else lines)


def nearest_windows(
    claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray", settings: MatchSettings
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield (nugget position, claim position, window) of what is read, nearest first for every nugget.

    A nugget's `windows_a_nugget` nearest windows, each under its nearest claim; and every claim beside the nugget that
    it is nearest to, where it is as near as `shortlist_floor`.
    """
    import numpy as np

    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    windows = windows_of(claims)
    row_of = {claims[index].position: row for row, index in enumerate(rows)}
    nearest_nugget = cosines.argmax(axis=1)
    for position in range(len(nuggets)):
        column = cosines[:, position]
        ranked = sorted(range(len(rows)), key=lambda row: (-column[row], claims[rows[row]].text, row))
        n_taken = 0
        for row in ranked:
            claim = claims[rows[row]].position
            window = windows[claim]
            if claim != max(window, key=lambda place: (column[row_of[place]], -place)):
                continue  # the window's nearest claim stands for it
            is_its_nearest = nearest_nugget[row] == position and column[row] >= settings.shortlist_floor
            if n_taken < settings.windows_a_nugget or is_its_nearest:
                n_taken += 1
                yield position, claim, window
