"""Claims against nuggets: what an answer covers, leaves out and turns around."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from medassay.models.nuggets.by_reader import judge_by_reader
from medassay.models.nuggets.combination import Fit, frame_of, judge_by_combination, packaged_fit, told
from medassay.models.nuggets.evidence import ClaimText, Entailment, MatchResult, MatchSettings, PairJudgement
from medassay.models.nuggets.judging import Pair, judge_by_cosine
from medassay.models.nuggets.pairing import check_shape
from medassay.models.nuggets.states import decide
from medassay.models.nuggets.windows import (
    WIDE,
    by_position,
    lead_text,
    text_before,
    wide_texts,
    window_of,
    window_text,
)

if TYPE_CHECKING:
    import numpy as np

DEFAULTS = MatchSettings()
AROUND = tuple(step for step in range(-WIDE, WIDE + 1) if step)
AT_LEAST = 4
"""Pairs judged a nugget however low their cosine: the best claims and the runner-up are always known."""

FLOOR = 0.5
"""Every pair at or above this cosine is judged, so that no claim is called unmatched for want of a look."""


def match(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings = DEFAULTS,
    question: str = "",
    window_similarity: "np.ndarray | None" = None,
    fit: Fit | None = None,
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
        question: what was asked; its words tell claims and nuggets apart little, so they weigh little.
        window_similarity: cosines of `window_vectors` with the nuggets, of the same shape; may be absent.
        fit: coefficients of the combined matcher; those of the package unless given.

    Raises:
        ValueError: for a wrong shape, or two claims at one position.
    """
    if settings.matcher == "reader":
        check_shape(claims, nuggets, similarity)
        judgements = judge_by_reader(claims, nuggets, similarity, entailment, settings)
    else:
        pairs = candidates(claims, nuggets, similarity, window_similarity, min(FLOOR, settings.threshold))
        judgements = judge(with_own_windows(pairs), pairs, entailment, settings, question, fit)
    of_nuggets, of_claims = decide(claims, nuggets, judgements, settings)
    assert [row.position for row in of_nuggets] == list(range(len(nuggets)))
    assert [row.position for row in of_claims] == [claim.position for claim in claims]
    return MatchResult(of_nuggets, of_claims, settings)


def judge(
    pairs: Sequence[Pair],
    in_place: Sequence[Pair],
    entailment: Entailment,
    settings: MatchSettings,
    question: str,
    fit: Fit | None,
) -> list[PairJudgement]:
    """Judge every pair with the matcher of the settings; `in_place` are the same pairs with all their windows."""
    if settings.matcher == "cosine":
        return [judge_by_cosine(pair, entailment, settings) for pair in pairs]
    fitted = fit or packaged_fit()
    read = {pair.nugget_position for pair in pairs if (pair.claim, pair.nugget) in entailment}
    return [
        judge_by_combination(
            pair, whole, entailment, settings, question, pair.nugget_position in read, fitted
        )
        for pair, whole in zip(pairs, in_place, strict=True)
    ]


def with_own_windows(pairs: Sequence[Pair]) -> list[Pair]:
    """Leave the window to the claim that says most of the nugget in it; its neighbours stand for themselves."""
    own = {(pair.claim_position, pair.nugget_position): told(pair) for pair in pairs}
    kept = []
    for pair in pairs:
        mine = own[pair.claim_position, pair.nugget_position]
        neighbours = [own.get((pair.claim_position + step, pair.nugget_position)) for step in AROUND]
        if any(other is not None and other > mine for other in neighbours):
            pair = replace(pair, window=pair.claim, window_cosine=pair.cosine, wide=())
        kept.append(pair)
    return kept


def candidates(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    window_similarity: "np.ndarray | None" = None,
    floor: float = FLOOR,
) -> list[Pair]:
    """Return the pairs worth judging: the nearest claims of each nugget, and all at or above the floor."""
    import numpy as np

    check_shape(claims, nuggets, similarity)
    known = by_position(claims)
    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return []
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    around = cosines
    if window_similarity is not None:
        check_shape(claims, nuggets, window_similarity)
        around = np.round(np.asarray(window_similarity, dtype=np.float64)[rows], 6)
    windows = [window_text(window_of(claims[index].position, known), known) for index in rows]
    wide = [wide_texts(claims[index].position, known) for index in rows]
    before = [text_before(claims[index].position, known) for index in rows]
    leads = [lead_text(claims[index].position, known) for index in rows]
    pairs = []
    frame = frame_of(nuggets)
    for position, nugget in enumerate(nuggets):
        nearness = np.maximum(cosines[:, position], around[:, position])
        lowest = min(floor, float(np.sort(nearness)[-min(AT_LEAST, len(rows))]))
        for row in np.flatnonzero(nearness >= lowest).tolist():
            claim, cosine = claims[rows[row]], float(cosines[row, position])
            pairs.append(
                Pair(
                    claim.position,
                    position,
                    claim.text,
                    nugget,
                    windows[row],
                    cosine,
                    float(around[row, position]),
                    wide[row],
                    before[row],
                    frame,
                    leads[row],
                )
            )
    return pairs
