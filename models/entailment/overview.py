"""What the rest of a passage says beside the sentence nearest to a claim: its end, its second nearest, its tenor."""

import math
from collections.abc import Sequence
from functools import lru_cache

from medassay.models.entailment.cues import Polarity, balance, read_polarity, words_of

N_OVERVIEW = 35
_SHARP = 4.0


@lru_cache(maxsize=8192)
def _sentence(text: str) -> tuple[Polarity, frozenset[str]]:
    return read_polarity(text), words_of(text)


def overview_cues(sentences: Sequence[str], claim: str) -> list[float]:
    """Read `N_OVERVIEW` signals of a claim against all sentences of a passage.

    A conclusion stands at the end and a finding is often said twice, so the last one, the last two, all and the
    second nearest are each read for direction and significance, and once all weighted by the words they share.
    """
    said, wanted = read_polarity(claim), words_of(claim)
    claims_same = min(1, said.same)
    direction = 0.0 if claims_same else said.direction()
    read = [_sentence(text) for text in sentences]
    found = [polarity for polarity, _ in read]
    shares = [len(wanted & words) / (len(wanted) or 1) for _, words in read]
    order = sorted(range(len(read)), key=lambda i: -shares[i])
    weights = [math.exp(_SHARP * share) for share in shares]
    whole = sum(weights)
    tenor = sum(w * p.direction() for w, p in zip(weights, found, strict=True)) / whole
    null = sum(w * p.null() for w, p in zip(weights, found, strict=True)) / whole
    second = found[order[1] : order[1] + 1] if len(order) > 1 else []
    return [
        *(
            value
            for some in (found[-1:], found[-2:], found, second)
            for value in _tenor(some, claims_same, direction)
        ),
        shares[-1],
        shares[0],
        order[0] / len(read),
        math.log(len(read)),
        shares[order[1]] if second else 0.0,
        math.log1p(found[-1].negated),
        tenor,
        tenor * direction,
        null,
        null * claims_same,
        null * (1 - claims_same),
    ]


def _tenor(some: Sequence[Polarity], claims_same: int, direction: float) -> list[float]:
    same = sum(p.same + p.p_large for p in some)
    significant = sum(p.significant + p.p_small for p in some)
    up, down = sum(p.up for p in some), sum(p.down for p in some)
    null, way = balance(same, significant), (up - down) / (up + down + 1)
    return [null, null * claims_same, way, way * direction, math.log1p(same), math.log1p(significant)]
