"""One claim for one nugget: the Hungarian assignment with a real null option."""

from collections.abc import Mapping, Sequence


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
