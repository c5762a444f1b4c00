"""The plain rule: a cosine at the threshold aligns, the reader says whether the claim turns the nugget around.

What everybody ships, kept as the baseline, and what decides where nothing reads.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.evidence import (
    ClaimText,
    Entailment,
    EntailRequest,
    MatchSettings,
    PairJudgement,
)

if TYPE_CHECKING:
    import numpy as np

AT_LEAST = 4
"""Pairs judged a nugget however low their cosine: the best claims and the runner-up are always known."""

FLOOR = 0.5
"""Every pair at or above this cosine is judged, so that no claim is called unmatched for want of a look."""


def judge_by_cosine(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings,
) -> list[PairJudgement]:
    """Judge the nearest claims of each nugget, and all at or above `FLOOR`, by their cosine."""
    import numpy as np

    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return []
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    found = []
    for position, nugget in enumerate(nuggets):
        column = cosines[:, position]
        lowest = min(FLOOR, settings.threshold, float(np.sort(column)[-min(AT_LEAST, len(rows))]))
        for row in np.flatnonzero(column >= lowest).tolist():
            claim = claims[rows[row]]
            found.append(_judged(claim, position, nugget, float(column[row]), entailment, settings))
    return found


def _judged(
    claim: ClaimText,
    position: int,
    nugget: str,
    cosine: float,
    entailment: Entailment,
    settings: MatchSettings,
) -> PairJudgement:
    where = (claim.position, position, cosine)
    if cosine < settings.threshold:
        return PairJudgement(*where, "none", f"cosine {cosine:.2f} is under {settings.threshold:.2f}")
    verdict = entailment.get((claim.text, nugget))
    turned = verdict.contradiction if verdict else None
    if turned is not None and turned >= settings.contradiction_cutoff:
        return PairJudgement(*where, "contradicted", f"the reader reads a contradiction ({turned:.2f})")
    return PairJudgement(*where, "covered", f"cosine {cosine:.2f} reaches {settings.threshold:.2f}")


def pairs_at_threshold(
    claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray", settings: MatchSettings
) -> list[EntailRequest]:
    """List the (claim, nugget) pairs that reach the threshold, of each nugget the `shortlist_size` nearest.

    And of each claim its nearest nugget, so that no claim goes unread.
    """
    import numpy as np

    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return []
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    best_of_claim = cosines.max(axis=1)
    found: dict[tuple[str, str], EntailRequest] = {}
    for position, nugget in enumerate(nuggets):
        column = cosines[:, position]
        reach = np.flatnonzero(column >= settings.threshold).tolist()
        ranked = sorted(reach, key=lambda row: (-column[row], claims[rows[row]].text, rows[row]))
        for rank, row in enumerate(ranked):
            claim = claims[rows[row]]
            if rank < settings.shortlist_size or column[row] == best_of_claim[row]:
                found.setdefault(
                    (claim.text, nugget),
                    EntailRequest(claim.text, nugget, claim.position, (claim.position,), position),
                )
    return list(found.values())
