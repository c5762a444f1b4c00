"""The report of a run with more questions than a page lists."""

from functools import partial
from pathlib import Path

import pytest

from medassay.models.report import ReportData, render
from medassay.models.report.calibrations import marks
from medassay.models.report.exclusions import left_out
from medassay.models.report.figures import state_bars
from medassay.models.report.overview import counts_of, headline, warnings_of
from medassay.sql.snapshot import read_results
from medassay.tasks.publish import rows_of
from tests.published_home import publish_runs

SYSTEMS = ["a", "b"]
STATES = {
    ("q1", "a"): ["covered", "missing"],
    ("q1", "b"): ["contradicted", "covered"],
    ("q2", "a"): ["contradicted", "covered"],
    ("q2", "b"): ["contradicted", "missing"],
    ("q3", "a"): ["covered", "covered"],
    ("q3", "b"): ["covered", "partial"],
}


def test_what_is_counted_is_that_of_all_questions_and_what_is_listed_of_the_most_contradicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_runs(tmp_path, {"one": STATES})
    read = partial(read_results, tmp_path)
    whole = ReportData(**rows_of(read, "one"))
    monkeypatch.setattr("medassay.tasks.publish.MOST_QUESTIONS", 1)
    large = ReportData(**rows_of(read, "one"))
    assert [row["question_id"] for row in large.questions] == ["q2"]
    assert {row["question_id"] for row in (*large.nugget_states, *large.claims, *large.answers)} == {"q2"}
    for told in (counts_of, state_bars):
        assert told(large, SYSTEMS) == told(whole, SYSTEMS)  # type: ignore[operator]
    for said in (headline, marks):
        assert said(large) == said(whole)  # type: ignore[operator]
    counted = [(item.kind, item.count, item.reason) for item in left_out(large)]
    assert counted == [(item.kind, item.count, item.reason) for item in left_out(whole)]
    assert [line for line in warnings_of(large) if line not in warnings_of(whole)] == [
        "This page lists 1 of 3 questions, those with the most contradicted nuggets. Lists, charts of single answers and"
        " the counts beside them are of these; means, intervals, tests, the numbers at the head, citations by state and"
        " what is left out are of all. The home of runs and the views have the others."
    ]
    assert "Details of 1 of 3 questions are carried in this file" in render(large)
