"""From judged pairs to states of nuggets and claims, in a fixed precedence, with the one-to-one assignment."""

from collections.abc import Mapping, Sequence

from medassay.models.nuggets.evidence import ClaimMatch, ClaimText, MatchSettings, NuggetMatch, PairJudgement
from medassay.models.records import ClaimStateName

NO_CLAIM = "the answer makes no claim"


def align(
    eligible: Mapping[tuple[int, int], float], claim_keys: Mapping[int, str], nugget_keys: Sequence[str]
) -> dict[int, int]:
    """Pair nuggets with claims: most pairs first, then the highest summed score, then key order.

    Pairs under the threshold must be gone already: an assignment over all pairs would let a weak pair
    push out a good one. Each nugget may stay unpaired at no cost.

    Args:
        eligible: (claim position, nugget position) → score in 0–1, the pairs that may be matched.
        claim_keys: what orders the claims when scores tie: their texts, by position.
        nugget_keys: the same for nuggets.

    Returns:
        nugget position → claim position.
    """
    if not eligible:
        return {}
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    claims = sorted({claim for claim, _ in eligible}, key=lambda index: (claim_keys[index], index))
    nuggets = sorted({nugget for _, nugget in eligible}, key=lambda index: (nugget_keys[index], index))
    row_of = {nugget: row for row, nugget in enumerate(nuggets)}
    column_of = {claim: column for column, claim in enumerate(claims)}
    one_more_pair = float(len(nuggets) + 1)  # outweighs any sum of scores
    gain = np.full((len(nuggets), len(claims) + len(nuggets)), -one_more_pair * len(nuggets))
    gain[:, len(claims) :] = 0.0
    for (claim, nugget), score in eligible.items():
        gain[row_of[nugget], column_of[claim]] = one_more_pair + score
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return {
        nuggets[row]: claims[column]
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if column < len(claims)
    }


def decide(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    judgements: Sequence[PairJudgement],
    settings: MatchSettings,
) -> tuple[tuple[NuggetMatch, ...], tuple[ClaimMatch, ...]]:
    """Turn pair judgements into states.

    Nugget: contradicted > covered > partial > missing. Claim: contradicts > correct > unmatched; it is
    correct when it covers any nugget, while only one-to-one matches count as correct matches. Those
    pair a nugget that nobody contradicts with a claim that contradicts nothing.
    """
    texts = {claim.position: claim.text for claim in claims}
    of_nugget: dict[int, list[PairJudgement]] = {position: [] for position in range(len(nuggets))}
    of_claim: dict[int, list[PairJudgement]] = {claim.position: [] for claim in claims}
    for judged in judgements:
        of_nugget[judged.nugget_position].append(judged)
        of_claim[judged.claim_position].append(judged)
    for rows in of_nugget.values():
        rows.sort(key=lambda row: (-row.score, texts[row.claim_position], row.claim_position))
    for rows in of_claim.values():
        rows.sort(key=lambda row: (-row.score, nuggets[row.nugget_position], row.nugget_position))
    one_to_one = matched(of_nugget, of_claim, texts, nuggets)
    claim_matches = tuple(claim_match(claim, of_claim[claim.position], settings) for claim in claims)
    doubtful = {position for claim in claim_matches for position in claim.potentially_matched}
    nugget_matches = tuple(
        nugget_match(position, of_nugget[position], one_to_one.get(position), position in doubtful)
        for position in range(len(nuggets))
    )
    return nugget_matches, claim_matches


def matched(
    of_nugget: Mapping[int, Sequence[PairJudgement]],
    of_claim: Mapping[int, Sequence[PairJudgement]],
    texts: Mapping[int, str],
    nuggets: Sequence[str],
) -> dict[int, int]:
    """Assign claims to nuggets one to one among the pairs that may be a correct match."""
    eligible = {
        (judged.claim_position, judged.nugget_position): judged.score
        for rows in of_nugget.values()
        if not any(row.relation == "contradicted" for row in rows)
        for judged in rows
        if judged.relation == "covered"
        and not any(row.relation == "contradicted" for row in of_claim[judged.claim_position])
    }
    return align(eligible, texts, nuggets)


def nugget_match(
    position: int, rows: Sequence[PairJudgement], one_to_one: int | None, ambiguous: bool
) -> NuggetMatch:
    """Read one nugget's state off its judged pairs, best first."""
    if not rows:
        return NuggetMatch(
            position, "missing", None, None, None, (), None, conflict=False, ambiguous=False, reason=NO_CLAIM
        )
    relations = {row.relation for row in rows}
    deciding = next(
        (
            [row for row in rows if row.relation == relation]
            for relation in ("contradicted", "covered", "partial")
            if relation in relations
        ),
        [],
    )
    best = deciding[0] if deciding else rows[0]
    others = [row for row in rows if row is not best]
    return NuggetMatch(
        position=position,
        state="missing" if best.relation == "none" else best.relation,
        score=best.score,
        margin=round(best.score - others[0].score, 6) if others else None,
        runner_up=others[0].claim_position if others else None,
        claim_positions=tuple(row.claim_position for row in deciding),
        one_to_one=one_to_one,
        conflict={"contradicted", "covered"} <= relations,
        ambiguous=ambiguous,
        reason=best.reason,
    )


def claim_match(claim: ClaimText, rows: Sequence[PairJudgement], settings: MatchSettings) -> ClaimMatch:
    """Read one claim's state off its judged pairs, best first, and list the nuggets it fits as well."""
    if claim.kind == "non_claim":
        return ClaimMatch(claim.position, "non_claim", None, None)
    turned = [row for row in rows if row.relation == "contradicted"]
    aligned = [row for row in rows if row.relation in ("contradicted", "covered")]
    if not aligned:
        return ClaimMatch(claim.position, "unmatched", None, rows[0].score if rows else None)
    best = turned[0] if turned else aligned[0]
    near = tuple(
        sorted(
            row.nugget_position
            for row in aligned
            if row is not best and abs(best.score - row.score) < settings.margin
        )
    )
    state: ClaimStateName = "contradicts" if turned else "correct"
    return ClaimMatch(claim.position, state, best.nugget_position, best.score, near)
