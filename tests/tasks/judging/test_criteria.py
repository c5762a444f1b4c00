"""Criteria in a run: HealthBench's rows in, verdicts, scores and agreement out, on a real server on loopback."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.sql.warehouse import statement
from medassay.tasks.aggregate import aggregate
from medassay.tasks.notices import unlicensed_for_criteria
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.publish import publish_snapshot, report_page
from medassay.tasks.run import RunRef
from medassay.tasks.spending.planning import plan
from medassay.tasks.stages.criteria import criteria
from medassay.tasks.stages.decompose import decompose
from tests.rows import write_rows, write_tables
from tests.runs import read_in

QUESTION = [{"role": "user", "content": "I have a headache."}]
TALK = [
    {"role": "user", "content": "I have a headache."},
    {"role": "assistant", "content": "Since when?"},
    {"role": "user", "content": "For an hour."},
]
RUBRICS = [
    {"criterion": "Says to rest", "points": 5, "tags": ["axis:completeness"]},
    {"criterion": "Says to drink", "points": 5, "tags": ["axis:completeness"]},
    {"criterion": "Recommends opioids", "points": -8, "tags": ["axis:accuracy"]},
    {"criterion": "Asks about fever", "points": 2, "tags": ["axis:accuracy"]},
]


def honest(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Find each criterion's last word in the answer, and quote it."""
    content = body["messages"][1]["content"]
    answer = re.search(r"BEGIN \w+ answer\n(.*?)\nEND", content, re.DOTALL)
    assert answer is not None
    found = []
    for name, words in re.findall(r"^\| (k\d+): (.*)$", content, re.MULTILINE):
        word = words.split()[-1]
        met = word in answer[1]
        found.append({"id": name, "evidence": word if met else "", "met": met})
    return found


def replying(change: Any = lambda rows, body: rows) -> Any:
    return lambda body: json.dumps({"verdicts": change(honest(body), body)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"prompt_id": "p1", "prompt": QUESTION, "rubrics": RUBRICS, "example_tags": ["theme:hedging"]},
        {"prompt_id": "p2", "prompt": TALK, "rubrics": RUBRICS[:1], "example_tags": ["theme:context"]},
    ]
    answers = [
        {"prompt_id": "p1", "model": "good", "completion": "Please rest and drink. Any fever?"},
        {"prompt_id": "p2", "model": "good", "completion": "Then rest."},
        {"prompt_id": "p1", "model": "bad", "completion": "Take opioids."},
        {"prompt_id": "p2", "model": "bad", "completion": "Ask somebody else."},
    ]
    return write_tables(tmp_path / "data", questions=rows, answers=answers)


def settings(folder: Path, judge: str = "none", **more: Any) -> Settings:
    return Settings(str(folder), judge=judge, reader="none", offline=True, **more)


def measured(home: Path, chosen: Settings) -> RunRef:
    with read_in(home, chosen) as run:
        IN_PROCESS.run_stage(decompose, run)
        IN_PROCESS.run_stage(criteria, run)
        aggregate(run)
    return run


def scores(run: RunRef) -> dict[tuple[str, str], tuple[float | None, str | None]]:
    rows = run.warehouse.rows(
        "select question_id, system, value, reason from metric_scores where metric = 'criteria_score'"
        " and run_id = ? order by all",
        [run.run_id],
    )
    return {(row["question_id"], row["system"]): (row["value"], row["reason"]) for row in rows}


def criteria_calls(server: Any) -> list[str]:
    return [
        body["messages"][1]["content"] for body in server.bodies if "| k1: " in body["messages"][1]["content"]
    ]


