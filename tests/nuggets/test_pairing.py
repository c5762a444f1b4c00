import numpy as np

from medassay.models.nuggets.evidence import ClaimText, EntailRequest, MatchSettings
from medassay.models.nuggets.matching import most_pairs_a_nugget, pairs_to_entail

COSINE = MatchSettings(matcher="cosine")
CLAIMS = [ClaimText(0, "a"), ClaimText(1, "hello", "non_claim"), ClaimText(2, "b"), ClaimText(3, "c")]


def test_the_plain_rule_asks_only_about_what_it_aligns() -> None:
    similarity = np.array([[0.74], [0.99], [0.8], [0.76]])
    assert pairs_to_entail(CLAIMS, ["n"], similarity, COSINE) == [
        EntailRequest("b", "n", 2, (2,), 0),
        EntailRequest("c", "n", 3, (3,), 0),
    ]


def test_the_plain_rule_asks_about_few_and_leaves_no_claim_unread() -> None:
    claims = [ClaimText(position, f"claim {position}") for position in range(50)]
    similarity = np.full((50, 10), 0.8) + np.linspace(0, 0.1, 50)[:, None]
    similarity[:, 3] += 0.05
    requests = pairs_to_entail(claims, [f"nugget {n}" for n in range(10)], similarity, COSINE)
    assert {request.claim_position for request in requests} == set(range(50))
    assert len(requests) == 9 * most_pairs_a_nugget(COSINE) + 50


def test_equal_texts_are_asked_once() -> None:
    claims = [ClaimText(0, "same"), ClaimText(2, "same")]
    assert pairs_to_entail(claims, ["n", "n"], np.full((2, 2), 0.9), COSINE) == [
        EntailRequest("same", "n", 0, (0,), 0),
    ]
