"""`medassay plan`, as a person runs it: what it prints, and that nothing is kept."""

import json
from pathlib import Path

from click.testing import CliRunner

from medassay.flows.cli import main
from tests.rows import write_tables


def test_a_plan_counts_what_a_run_would_do_and_keeps_nothing(home: Path, tmp_path: Path) -> None:
    data = write_tables(
        tmp_path / "data",
        questions=[
            {"question_id": "q1", "question": "Why?", "nuggets": ["Aspirin lowers the risk of stroke."]}
        ],
        answers=[
            {"question_id": "q1", "system": "a", "answer": "Aspirin lowers the risk of stroke. It is cheap."}
        ],
    )
    asked = ["plan", str(data), "--reader", "encoder", "--judge", "http://127.0.0.1:9/v1#judge", "--json"]
    told = CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, asked)
    assert told.exit_code == 0, told.output
    plan = json.loads(told.stdout)
    assert (plan["n_questions"], plan["n_answers"]) == (1, 1)
    found = {stage["stage"]: stage["n_items"] for stage in plan["stages"]}
    assert (found["entail"], found["judge"]) == (2, 1)
    shown = CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, ["query", "from runs"])
    assert shown.exit_code != 0
