"""What the means of the shown metrics leave out for the judge's or the world's sake, in a line."""

from typing import Any

from medassay.metrics import headings
from medassay.models.report.exclusions import gaps, gaps_of
from medassay.models.report.overview import warnings_of
from medassay.models.report.rows import ReportData

RUBRIC = ("rubric_score", "safety_capped_score")


def scores(metric: str, **n_scored: int) -> list[dict[str, Any]]:
    """Rows of `system_scores`: of 60 answers by each system, so many have a value."""
    return [
        {"metric": metric, "system": system, "n_asked": 60, "n_scored": n} for system, n in n_scored.items()
    ]


def lacking(metric: str, system: str, status: str, reason: str, n_answers: int) -> dict[str, Any]:
    return {
        "metric": metric, "system": system, "status": status, "reason": reason, "n_answers": n_answers
    }  # fmt: skip


def test_metrics_that_leave_out_the_same_share_a_line_with_the_most_frequent_reasons() -> None:
    rows = [
        lacking(metric, *rest)
        for metric in RUBRIC
        for rest in (
            ("a", "abstained", "the reply holds no JSON object", 20),
            ("b", "abstained", "the reply holds no JSON object", 4),
            ("b", "failed", "HTTP 500", 5),
        )
    ]
    means = [row for metric in RUBRIC for row in scores(metric, a=40, b=51)]
    assert gaps(means, rows, headings("terminal")) == [
        "rubric score, safety-capped score: 29 of 120 answers have no mark"
        " (24 abstained: the reply holds no JSON object; 5 failed: HTTP 500)"
    ]


def test_several_reasons_are_counted_the_rarest_together_and_one_systems_gap_names_it() -> None:
    why = (("the model refused", 3), ("it was cut\noff", 9), ("no safety", 2), ("junk", 1), ("empty", 1))
    rows = [lacking("nugget_coverage", "b", "abstained", reason, n) for reason, n in why]
    assert gaps(scores("nugget_coverage", a=60, b=44), rows, headings("terminal")) == [
        "nugget coverage: 16 of 120 answers have no value, all by b"
        " (16 abstained: 9 × it was cut off, 3 × the model refused, 2 × no safety, 2 × for other reasons)"
    ]


def test_the_report_says_it_among_what_has_to_be_read_first() -> None:
    data = ReportData(
        system_scores=scores("rubric_score", a=59),
        unscored=[lacking("rubric_score", "a", "failed", "x" * 200, 1)],
    )
    said = f"Rubric score: 1 of 60 answers has no mark (1 failed: {'x' * 159}…)"
    assert gaps_of(data) == [said]
    assert f"{said}." in warnings_of(data)
