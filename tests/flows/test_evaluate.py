"""The whole evaluation as people run it, on a Prefect server of the tests' own."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from medassay.sql.snapshot import read_results
from medassay.sql.view_map import broken_rules
from medassay.sql.warehouse import close_warehouse

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]
Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]
WORKING = ("decompose", "embed", "shortlist", "match")


def evaluate(data: Path, home: Path, **chosen: Any) -> dict[str, Any]:
    from medassay.flows.evaluate import evaluate as flow

    plain = {"judge": "none", "reader": "none", "matcher": "cosine"}
    summary: dict[str, Any] = flow(data=str(data), home=str(home), **{**plain, **chosen})
    return summary


def done(summary: dict[str, Any]) -> dict[str, int]:
    return {stage["stage"]: stage["n_done"] for stage in summary["stages"] if stage["stage"] in WORKING}


def numbers(home: Path, run_id: str) -> list[dict[str, Any]]:
    return read_results(
        home,
        f"select * exclude (run_id) from answer_scores where run_id = '{run_id}' order by question_id, system",
    )


def task_states(named: str) -> dict[str, str]:
    """Return how each task of the last flow run ended, by the task's name; the flow run has the name of our run."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
    from prefect.client.schemas.sorting import FlowRunSort

    with get_client(sync_client=True) as client:
        (run,) = client.read_flow_runs(sort=FlowRunSort.START_TIME_DESC, limit=1)
        assert run.name == named
        found = client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[run.id])))
    return {task.name.split(" ")[0]: str(task.state_name) for task in found}


def test_the_worked_example_again_unchanged_beside_an_analyst_and_with_other_nuggets(
    home: Path, tables: Tables, write: Write
) -> None:
    first = evaluate(write(tables), home)
    before = numbers(home, first["run_id"])
    (scores,) = before
    names = ("completeness", "precision", "recall", "citation_coverage")
    # The plain cosine rule sees one of the three nuggets that the answer covers.
    assert {name: scores[name] for name in names} == {
        "completeness": 1 / 5,
        "precision": 1 / 3,
        "recall": 1 / 5,
        "citation_coverage": 1 / 3,
    }
    verdicts = read_results(
        home, "select claim_id, citation, source_id, state, reason from citation_verdicts order by claim_id"
    )
    assert verdicts == [
        {
            "claim_id": "c1", "citation": "[doc-1]", "source_id": "document:doc-1", "state": "unverifiable",
            "reason": "no entailment model was asked for (--reader none)",
        },
        {
            "claim_id": "c2", "citation": "[7]", "source_id": None, "state": "untraceable",
            "reason": "no entry of a reference list that names a source stands behind the marker",
        },
    ]  # fmt: skip
    assert Path(first["report"]).read_text("utf-8").count("Lactic acidosis") > 0

    with duckdb.connect(str(home / "results.duckdb"), read_only=True) as analyst:
        second = evaluate(write(tables), home, run_name="once more", max_failed=0.5)
        assert analyst.execute("select run_id from latest_run").fetchall() == [(first["run_id"],)]
    assert done(first) == {"decompose": 1, "embed": 10, "shortlist": 1, "match": 1}
    assert done(second) == dict.fromkeys(WORKING, 0)
    assert numbers(home, second["run_id"]) == before
    states = task_states("once more")
    assert {name: states[name] for name in WORKING} == dict.fromkeys(WORKING, "Cached")

    tables["questions"][0]["nuggets"] = ["Metformin can cause weight gain"]
    evaluate(write(tables), home, threshold=0.9)
    assert numbers(home, first["run_id"]) == before
    assert broken_rules(partial(read_results, home)) == []
    one, two, three = read_results(
        home, "select parent_run_id, metrics_version from runs order by started_at"
    )
    assert [run["parent_run_id"] for run in (one, two, three)] == [None, first["run_id"], None]
    assert one["metrics_version"] == two["metrics_version"] != three["metrics_version"]


def test_bad_rows_are_counted_silent_systems_are_named_and_the_run_goes_on(
    home: Path, tables: Tables, write: Write
) -> None:
    tables["answers"] += [
        {"question_id": "q1", "system": "one", "answer": "again"},
        {"question_id": "nobody", "system": "one", "answer": "lost"},
        {"question_id": "q1", "answer": "whose?"},
        *({"question_id": "q1", "system": name, "answer": " "} for name in ("mute", "dumb")),
    ]
    summary = evaluate(write(tables), home)
    found = read_results(home, "select rule, line from quarantine order by line")
    assert found == [
        {"rule": "question_id and system are repeated", "line": 2},
        {"rule": "the question is unknown", "line": 3},
        {"rule": "system is missing or not text", "line": 4},
    ]
    assert (summary["n_answers"], summary["n_quarantined"]) == (3, 3)
    said = "empty answers, which count as answered: 1 of 1 of dumb, 1 of 1 of mute"
    assert said in summary["notices"]


def test_a_deleted_work_file_is_computed_again_whatever_prefect_remembers(
    home: Path, tables: Tables, write: Write
) -> None:
    data = write(tables)
    first = evaluate(data, home)
    before = numbers(home, first["run_id"])
    close_warehouse(home)
    (home / "work.duckdb").unlink()
    again = evaluate(data, home)
    assert done(first) == done(again)
    assert numbers(home, again["run_id"]) == before


def test_a_run_that_waits_for_another_says_so_on_its_page(
    home: Path, tables: Tables, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl
    import threading

    from medassay.flows.artifacts import RunLog

    held = open(home / "lock", "a+", encoding="utf-8")
    fcntl.flock(held, fcntl.LOCK_EX)
    in_vain = threading.Timer(60, held.close)
    in_vain.start()
    said: list[str] = []

    def say(self: RunLog, line: str) -> None:
        said.append(line)
        held.close()

    monkeypatch.setattr(RunLog, "say", say)
    evaluate(write(tables), home)
    in_vain.cancel()
    assert said[0] == "waiting for another run"
