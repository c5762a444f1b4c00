"""Claims against nuggets: what an answer covers, leaves out and turns around."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.by_cosine import judge_by_cosine
from medassay.models.nuggets.by_reader import judge_by_reader
from medassay.models.nuggets.evidence import ClaimText, Entailment, MatchResult, MatchSettings
from medassay.models.nuggets.pairing import check_shape
from medassay.models.nuggets.states import decide

if TYPE_CHECKING:
    import numpy as np

DEFAULTS = MatchSettings()


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
    judge = judge_by_reader if settings.matcher == "reader" else judge_by_cosine
    judgements = judge(claims, nuggets, similarity, entailment, settings)
    of_nuggets, of_claims = decide(claims, nuggets, judgements, settings)
    assert [row.position for row in of_nuggets] == list(range(len(nuggets)))
    assert [row.position for row in of_claims] == [claim.position for claim in claims]
    return MatchResult(of_nuggets, of_claims, settings)