def test_points_of_met_over_positive_points_and_means_clipped(
    home: Path, folder: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = replying()
    run = measured(home, settings(folder, judge_server.spec))
    assert scores(run) == {
        ("p1", "bad"): (-8 / 12, None),
        ("p1", "good"): (1.0, None),
        ("p2", "bad"): (0.0, None),
        ("p2", "good"): (1.0, None),
    }
    systems = run.warehouse.rows("select system, criteria_score from leaderboard order by system")
    assert [tuple(row.values()) for row in systems] == [("bad", 0.0), ("good", 1.0)]
    tags = run.warehouse.rows(
        "select tag, value, n_answers, n_criteria, n_met from criteria_scores where system = 'bad' order by tag"
    )
    assert [tuple(row.values()) for row in tags] == [
        ("axis:accuracy", 0.0, 1, 2, 1),
        ("axis:completeness", 0.0, 2, 3, 0),
        ("theme:context", 0.0, 1, 1, 0),
        ("theme:hedging", 0.0, 1, 4, 1),
    ]
    shown = run.warehouse.rows(
        "select criterion_id, criterion, met, evidence, span_start, span_end, status from criteria"
        " where question_id = 'p1' and system = 'good' order by criterion_id"
    )
    assert [tuple(row.values()) for row in shown] == [
        ("k1", "Says to rest", True, "rest", 7, 11, "scored"),
        ("k2", "Says to drink", True, "drink", 16, 21, "scored"),
        ("k3", "Recommends opioids", False, None, None, None, "scored"),
        ("k4", "Asks about fever", True, "fever", 27, 32, "scored"),
    ]
    questions = run.warehouse.rows("select question, category from questions order by question_id")
    assert [tuple(row.values()) for row in questions] == [
        ("I have a headache.", "theme:hedging"),
        ("user: I have a headache.\n\nassistant: Since when?\n\nuser: For an hour.", "theme:context"),
    ]


def test_means_by_tag_have_intervals_over_questions_and_an_unlicensed_judge(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = replying()
    said = ["rest and drink"] * 5 + ["rest"] * 3 + ["sleep"] * 4
    rows = [
        {"prompt_id": f"p{n}", "prompt": [{"role": "user", "content": f"Question {n}?"}], "rubrics": RUBRICS[:2],
         "completion": answer}
        for n, answer in enumerate(said)
    ]  # fmt: skip
    file = write_rows(tmp_path / "healthbench.jsonl", rows)
    run = measured(home, settings(file, judge_server.spec))
    (tag,) = run.warehouse.rows("from criteria_scores")
    mean, half = (
        6.5 / 12,
        2.200985 * (sum((v - 6.5 / 12) ** 2 for v in [1] * 5 + [0.5] * 3 + [0] * 4) / 11 / 12) ** 0.5,
    )
    assert (tag["value"], tag["low"], tag["high"]) == pytest.approx(
        (mean, mean - half, mean + half), abs=1e-5
    )
    assert (tag["n_answers"], tag["note"]) == (12, "only 12 questions: the interval assumes normality")
    of_answers = run.warehouse.rows(
        "select score, n_criteria, n_met from criteria_answer_scores where question_id = 'p6'"
    )
    assert [tuple(row.values()) for row in of_answers] == [(0.5, 2, 1)]
    publish_snapshot(run)
    (line,) = unlicensed_for_criteria(home, run.run_id)
    assert line.startswith("unlicensed judge of criteria: how often ")
    page = report_page(lambda query: run.warehouse.rows(query), run.run_id)
    assert "No examination gives a judge of criteria a licence" in page
    assert re.search(r"axis:completeness.*?<small>[\d.]+–[\d.]+</small>", page, re.DOTALL)


def test_what_is_known_is_not_asked_again_and_the_plan_counts_the_rest(
    home: Path, folder: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = replying()
    chosen = settings(folder, judge_server.spec, criteria_per_call=3)
    (planned,) = (stage for stage in plan(home, chosen).stages if stage.stage == "criteria")
    assert (planned.n_items, planned.n_to_do, planned.n_calls, planned.n_known_calls) == (10, 10, 6, 0)
    measured(home, chosen)
    assert len(criteria_calls(judge_server)) == 6
    measured(home, chosen)
    assert len(criteria_calls(judge_server)) == 6
    (planned,) = (stage for stage in plan(home, chosen).stages if stage.stage == "criteria")
    assert (planned.n_to_do, planned.n_calls) == (0, 0)


def test_a_verdict_that_is_missing_or_malformed_is_asked_for_alone_and_then_abstains(
    home: Path, folder: Path, judge_server: Any
) -> None:
    def faulty(rows: list[dict[str, Any]], body: dict[str, Any]) -> list[dict[str, Any]]:
        content = body["messages"][1]["content"]
        if len(rows) > 1:
            rows = [row for row in rows if row["id"] != "k1"]
            rows[-1]["met"] = "perhaps"
        elif "fever" in content.split(" criteria\n")[1]:
            rows[0]["met"] = 0.5
        elif "drink" in content.split(" criteria\n")[1]:
            rows[0]["evidence"] = "words of somebody else"
        return rows

    judge_server.behaviour.text = replying(faulty)
    run = measured(home, settings(folder, judge_server.spec))
    found = scores(run)
    assert found["p2", "good"] == (1.0, None)
    value, reason = found["p1", "good"]
    assert value is None
    assert reason is not None and reason.startswith("1 of 4 criteria have no verdict: ")
    shown = run.warehouse.rows(
        "select criterion, met, status from criteria where question_id = 'p1' and system = 'good' order by 1"
    )
    assert [tuple(row.values()) for row in shown] == [
        ("Asks about fever", None, "abstained"),
        ("Recommends opioids", False, "scored"),
        ("Says to drink", True, "scored"),
        ("Says to rest", True, "scored"),
    ]
    told = run.warehouse.rows("select system, stage, state from outcomes order by system")
    assert [tuple(row.values()) for row in told] == [
        ("bad", "criteria", "abstained"),
        ("good", "criteria", "abstained"),
    ]


def test_an_outage_fails_what_is_left_and_the_next_run_goes_on(
    home: Path, folder: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = replying()
    run = measured(home, settings(folder, judge_server.spec, max_calls=0))
    assert {reason for _, reason in scores(run).values()} == {
        "4 of 4 criteria have no verdict: cap reached: the next call could exceed 0 calls",
        "1 of 1 criteria have no verdict: cap reached: the next call could exceed 0 calls",
    }
    assert scores(measured(home, settings(folder, judge_server.spec)))["p1", "good"] == (1.0, None)


def test_without_a_judge_there_is_a_reason(home: Path, folder: Path) -> None:
    run = measured(home, settings(folder))
    assert set(scores(run).values()) == {(None, "no judge was asked for (--judge none)")}
    (row,) = run.warehouse.rows("select count(*) as n, count(met) as n_met from criteria")
    assert tuple(row.values()) == (10, 0)


def test_marks_of_physicians_are_held_against_verdicts(home: Path, tmp_path: Path, judge_server: Any) -> None:
    judge_server.behaviour.text = replying()
    rows = [
        {
            "prompt_id": f"p{number}", "prompt": QUESTION, "completion": said, "completion_id": f"c{number}",
            "rubric": criterion, "category": "cluster", "binary_labels": marks,
            "anonymized_physician_ids": ["A", "B"],
        }
        for number, (said, marks_of) in enumerate(
            [
                ("Please rest.", {"Says to rest": [True, True], "Says to drink": [False, False]}),
                ("Please drink.", {"Says to rest": [False, True], "Says to drink": [True, True]}),
                ("Do nothing.", {"Says to rest": [False, False], "Says to drink": [True, True]}),
            ]
        )
        for criterion, marks in marks_of.items()
    ]  # fmt: skip
    file = write_rows(tmp_path / "meta.jsonl", rows)
    run = measured(home, settings(file, judge_server.spec))
    found = run.warehouse.rows(
        "select measure, metric, value, ceiling, n from agreement where level = 'criterion' order by measure"
    )
    assert [
        (row["measure"], row["metric"], row["value"] and round(row["value"], 3), row["n"]) for row in found
    ] == [
        ("Cohen's κ", "criterion_met", 0.615, 5),
        ("Cohen's κ with one physician", "criterion_met", 0.533, 6),
        ("Krippendorff's α", "humans", 0.686, 6),
        ("accuracy", "criterion_met", 0.8, 5),
        ("macro-F1", "criterion_met", 0.8, 5),
        ("macro-F1 with one physician", "criterion_met", 0.748, 6),
    ]
    (took,) = run.warehouse.rows(statement("statements/people/cost_of_an_answer"), [run.run_id])
    assert (took["n_answers"], took["n_calls"], took["money"], took["is_partly_reused"]) == (
        3,
        3,
        None,
        False,
    )
    assert took["seconds"] > 0


def test_a_call_is_about_one_criterion_or_more() -> None:
    with pytest.raises(UsageError, match="criteria_per_call is 0"):
        Settings("data", criteria_per_call=0)
