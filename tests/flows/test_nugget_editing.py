"""Nuggets edited between two runs, and a model beside the signals, as people run them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from medassay.flows.plain import measure
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.publish import publish_snapshot
from medassay.tasks.run import started_run
from medassay.tasks.summary import Summary, summarise
from tests.rows import write_rows

pytestmark = pytest.mark.usefixtures("needs_the_embedder")
Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]
WORKING = ("nuggets", "embed", "shortlist", "match")


def evaluated(data: Path, home: Path, **chosen: Any) -> Summary:
    """Evaluate without Prefect, and publish."""
    plain = {"judge": "none", "entailment": "none", "matcher": "cosine"}
    with started_run(home, Settings(str(data), **{**plain, **chosen})) as run:
        measure(run)
        return summarise(run, publish_snapshot(run), home / "report.html")


def test_only_an_edited_question_is_matched_again(
    home: Path, tables: Tables, write: Write, tmp_path: Path
) -> None:
    from medassay.flows.commands.nuggets import nuggets

    tables["questions"].append(
        {
            "question_id": "q2",
            "question": "What is metformin for?",
            "reference_answer": "Metformin lowers glucose.",
        }
    )
    tables["answers"].append({"question_id": "q2", "system": "one", "answer": "Metformin lowers glucose."})
    data = write(tables)
    evaluated(data, home)
    close_warehouse(home)
    file = tmp_path / "nuggets.jsonl"

    def run(*arguments: str) -> str:
        shell = CliRunner(env={"MEDASSAY_HOME": str(home)})
        return shell.invoke(nuggets, [*arguments], catch_exceptions=False).stdout

    assert run("export", str(file)).startswith("6 nuggets of 2 questions")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert (rows[-1]["question_id"], rows[-1]["origin"], rows[-1]["by"]) == ("q2", "made", "the rules")
    rows[-1]["nugget"] = "Metformin lowers blood glucose"
    write_rows(file, rows)
    assert run("import", str(file), "--by", "Dr. Ada").startswith("q2: 1 reworded; version 2\n")
    again = evaluated(data, home)
    done = {stage["stage"]: stage["n_done"] for stage in again.stages if stage["stage"] in WORKING}
    assert done == {"nuggets": 0, "embed": 1, "shortlist": 1, "match": 1}
    assert read_results(
        home,
        f"select nugget, origin, made_by from nuggets where question_id = 'q2' and run_id = '{again.run_id}'",
    ) == [{"nugget": "Metformin lowers blood glucose", "origin": "edited", "made_by": "Dr. Ada"}]
