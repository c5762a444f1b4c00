import itertools

import numpy as np

from medassay.models.nuggets.evidence import ClaimText, MatchResult, MatchSettings
from medassay.models.nuggets.matching import match
from medassay.models.records import PairVerdict

COSINE = MatchSettings(matcher="cosine")
NUGGETS = ["n1", "n2", "n3", "n4", "n5"]
CLAIMS = [ClaimText(0, "c1"), ClaimText(1, "c2"), ClaimText(2, "c3")]
WORKED = np.array([[0.85, 0.5, 0.4, 0.78, 0.1], [0.2, 0.8, 0.1, 0.1, 0.6], [0.6, 0.5, 0.5, 0.2, 0.1]])
TURNED = PairVerdict(0.05, 0.05, 0.9)


def ratios(result: MatchResult) -> dict[str, tuple[int, int]]:
    aligned = sum(row.state in ("covered", "contradicted") for row in result.nuggets)
    correct = sum(row.one_to_one is not None for row in result.nuggets)
    claims = sum(row.state != "non_claim" for row in result.claims)
    return {
        "completeness": (aligned, len(result.nuggets)),
        "correctness": (correct, aligned),
        "precision": (correct, claims),
        "recall": (correct, len(result.nuggets)),
    }


def test_the_worked_example_as_numbers() -> None:
    result = match(CLAIMS, NUGGETS, WORKED, {}, COSINE)
    assert ratios(result) == {
        "completeness": (3, 5),
        "correctness": (2, 3),
        "precision": (2, 3),
        "recall": (2, 5),
    }
    assert [row.state for row in result.nuggets] == ["covered", "covered", "missing", "covered", "missing"]
    assert [row.one_to_one for row in result.nuggets] == [0, 1, None, None, None]
    assert [row.state for row in result.claims] == ["correct", "correct", "unmatched"]


def test_order_changes_no_state() -> None:
    similarity = np.array([[0.9, 0.9, 0.9], [0.9, 0.9, 0.2], [0.76, 0.9, 0.9]])
    nuggets = ["b", "a", "c"]
    claims = [ClaimText(5, "same"), ClaimText(6, "same"), ClaimText(7, "other")]
    entailment = {("other", "c"): TURNED}
    seen = set()
    for rows in itertools.permutations(range(3)):
        for columns in itertools.permutations(range(3)):
            result = match(
                [claims[row] for row in rows],
                [nuggets[column] for column in columns],
                similarity[np.ix_(rows, columns)],
                entailment,
                COSINE,
            )
            states = {nuggets[columns[row.position]]: (row.state, row.one_to_one) for row in result.nuggets}
            of_claims = {row.position: row.state for row in result.claims}
            seen.add((tuple(sorted(states.items())), tuple(sorted(of_claims.items()))))
    assert len(seen) == 1


def test_more_matches_beat_a_higher_sum() -> None:
    similarity = np.array([[0.99, 0.76], [0.76, 0.1]])
    result = match([ClaimText(0, "x"), ClaimText(1, "y")], ["p", "q"], similarity, {}, COSINE)
    assert [row.one_to_one for row in result.nuggets] == [1, 0]


def test_pairs_under_the_threshold_never_match() -> None:
    similarity = np.array([[0.749, 0.2], [0.74, 0.3]])
    result = match([ClaimText(0, "x"), ClaimText(1, "y")], ["p", "q"], similarity, {}, COSINE)
    assert [(row.state, row.score, row.runner_up, row.margin) for row in result.nuggets] == [
        ("missing", 0.749, 1, 0.009),
        ("missing", 0.3, 0, 0.1),
    ]
    assert [row.state for row in result.claims] == ["unmatched", "unmatched"]


def test_contradicted_goes_before_covered_and_is_a_conflict() -> None:
    claims = [ClaimText(0, "it rises"), ClaimText(1, "it falls")]
    entailment = {("it falls", "it goes up"): TURNED}
    result = match(claims, ["it goes up"], np.array([[0.91], [0.93]]), entailment, COSINE)
    (nugget,) = result.nuggets
    assert (nugget.state, nugget.conflict, nugget.claim_positions, nugget.one_to_one) == (
        "contradicted",
        True,
        (1,),
        None,
    )
    assert [row.state for row in result.claims] == ["correct", "contradicts"]
    assert nugget.reason == "the reader reads a contradiction (0.90)"


def test_a_non_claim_never_matches() -> None:
    claims = [ClaimText(0, "hello", "non_claim"), ClaimText(1, "x")]
    result = match(claims, ["p"], np.array([[0.99], [0.2]]), {}, COSINE)
    assert [row.state for row in result.claims] == ["non_claim", "unmatched"]
    assert [(row.state, row.score, row.runner_up) for row in result.nuggets] == [("missing", 0.2, None)]


def test_an_empty_answer_leaves_every_nugget_missing_with_the_reason() -> None:
    result = match([], ["p", "q"], np.zeros((0, 2)), {}, COSINE)
    assert [(row.state, row.score, row.reason) for row in result.nuggets] == [
        ("missing", None, "the answer makes no claim"),
        ("missing", None, "the answer makes no claim"),
    ]
    assert result.claims == ()


def test_a_coin_flip_is_said() -> None:
    result = match([ClaimText(0, "x")], ["p", "q", "r"], np.array([[0.9, 0.87, 0.8]]), {}, COSINE)
    assert result.claims[0].potentially_matched == (1,)
    assert [row.ambiguous for row in result.nuggets] == [False, True, False]


def test_duplicating_a_claim_adds_no_correct_match() -> None:
    claims = [*CLAIMS, ClaimText(3, "c1")]
    result = match(claims, NUGGETS[:1], np.vstack([WORKED, WORKED[:1]])[:, :1], {}, COSINE)
    assert ratios(result)["precision"] == (1, 4)
