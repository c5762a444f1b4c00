from dataclasses import replace
from typing import Any

from medassay.models.report import ReportData, render
from medassay.models.report.judges import DriftLine, drift, drift_warnings

ROW: dict[str, Any] = {
    "anchor_run_id": "r0", "judge": "big", "sub_metric": "safety", "n_answers": 16, "n_unscored": 0,
    "before": 72.44, "now": 54.44, "difference": -18.0, "low": -20.04, "high": -16.0, "drifted": True,
    "model_before": "big-2026-11", "model_now": "big-2026-12", "reason": None,
}  # fmt: skip
HOLDS = {
    **ROW, "sub_metric": "evidence_sufficiency_raw", "difference": 0.02, "low": -1.0, "high": 1.0, "drifted": False
}  # fmt: skip
NOTHING = dict.fromkeys(("before", "now", "difference", "low", "high", "model_before", "model_now"))


def test_a_judge_that_drifted_is_named_first_and_in_numbers() -> None:
    data = ReportData(judge_drift=(ROW, HOLDS))
    found = drift(data)
    assert found is not None
    assert found.lead == (
        "Answers of the frozen run r0, marked again with the same words."
        " big-2026-11 answered then, big-2026-12 answers now."
    )
    assert found.lines == (
        DriftLine("big", "safety", 72.44, 54.44, -18.0, "−20.0 to −16.0", 16, "drifted"),
        DriftLine("big", "evidence sufficiency", 72.44, 54.44, 0.02, "−1.0 to +1.0", 16, "holds"),
    )
    assert drift_warnings(data) == [
        "The judge has drifted: on 16 frozen answers of run r0, big now gives other marks than then (safety −18.0;"
        " points of 100). Rubric scores of runs before are not to be held against this run's."
    ]


def test_a_judge_that_holds_warns_of_nothing_and_what_was_not_measured_says_why() -> None:
    absent = {**HOLDS, **NOTHING, "n_answers": 0, "reason": "no answer was marked again"}
    found = drift(ReportData(judge_drift=(absent,)))
    assert found is not None
    assert [(line.interval, line.verdict) for line in found.lines] == [("", "no answer was marked again")]
    assert drift_warnings(ReportData(judge_drift=(HOLDS, absent))) == []
    assert drift(ReportData()) is None


def test_the_judges_page_shows_it(report: ReportData) -> None:
    stability = {
        "judge": "big", "n_judges": 1, "n_samples": 1, "n_answers": 9, "n_scored": 9, "aggregation": "one",
    }  # fmt: skip
    page = render(replace(report, judge_drift=(ROW, HOLDS), judge_stability=(stability,)))
    assert "Does the judge give the marks that it gave before?" in page
    assert "The judge has drifted" in page
    assert "Does the judge give the marks" not in render(report)
