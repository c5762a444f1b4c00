"""Answers side by side in a run, on a real server on loopback."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from medassay.models.settings import Settings
from medassay.tasks.judging.stability import UNBALANCED, freeze_comparison, stability
from medassay.tasks.notices import abstentions
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.progress import watched_by
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.listwise import listwise, prepare
from tests.rows import write_tables
from tests.runs import Told, read_in

QUALITY = {"Good.": 5, "Fair.": 3, "Poor.": 1}


def data(folder: Path, answers: dict[str, dict[str, str]]) -> str:
    questions = [{"question_id": q, "question": "What now?"} for q in answers]
    rows = [
        {"question_id": q, "system": system, "answer": text}
        for q, given in answers.items()
        for system, text in given.items()
    ]
    return str(write_tables(folder, questions=questions, answers=rows))


def fair(body: dict[str, Any]) -> str:
    """Give each doctor the points of the answer, and one more to the first: a liking for a place."""
    shown = re.findall(r"BEGIN \w+ Doctor (\d)\n\| (.*)\n", body["messages"][1]["content"])
    points = [f"Doctor {n}: {min(5, QUALITY[text] + (n == '1'))} points." for n, text in shown]
    return "Analyze: Step 1 They were read. Step 2 They were compared.\nScore: " + " ".join(points)


def compared(home: Path, settings: Settings) -> tuple[RunRef, dict[str, Any]]:
    with read_in(home, settings) as run:
        prepare(run)
        report = listwise.run(run)
        run.warehouse.execute("insert into mart.ranking by name from new_ranking")
        freeze_comparison(run)
    return run, report


def test_every_answer_stands_at_every_place_and_wins_are_counted(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = fair
    folder = data(
        tmp_path / "d",
        {
            "q1": {"a": "Good.", "b": "Fair.", "c": "Poor."},
            "q2": {"a": "Fair.", "b": "Fair."},
            "q3": {"a": "Good."},
        },
    )
    run, report = compared(home, Settings(folder, judge=judge_server.spec, listwise=True))
    assert (report["n_items"], report["n_done"]) == (2, 2)
    rankings = run.warehouse.rows(
        "select question_id, system, list(place order by place) as places, list(points order by place) as points"
        " from rankings group by all order by all"
    )
    assert rankings == [
        {"question_id": "q1", "system": "a", "places": [1, 2, 3], "points": [5, 5, 5]},
        {"question_id": "q1", "system": "b", "places": [1, 2, 3], "points": [4, 3, 3]},
        {"question_id": "q1", "system": "c", "places": [1, 2, 3], "points": [2, 1, 1]},
        {"question_id": "q2", "system": "a", "places": [1, 2], "points": [4, 3]},
        {"question_id": "q2", "system": "b", "places": [1, 2], "points": [4, 3]},
    ]
    means = run.warehouse.rows(
        "select question_id, system, mean_points, n_orders from ranking_points order by question_id, system"
    )
    assert [tuple(row.values()) for row in means] == [
        ("q1", "a", 5.0, 3),
        ("q1", "b", pytest.approx(10 / 3), 3),
        ("q1", "c", pytest.approx(4 / 3), 3),
        ("q2", "a", 3.5, 2),
        ("q2", "b", 3.5, 2),
    ]
    preferred = run.warehouse.rows(
        "select question_id, system_a, system_b, preferred_by, outcome from preferences order by all"
    )
    assert [tuple(row.values()) for row in preferred] == [
        ("q1", "a", "b", "listwise", "win"),
        ("q1", "a", "c", "listwise", "win"),
        ("q1", "b", "c", "listwise", "win"),
        ("q2", "a", "b", "listwise", "tie"),
    ]
    places = run.warehouse.rows(
        "select n_answers, place, round(mean_residual, 2) as residual, n_rankings, order_disagreement"
        " from ranking_places order by n_answers, place"
    )
    # The three orders of q1 agree on its pairs; the two orders of q2 differ on its one pair.
    assert [tuple(row.values()) for row in places] == [
        (2, 1, 0.5, 2, 1.0),
        (2, 2, -0.5, 2, 1.0),
        (3, 1, 0.44, 3, 0.0),
        (3, 2, -0.22, 3, 0.0),
        (3, 3, -0.22, 3, 0.0),
    ]
    # Nobody has examined the judge, and that stands beside all that it says.
    views = ("rankings", "ranking_points", "ranking_places", "preferences", "preference_counts")
    assert {row["judge_note"] for view in views for row in run.warehouse.rows(f"from {view}")} == {
        "unlicensed judge"
    }


def test_an_order_that_cannot_be_read_is_set_aside_with_its_reason_until_retry(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = lambda body: "I prefer not to say."
    folder = data(tmp_path / "d", {"q1": {"a": "Good.", "b": "Poor."}})
    run, _ = compared(home, Settings(folder, judge=judge_server.spec, listwise=True))
    (reason,) = {
        row["reason"] for row in run.warehouse.rows("select reason from rankings where is_strict is null")
    }
    assert reason == (
        "the reply could not be used after 2 askings: no points are given to Doctor 1, Doctor 2"
    )
    points = run.warehouse.rows("select mean_points, n_orders, reason from ranking_points")
    assert points == [{"mean_points": None, "n_orders": 0, "reason": reason}] * 2
    asked = len(judge_server.bodies)
    _, again = compared(home, Settings(folder, judge=judge_server.spec, listwise=True))
    assert (again["n_pending"], len(judge_server.bodies)) == (0, asked)
    assert (
        run.warehouse.rows("select mean_residual, n_rankings, reason from ranking_places where place = 1")
        == [{"mean_residual": None, "n_rankings": 0, "reason": UNBALANCED}] * 2
    )
    (outcome,) = run.warehouse.rows("select distinct state, reason from outcomes where stage = 'listwise'")
    assert outcome == {"state": "abstained", "reason": f"2 of 2 orders have no points: {reason}"}
    _, retried = compared(home, Settings(folder, judge=judge_server.spec, listwise=True, retry=True))
    assert (retried["n_pending"], retried["n_abstained"]) == (1, 1)


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("the server was silent", "a run with --retry asks again"),
        ("the prompt is longer than the model's context", "a model with a larger context could be asked"),
    ],
)
def test_comparisons_without_points_are_told_at_the_end_of_a_run(
    reason: str, advice: str, tmp_path: Path
) -> None:
    with duckdb.connect(str(tmp_path / "results.duckdb")) as results:
        results.execute(
            "create table outcome as select 'r' as run_id, 'listwise' as stage, 'abstained' as state, ? as reason"
            " from range(14)",
            [reason],
        )
    assert abstentions(tmp_path, "r", [{"stage": "listwise", "n_items": 14}]) == [
        f"answers side by side: 14 of 14 abstained, most because {reason}; {advice}"
    ]


def test_without_a_judge_that_writes_the_reason_is_said(home: Path) -> None:
    told = Told()
    with watched_by(told), started_run(home, Settings("d", judge="none", listwise=True)) as run:
        assert IN_PROCESS.run_stage(listwise, run) is None
    assert told.lines == ["no comparison of answers: no judge was asked for (--judge none)"]


def marks(judge: str, *scores: float | None, sample_no: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "question_id": f"q{n // 2}", "system": "ab"[n % 2], "judge": judge, "sample_no": sample_no,
            "rubric_score": score,
        }
        for n, score in enumerate(scores)
    ]  # fmt: skip


def test_a_judge_that_gives_every_answer_the_same_score_is_named_as_the_reason() -> None:
    (x, y) = stability(marks("x", 0.2, 0.4, 0.6, 0.8) + marks("y", 0.5, 0.5, 0.5, 0.5))
    assert (x["effective_judges"], x["correlation_with_others"]) == (None, None)
    assert x["reason"] == (
        "no correlation with y: every answer has the same score there; "
        "no ranking to hold against another: all systems have the same mean"
    )
    assert y["reason"] == "no correlation with y: every answer has the same score there"


def test_a_panel_of_twins_counts_as_one_judge() -> None:
    rows = marks("x", 0.2, 0.4, 0.6, 0.8) + marks("y", 0.2, 0.4, 0.6, 0.8)
    (x, y) = stability(rows)
    assert x == {**y, "judge": "x"}
    assert {name: x[name] for name in ("effective_judges", "correlation_with_others", "n_scored_by_all")} == {
        "effective_judges": 1.0,
        "correlation_with_others": 1.0,
        "n_scored_by_all": 4,
    }
    assert (x["rank_correlation_without"], x["largest_shift_without"]) == (1.0, 0.0)


def test_a_judge_that_turns_the_ranking_is_seen_and_a_missing_mark_counts_for_nobody() -> None:
    rows = marks("x", 0.2, 0.6, 0.2, 0.6, 0.9, None) + marks("y", 0.8, 0.5, 0.9, 0.3, 0.4, 0.5)
    (x, y) = stability(rows)
    assert (x["n_scored"], y["n_scored"], x["n_scored_by_all"]) == (5, 6, 5)
    # By x alone b leads; by y, and by both, a does.
    assert (x["rank_correlation_without"], y["rank_correlation_without"]) == (1.0, -1.0)
