"""Claims against nuggets: what an answer covers, leaves out and turns around."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from models.nuggets.evidence import (
    ClaimText,
    Entailment,
    MatchResult,
    MatchSettings,
)
from models.nuggets.judging import Pair, judge_by_cosine
from models.nuggets.pairing import check_shape
from models.nuggets.states import decide
from models.nuggets.windows import by_position, window_of, window_text

if TYPE_CHECKING:
    import numpy as np

DEFAULTS = MatchSettings()
AT_LEAST = 2  # pairs judged a nugget however low: the best claim and its runner-up are always known


def match(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings = DEFAULTS,
) -> MatchResult:
    """Give every nugget and every claim of one answer its state.

    The order of nuggets and of claims in the lists changes nothing: neighbours are found by position,
    ties are broken by text.

    Args:
        claims: the answer's claims; a non_claim never matches.
        nuggets: the nugget texts; a nugget's position is its index.
        similarity: cosines, shape (n_claims, n_nuggets).
        entailment: verdicts by (premise, hypothesis) as `pairs_to_entail` asked for them; may be empty.
        settings: matcher and cut-offs.

    Raises:
        ValueError: for a wrong shape, or two claims at one position.
    """
    check_shape(claims, nuggets, similarity)
    judgements = [
        judge_by_cosine(pair, entailment, settings) for pair in candidates(claims, nuggets, similarity)
    ]
    of_nuggets, of_claims = decide(claims, nuggets, judgements, settings)
    assert [row.position for row in of_nuggets] == list(range(len(nuggets)))
    assert [row.position for row in of_claims] == [claim.position for claim in claims]
    return MatchResult(of_nuggets, of_claims, settings)


def candidates(
    claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray", floor: float = 0.5
) -> list[Pair]:
    """Return the pairs worth judging: the nearest claims of each nugget, and all at or above the floor."""
    import numpy as np

    known = by_position(claims)
    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return []
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    windows = {index: window_text(window_of(claims[index].position, known), known) for index in rows}
    pairs = []
    for position, nugget in enumerate(nuggets):
        column = cosines[:, position]
        lowest = min(floor, float(np.partition(column, -min(AT_LEAST, len(rows)))[-min(AT_LEAST, len(rows))]))
        for row in np.flatnonzero(column >= lowest).tolist():
            claim = claims[rows[row]]
            pairs.append(
                Pair(claim.position, position, claim.text, nugget, windows[rows[row]], float(column[row]))
            )
    return pairs
