"""Why a dash stands in the leaderboard of the terminal."""

from flows.terminal import cautions, reasons


def test_every_dash_has_its_reason_once_with_the_systems_that_it_is_true_of() -> None:
    cites, claims = "the answer cites nothing (5); the answer makes no claim (3)", "the answer makes no claim"
    judge = "no judge was asked for (--judge none)"
    rows = [
        {"system": "alpha", "citation_precision_reason": cites, "rubric_score_reason": judge},
        {"system": "beta", "citation_precision": 0.4, "rubric_score_reason": judge},
        {"system": "gamma", "citation_precision_reason": claims, "rubric_score_reason": judge},
        {"system": "delta", "citation_precision_reason": claims, "rubric_score_reason": judge},
    ]
    assert reasons(rows) == [
        "citation precision of alpha: – the answer cites nothing (5); the answer makes no claim (3)",
        "citation precision of gamma, delta: – the answer makes no claim",
        "rubric score: – no judge was asked for (--judge none)",
    ]
    assert reasons([]) == []


def test_what_has_to_be_known_of_intervals_is_said_once_with_its_metrics() -> None:
    few = "only 7 questions: the interval assumes normality"
    rows = [
        {"system": "a", "nugget_coverage": 0.5, "nugget_coverage_reason": few, "rubric_score_reason": "no judge"},
        {"system": "b", "nugget_coverage": 0.4, "nugget_coverage_reason": few, "citation_recall": 0.0,
         "citation_recall_reason": few},
    ]  # fmt: skip
    assert cautions(rows) == [f"nugget coverage, citation recall: {few}"]
