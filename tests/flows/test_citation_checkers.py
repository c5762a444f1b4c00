"""`--entailment` by a language model on loopback, and by Hugging Face folders of two and three classes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.tasks.pipeline import execute
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.stage import Report

pytestmark = pytest.mark.usefixtures("needs_the_embedder")

Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]
ANSWER = (
    "Metformin causes nausea [doc-1]. Metformin causes gout [doc-1]. Metformin prevents nausea [doc-1]. "
    "Metformin is blue [doc-1]. Metformin is new [doc-1]."
)
LABELS = {
    "nausea [": "Neutral",
    "causes nausea": "Supports",
    "prevents": "Contradicts",
    "gout": "not relevant",
    "blue": "Neutral",
    "new": "Perhaps",
}
QUOTE = "Metformin often causes nausea and diarrhoea."


def check(body: dict[str, Any]) -> str:
    """Judge by the claim's words; a nugget beside a claim is neutral."""
    material = json.loads(body["messages"][1]["content"])
    said = next((label for words, label in LABELS.items() if words in material["claim"]), "Neutral")
    return json.dumps({"sentence": QUOTE, "label": said})


def citations(run: RunRef) -> list[tuple[str, str, str | None, str | None]]:
    rows = run.warehouse.rows(
        "select claim_id, state, sentence, reason from citation_verdicts where run_id = ? order by claim_id",
        [run.run_id],
    )
    return [(row["claim_id"], row["state"], row["sentence"], row["reason"]) for row in rows]


def evaluated(home: Path, data: Path, spec: str, **more: Any) -> tuple[RunRef, Report]:
    settings = Settings(str(data), judge="none", reader=spec, **{"matcher": "cosine", **more})
    with started_run(home, settings) as run:
        execute(run)
    (report,) = run.warehouse.rows("from run_stage where run_id = ? and stage = 'entail'", [run.run_id])
    return run, report


def test_a_language_model_checks_every_citation_once(
    home: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    judge_server.behaviour.text = check
    tables["answers"][0]["answer"] = ANSWER
    data = write(tables)
    spec = f"{judge_server.base_url}#checker"
    run, report = evaluated(home, data, spec)
    assert citations(run) == [
        ("c1", "supports", QUOTE, None),
        ("c2", "neutral", QUOTE, "the model calls the source not relevant to the claim"),
        ("c3", "contradicts", QUOTE, None),
        ("c4", "neutral", QUOTE, None),
        ("c5", "unverifiable", None, _abstained(run)),
    ]
    assert report["n_abstained"] >= 1
    n_asked = len(judge_server.bodies)
    passages = [json.loads(body["messages"][1]["content"])["passage"] for body in judge_server.bodies]
    assert tables["documents"][0]["title"] not in passages
    body = judge_server.bodies[0]
    assert body["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"] == [
        "Supports", "Contradicts", "Neutral", "Not relevant",
    ]  # fmt: skip
    evaluated(home, data, spec)
    assert len(judge_server.bodies) == n_asked
    calls = run.warehouse.value("select count(*) from model_call where stage = 'entail'")
    assert calls == n_asked


def _abstained(run: RunRef) -> str:
    reason = str(run.warehouse.value("select reason from outcome where stage = 'entail' limit 1"))
    assert "\"label\" is 'Perhaps' and must be one of Supports, Contradicts, Neutral, Not relevant" in reason
    return reason


def agree(body: dict[str, Any]) -> str:
    """Support whatever is asked."""
    return json.dumps({"sentence": "", "label": "Supports"})


def nugget_states(run: RunRef) -> list[dict[str, Any]]:
    return run.warehouse.rows(
        "select question_id, system, nugget_id, state, score, reason from nugget_states where run_id = ? order by all",
        [run.run_id],
    )


def test_nuggets_are_matched_anew_when_a_retry_brings_verdicts(
    home: Path, tmp_path: Path, tables: Tables, write: Write, judge_server: Any
) -> None:
    tables["questions"][0]["nuggets"] = tables["questions"][0]["nuggets"][:2]
    data = write(tables)
    spec = f"{judge_server.base_url}#checker"
    judge_server.behaviour.text = lambda body: json.dumps({"sentence": "", "label": "Perhaps"})
    run, _ = evaluated(home, data, spec, matcher="combined")
    without = nugget_states(run)
    assert {row["reason"] for row in without} == {"the reader gave no verdict"}
    judge_server.behaviour.text = agree
    run, _ = evaluated(home, data, spec, matcher="combined")
    assert nugget_states(run) == without
    run, _ = evaluated(home, data, spec, matcher="combined", retry=True)
    fresh, _ = evaluated(tmp_path / "fresh", data, spec, matcher="combined")
    assert nugget_states(run) == nugget_states(fresh) != without
