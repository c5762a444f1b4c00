"""`medassay.evaluate`: rows in, frames out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import medassay
from medassay.data import as_path
from medassay.errors import BadData, UsageError
from medassay.sql.warehouse import Row, Warehouse

pytestmark = pytest.mark.usefixtures("needs_the_embedder")

QUESTION = {"question": "Does aspirin prevent strokes?", "nuggets": ["Aspirin lowers the risk of stroke."]}
ROWS = [
    {**QUESTION, "system": "right", "answer": "Aspirin lowers the risk of stroke."},
    {**QUESTION, "system": "silent", "answer": "The weather is fine today."},
]


@pytest.fixture(scope="module")
def result() -> medassay.Result:
    return measured(ROWS)


def measured(data: Any, **choices: Any) -> medassay.Result:
    return medassay.evaluate(data, judge="none", reader="none", offline=True, **choices)


def test_rows_become_a_frame_of_systems_answers_and_claims(result: medassay.Result) -> None:
    assert result.systems[["system", "nugget_coverage", "nugget_coverage_n_scored"]].values.tolist() == [
        ["right", 1.0, 1],
        ["silent", 0.0, 1],
    ]
    assert result.answers[["question_id", "system", "nugget_coverage"]].values.tolist() == [
        ["q1", "right", 1.0],
        ["q1", "silent", 0.0],
    ]
    assert result.claims["claim"].tolist() == [
        "Aspirin lowers the risk of stroke.",
        "The weather is fine today.",
    ]
    assert result.nuggets["state"].tolist() == ["covered", "missing"]
    assert result.quarantine.empty


def test_bounds_name_each_system_that_is_beyond_them(result: medassay.Result) -> None:
    result.assert_at_least("right", nugget_coverage=1.0)
    result.assert_at_most(contradiction_rate=0.0)
    with pytest.raises(medassay.BelowBound) as failed:
        result.assert_at_least(nugget_coverage=0.5, rubric_score=0.5)
    assert str(failed.value).splitlines() == [
        "nugget_coverage of silent is 0.000; at least 0.5 was asked for",
        "rubric_score of right: no mean (no judge was asked for (--judge none)); at least 0.5 was asked for",
        "rubric_score of silent: no mean (no judge was asked for (--judge none)); at least 0.5 was asked for",
    ]
    with pytest.raises(KeyError, match="no metric 'accuracy'"):
        result.assert_at_least(accuracy=0.5)


def test_the_report_and_every_view_can_be_had(result: medassay.Result, tmp_path: Path) -> None:
    page = result.report(tmp_path / "report.html").read_text("utf-8")
    assert "Does aspirin prevent strokes?" in page
    assert result.view("leaderboard")["system"].tolist() == ["right", "silent"]
    assert "<table" in result._repr_html_()


def test_a_second_call_computes_nothing_again_and_metrics_narrow_the_frames(result: medassay.Result) -> None:
    again = measured(pd.DataFrame(ROWS), metrics=["nugget_coverage", "f1"])
    assert again.view("run_stages")["n_pending"].tolist() == [0] * len(again.view("run_stages"))
    assert [name for name in again.answers.columns if f"{name}_reason" in again.answers.columns] == [
        "nugget_coverage",
        "f1",
    ]
    assert "rubric_score" not in again.systems.columns
    # The first one still reads its own run.
    assert result.view("leaderboard")["run_id"].unique().tolist() == [result.run_id]


def test_tables_go_to_a_named_home_where_the_command_finds_them(new_home: Path) -> None:
    tables = {
        "questions": [{"question_id": "a", **QUESTION}],
        "answers": pd.DataFrame([{"question_id": "a", "system": "right", "answer": ROWS[0]["answer"]}]),
    }
    with pytest.warns(UserWarning, match="1 rows are in quarantine"):
        found = measured(
            {**tables, "documents": [{"id": "d", "title": "No text in it"}]},
            home=new_home,
            run_name="from Python",
        )
    assert found.quarantine["row_key"].tolist() == ["d"]
    assert (new_home / "results.duckdb").exists()
    assert found.view("runs")[["name", "dataset"]].values.tolist() == [["from Python", "rows"]]


def test_nuggets_of_one_answer_are_scored_by_themselves() -> None:
    found = medassay.score_nuggets(
        QUESTION["question"],
        ROWS[0]["answer"],
        [*QUESTION["nuggets"], "Aspirin can cause bleeding."],
        reader="none",
    )
    assert [(nugget.state, nugget.claims) for nugget in found.nuggets] == [
        ("covered", ("Aspirin lowers the risk of stroke.",)),
        ("missing", ()),
    ]
    assert (found.scores["nugget_coverage"], found.reasons["vital"]) == (
        0.5,
        "only the trec profile defines it",
    )


@pytest.fixture
def drafts(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "drafts"


def test_what_a_frame_leaves_empty_is_absent(drafts: Path) -> None:
    frame = pd.DataFrame([
        {"query": "Q1?", "answer": "A", "score": 1.5, "tags": ["x"]},
        {"query": "Q2?", "answer": None, "score": float("nan"), "tags": None},
        {"query": "Q1?", "answer": "B", "score": 2, "tags": ("y",)},
    ])  # fmt: skip
    rows = [json.loads(line) for line in as_path(frame, drafts).read_text("utf-8").splitlines()]
    assert rows == [
        {"query": "Q1?", "answer": "A", "score": 1.5, "tags": ["x"], "question_id": "q1", "system": "system"},
        {"query": "Q2?", "question_id": "q2", "system": "system"},
        {"query": "Q1?", "answer": "B", "score": 2.0, "tags": ["y"], "question_id": "q1", "system": "system"},
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"question": []}, "data has a table 'question': choose of questions, documents, answers"),
        (["text"], "row 0 of data is a str: give each row as a dict"),
        (3, "data is a int: give a path, rows (dicts) or a DataFrame"),
    ],
)
def test_what_is_no_data_is_refused(data: Any, said: str, drafts: Path) -> None:
    with pytest.raises(UsageError) as refused:
        as_path(data, drafts)
    assert str(refused.value).startswith(said)


def test_wrong_choices_and_useless_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="metrics names 'accuracy'"):
        medassay.evaluate(ROWS, metrics=["accuracy"])
    with pytest.raises(UsageError, match="an evaluation has no option 'jugde'"):
        medassay.evaluate(ROWS, jugde="none")
    with pytest.raises(BadData, match="no valid answer left"):
        medassay.evaluate([{"question": "Q?"}], reader="none")


def test_views_that_a_small_run_keeps_are_those_that_its_end_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, tuple[list[Row], list[Row]]] = {}
    let_go = Warehouse.let_go

    def compared(warehouse: Warehouse, *views: str) -> None:
        kept = {} if views else {view: warehouse.rows(f"from {view} order by all") for view in warehouse.kept}
        let_go(warehouse, *views)
        found.update(
            (view, (rows, warehouse.rows(f"from {view} order by all"))) for view, rows in kept.items()
        )

    monkeypatch.setattr(Warehouse, "let_go", compared)
    documents = [{"id": "d1", "text": "Aspirin lowers the risk of stroke. It may cause bleeding."}]
    cited = {"system": "cited", "answer": "Aspirin lowers the risk of stroke [d1]. It is safe [PMID:1]."}
    guidance = {"guidance": "Do: warn of bleeding.", "contexts": ["Aspirin may cause bleeding."]}
    measured([{**row, **guidance, "documents": documents} for row in [*ROWS, {**QUESTION, **cited}]])
    assert {view for view, (kept, fresh) in found.items() if kept != fresh} == set()
    assert {view for view, (kept, _) in found.items() if kept} >= {
        "current_claim", "current_nugget", "citation_pair", "current_citation", "asked", "answer_counts", "shortlist_items",
    }  # fmt: skip
