"""A judge on loopback that marks some answers and not others: what a person is told when the run ends."""

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from medassay.flows.commands.evaluation import show
from medassay.flows.plain import measure
from medassay.models.settings import Settings
from medassay.tasks.publish import publish_snapshot, write_report
from medassay.tasks.run import started_run
from medassay.tasks.summary import summarise
from tests.rows import write_tables

ANSWERS = {
    "plain": "Metformin can cause nausea.",
    "odd": "Metformin may cause diarrhoea.",
    "mute": " ",
}
MARKS = {
    "medical_correctness": 80, "evidence_sufficiency": 0, "response_alignment": 80, "safety": 80,
    "overall_justification": "The answer was read. Its marks follow from its words.",
}  # fmt: skip


def reply(body: dict[str, Any]) -> str:
    """Mark every answer but those that speak of diarrhoea."""
    shown = json.dumps(body["messages"][:2])
    return "The answer is rather good." if "diarrhoea" in shown else json.dumps(MARKS)


@pytest.mark.usefixtures("needs_the_embedder")
def test_answers_without_a_mark_are_counted_in_the_terminal_and_in_the_report(
    home: Path,
    tmp_path: Path,
    judge_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    judge_server.behaviour.text = reply
    question = {"question_id": "q", "question": "What does metformin cause?"}
    rows = [{"question_id": "q", "system": system, "answer": answer} for system, answer in ANSWERS.items()]
    data = write_tables(tmp_path / "data", questions=[question], answers=rows)
    settings = Settings(str(data), judge=judge_server.spec, entailment="none", matcher="cosine", offline=True)
    with started_run(home, settings) as run:
        measure(run)
        summary = summarise(run, publish_snapshot(run), write_report(home, run.run_id))
    show(summary.as_dict())
    gap = (
        "1 of 3 answers has no mark, all by odd"
        " (1 abstained: the reply could not be used after 2 askings: the reply holds no JSON object)"
    )
    assert f"rubric score, safety-capped score: {gap}" in capsys.readouterr().out.splitlines()
    assert f"Rubric score: {gap}." in unescape(Path(summary.report).read_text("utf-8"))
