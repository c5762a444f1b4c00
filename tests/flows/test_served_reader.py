"""`--reader logprobs:<base_url>#<model>` on loopback: a whole run, its plan, its cap, and what may leave."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.tasks.nli.reading import checked_by_chat
from medassay.tasks.phi import PhiFound, refuse_phi
from medassay.tasks.pipeline import execute
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.spending.planning import plan
from medassay.tasks.stages.stage import Report, Step
from tests.runs import read_in

Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]
ANSWER = "Metformin causes nausea [doc-1]. Metformin prevents nausea [doc-1]. Metformin is blue [doc-1]. It is new [doc-1]."
SHARES = {
    "causes nausea": {"A": 0.9, "B": 0.05, "C": 0.05},
    "prevents": {"A": 0.02, " B": 0.9, "C": 0.08},
    "new": {"Well": 1.0},
}
NEITHER = {"C": 0.98, "The": 0.02}


@pytest.fixture(autouse=True)
def no_proxy(needs_the_embedder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def by_statement(body: dict[str, Any]) -> dict[str, float]:
    """Read the statement's words, as a model would."""
    statement = body["messages"][0]["content"].split("\nStatement: ")[1].split("\nDoes the passage")[0]
    return next((shares for words, shares in SHARES.items() if words in statement), NEITHER)


@pytest.fixture
def data(tables: Tables, write: Write) -> Path:
    tables["answers"][0]["answer"] = ANSWER
    tables["questions"][0]["nuggets"] = ["Metformin causes nausea", "Metformin prevents nausea in most"]
    return write(tables)


def evaluated(home: Path, data: Path, spec: str, **more: Any) -> tuple[RunRef, Report]:
    with started_run(home, Settings(str(data), judge="none", reader=spec, **more)) as run:
        execute(run)
    (report,) = run.warehouse.rows("from run_stage where run_id = ? and stage = 'entail'", [run.run_id])
    return run, report


def test_a_run_reads_letters_and_asks_nothing_twice(home: Path, data: Path, judge_server: Any) -> None:
    judge_server.behaviour.alternatives = by_statement
    spec = f"logprobs:{judge_server.base_url}#reader"
    run, report = evaluated(home, data, spec)
    rows = run.warehouse.rows(
        "select claim_id, state, sentence, entailment from citation_verdicts where run_id = ? order by claim_id",
        [run.run_id],
    )
    assert [(row["claim_id"], row["state"]) for row in rows] == [
        ("c1", "supports"), ("c2", "contradicts"), ("c3", "neutral"), ("c4", "unverifiable"),
    ]  # fmt: skip
    assert rows[0]["sentence"] == "Metformin often causes nausea and diarrhoea."
    assert rows[0]["entailment"] == pytest.approx(0.9)
    assert report["n_abstained"] >= 1
    states = run.warehouse.rows(
        "select nugget_id, state from nugget_states where run_id = ? order by nugget_id", [run.run_id]
    )
    assert [row["state"] for row in states] == ["covered", "contradicted"]
    n_asked = len(judge_server.bodies)
    assert n_asked == run.warehouse.value(
        "select count(*) from model_call where stage in ('entail', 'match', 'joint')"
    )
    assert {(body["max_tokens"], body["top_logprobs"]) for body in judge_server.bodies} == {(1, 20)}
    evaluated(home, data, spec)
    assert len(judge_server.bodies) == n_asked


def test_a_plan_counts_the_calls_and_a_cap_holds_them(home: Path, data: Path, judge_server: Any) -> None:
    judge_server.behaviour.alternatives = by_statement
    settings = Settings(str(data), judge="none", reader=f"logprobs:{judge_server.base_url}#reader")
    (counted,) = [stage for stage in plan(home, settings).stages if stage.stage == "entail"]
    assert counted.n_calls > 0 and judge_server.bodies == []
    _, report = evaluated(home, data, settings.reader, max_calls=2)
    assert len(judge_server.bodies) == 2
    assert report["n_failed"] == report["n_pending"] - 2 > 0


def elsewhere(server: Any) -> str:
    """Name the server by an address that does not say loopback, and still ends there."""
    return "logprobs:" + str(server.spec).replace("127.0.0.1", "0.0.0.0")


def test_what_may_name_a_patient_is_not_sent(
    home: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    tables["answers"][0]["answer"] = "Mrs. Anna Example, born 03/04/1961, should rest."
    settings = Settings(str(write(tables)), judge="none", reader=elsewhere(judge_server))
    with read_in(home, settings) as run:
        with pytest.raises(PhiFound, match="answer of one to q1: 1 × date, 1 × name"):
            refuse_phi(run)
    assert judge_server.bodies == []


def test_placeholders_are_sent_where_that_is_chosen(home: Path, data: Path, judge_server: Any) -> None:
    judge_server.behaviour.alternatives = lambda _: SHARES["causes nausea"]
    settings = Settings(str(data), judge="none", reader=elsewhere(judge_server), phi="redact")
    passage, claim = "Mrs. Anna Example, born 03/04/1961, rests.", "Mrs. Anna Example rests."
    with started_run(home, settings) as run:
        step = Step(run, "entail", "fingerprint", run.warehouse, run.settings)
        ((_, verdict),) = next(
            iter(checked_by_chat(step, [{"item_key": "pair", "premise": passage, "hypothesis": claim}]))
        )
    (body,) = judge_server.bodies
    assert body["messages"][0]["content"].startswith(
        "Passage: Mrs. [name 1], born [date 1], rests.\nStatement: Mrs. [name 1] rests.\nDoes the passage"
    )
    assert "Example" not in json.dumps(body)
    assert verdict.entailment == pytest.approx(0.9)  # type: ignore[union-attr]
