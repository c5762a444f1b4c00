from dataclasses import replace
from typing import Any

from medassay.models.report import ReportData, render
from medassay.models.report.calibrations import CalibratedLine, Calibrations, calibrations

ROW: dict[str, Any] = {
    "metric": "safety", "system": "b", "map": "isotonic", "n_answers": 100, "n_labels": 40, "raw": 59.1,
    "corrected": 4.876, "low": 4.5, "high": 5.254, "error": 0.31, "error_of_the_mean": 1.2, "skill": 0.934,
    "reason": None, "map_reason": None,
}  # fmt: skip
OF_ALL = {**ROW, "system": None, "n_answers": 1200, "n_labels": 40}
LACKS = {"corrected": None, "low": None, "high": None}
TOO_FEW = "0 labelled questions are too few to correct predictions"
ROWS = [OF_ALL, ROW, {**ROW, **LACKS, "system": "a", "n_labels": 0, "reason": TOO_FEW}]


def test_raw_and_corrected_means_stand_side_by_side_with_what_they_are_worth() -> None:
    assert calibrations(ReportData(calibrations=ROWS)) == Calibrations(
        (
            CalibratedLine("safety", "a", 100, 0, "59.10", "–", ""),
            CalibratedLine("safety", "b", 100, 40, "59.10", "4.88", "4.50 to 5.25"),
            CalibratedLine("safety", "all systems", 1200, 40, "59.10", "4.88", "4.50 to 5.25"),
        ),
        (
            "Safety: off by 0.31 on questions it was not fitted on (isotonic), 1.20 by always giving the mean;"
            " the map removes 93% of the squared error.",
            f"Safety, a: {TOO_FEW}.",
        ),
    )
    rubric = {**OF_ALL, "metric": "rubric_score", "skill": -0.25}
    both = calibrations(ReportData(calibrations=[*ROWS, rubric]))
    assert both is not None
    assert [line.metric for line in both.lines] == ["rubric score", "safety", "safety", "safety"]
    assert both.notes[0].endswith(
        "; the map is worse than that, its squared error 25% larger: take no single mark by it."
    )


def test_the_judges_page_shows_them_where_the_run_was_calibrated(report: ReportData) -> None:
    assert calibrations(ReportData()) is None
    stability = {
        "judge": "big", "n_judges": 1, "n_samples": 1, "n_answers": 9, "n_scored": 9, "aggregation": "one"
    }  # fmt: skip
    judged = replace(report, judge_stability=(stability,))
    assert "What people would give" not in render(judged)
    page = render(replace(judged, calibrations=ROWS))
    assert "What people would give" in page
    assert "4.88<small>4.50 to 5.25</small>" in page
