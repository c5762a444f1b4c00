import numpy as np
import pytest

from medassay.models.nuggets.evidence import ClaimText, EntailRequest, MatchSettings, Role
from medassay.models.nuggets.pairing import most_pairs_a_nugget, pairs_to_entail

ALL: tuple[Role, ...] = ("forward", "reverse", "window")
CLAIMS = [ClaimText(0, "a"), ClaimText(1, "hello", "non_claim"), ClaimText(2, "b"), ClaimText(3, "c")]


def test_asks_forward_reverse_and_the_window_of_the_nearest() -> None:
    similarity = np.array([[0.2], [0.99], [0.8], [0.44]])
    assert pairs_to_entail(CLAIMS, ["n"], similarity, roles=ALL) == [
        EntailRequest("b", "n", "forward", 2, (2,), 0),
        EntailRequest("n", "b", "reverse", 2, (2,), 0),
        EntailRequest("b c", "n", "window", 2, (2, 3), 0),
    ]


def test_the_list_is_short_and_leaves_no_claim_unread() -> None:
    claims = [ClaimText(position, f"claim {position}") for position in range(50)]
    similarity = np.full((50, 10), 0.5) + np.linspace(0, 0.3, 50)[:, None]
    similarity[:, 3] += 0.1
    requests = pairs_to_entail(claims, [f"nugget {n}" for n in range(10)], similarity, roles=ALL)
    assert {request.claim_position for request in requests if request.role == "forward"} == set(range(50))
    assert len(requests) == 9 * (3 * 2 + 1) + 50 * 2 + 1


def test_equal_texts_are_asked_once() -> None:
    claims = [ClaimText(0, "same"), ClaimText(2, "same")]
    assert pairs_to_entail(claims, ["n", "n"], np.full((2, 2), 0.9), roles=ALL) == [
        EntailRequest("same", "n", "forward", 0, (0,), 0),
        EntailRequest("n", "same", "reverse", 0, (0,), 0),
    ]


def test_nothing_to_ask() -> None:
    assert pairs_to_entail([], ["n"], np.zeros((0, 1))) == []
    assert pairs_to_entail(CLAIMS, [], np.zeros((4, 0))) == []


def test_the_plain_rule_asks_only_about_what_it_aligns() -> None:
    similarity = np.array([[0.74], [0.99], [0.8], [0.76]])
    assert pairs_to_entail(CLAIMS, ["n"], similarity, MatchSettings(matcher="cosine")) == [
        EntailRequest("b", "n", "forward", 2, (2,), 0),
        EntailRequest("c", "n", "forward", 3, (3,), 0),
    ]


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"similarity has shape \(1, 2\), claims × nuggets is \(4, 1\)"):
        pairs_to_entail(CLAIMS, ["n"], np.zeros((1, 2)))


def test_a_plan_counts_every_pair_of_a_short_list() -> None:
    assert most_pairs_a_nugget(MatchSettings(matcher="cosine")) == 3
    assert most_pairs_a_nugget(MatchSettings(matcher="combined")) == 7
    claims = [ClaimText(n, f"Claim {n}.") for n in range(5)]
    similarity = np.full((5, 1), 0.9) - np.arange(5)[:, None] / 100
    nearest_further_down = 2 * 2
    assert len(pairs_to_entail(claims, ["n"], similarity)) == most_pairs_a_nugget() + nearest_further_down
