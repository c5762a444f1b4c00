"""`medassay annotate` and `medassay blind`, as a person runs them."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.commands.people import annotate, blind
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.aggregate import aggregate
from tests.rows import write_tables
from tests.runs import read_in


def run(home: Path, command: object, *arguments: str | Path) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(
        command, [str(argument) for argument in arguments]
    )  # type: ignore[arg-type]


@pytest.fixture
def evaluated(home: Path, tmp_path: Path) -> Path:
    """Return a home with two runs of one answer, each marked by its own judge."""
    question = {"question_id": "q1", "question": "Rest?", "nuggets": ["Rest."]}
    answer = {"question_id": "q1", "system": "a", "answer": "Rest."}
    data = write_tables(tmp_path / "clinic", questions=[question], answers=[answer])
    for judge, mark in (("j1", 80), ("j2", 40)):
        with read_in(home, Settings(str(data), run_name=judge)) as ref:
            aggregate(ref)
        ref.warehouse.execute(
            "insert into mart.judgement by name select ? as run_id, 'q1' as question_id, 'a' as system, ? as judge,"
            " 0 as sample_no, 'scored' as status, ? as medical_correctness, 0 as evidence_sufficiency,"
            " 50 as response_alignment, 50 as safety, false as has_references, false as guidance_given,"
            " 'Because.' as justification",
            [ref.run_id, judge, mark],
        )
    close_warehouse(home)
    return home


def fill(file: Path, **cells: str) -> None:
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = list(csv.DictReader(text))
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows([{**row, **cells} for row in rows])


def test_answers_then_evaluations_then_a_correction(evaluated: Path, tmp_path: Path) -> None:
    answers, evaluations = tmp_path / "answers.csv", tmp_path / "evaluations.csv"
    early = run(evaluated, annotate, "export", evaluations, "--step", "evaluations", "--by", "ann")
    assert (early.exit_code, early.stderr.startswith("ann has scored no answer of run")) == (2, True)
    out = run(evaluated, annotate, "export", answers, "--by", "ann")
    assert (out.exit_code, out.stdout.partition(" of run ")[0]) == (0, "1 of 1 answers")
    fill(answers, relevancy="5", fluency="4", knowledge_correctness="3")
    taken = run(evaluated, annotate, "import", answers, "--by", "ann")
    assert (
        taken.stdout.splitlines()[0]
        == "ann: 3 scores new, 0 changed, 0 as they were; 1 of 1 answers complete"
    )
    assert taken.stdout.splitlines()[-1] == "the next `medassay agree` of clinic uses them"
    fill(answers, relevancy="4")
    corrected = run(evaluated, annotate, "import", answers, "--by", "ann")
    assert (
        corrected.stdout.splitlines()[0]
        == "ann: 0 scores new, 1 changed, 2 as they were; 1 of 1 answers complete"
    )
    assert (
        run(evaluated, annotate, "export", evaluations, "--step", "evaluations", "--by", "ann").exit_code == 0
    )
    assert "Because." in evaluations.read_text("utf-8-sig")
    blank = run(evaluated, annotate, "import", evaluations, "--by", "ann")
    assert (blank.exit_code, blank.stderr) == (
        2,
        f"{evaluations}: nothing is filled in yet; write whole numbers from 1 to 5, then import it again\n",
    )
    fill(answers, fluency="great")
    wrong = run(evaluated, annotate, "import", answers, "--by", "ann")
    assert (wrong.exit_code, wrong.stderr, wrong.stdout.splitlines()[0]) == (
        0,
        f"{answers}: left out: line 2: fluency is 'great'; write a whole number from 1 to 5\n",
        "ann: 0 scores new, 0 changed, 2 as they were; 0 of 1 answers complete",
    )
    fill(answers, relevancy="-", fluency="great", knowledge_correctness="")
    refused = run(evaluated, annotate, "import", answers, "--by", "ann")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 2)


def test_blinded_pairs(evaluated: Path, tmp_path: Path) -> None:
    sheet, key = tmp_path / "pairs.csv", tmp_path / "key.jsonl"
    assert run(evaluated, blind, "export", sheet, "j1", "j2", "--key", key).exit_code == 0
    again = run(evaluated, blind, "export", sheet, "j1", "j2", "--key", key)
    assert (again.exit_code, again.stderr) == (
        2,
        f"{key} is there already, and a sheet may depend on it: name another file\n",
    )
    side = json.loads(key.read_text("utf-8"))["side_of_a"]
    fill(sheet, knowledge_correctness=side, fluency="tie")
    taken = run(evaluated, blind, "import", sheet, "--key", key, "--by", "ann", "--json")
    shares = [(row["field"], row["annotator"], row["share_a"]) for row in json.loads(taken.stdout)]
    assert shares == [
        ("knowledge_correctness", "ann", 1.0),
        ("knowledge_correctness", "all", 1.0),
        ("fluency", "ann", 0.5),
        ("fluency", "all", 0.5),
        ("all", "ann", 0.75),
        ("all", "all", 0.75),
    ]
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n", "utf-8")
    wrong = run(evaluated, blind, "import", sheet, "--key", other, "--by", "ann")
    assert (wrong.exit_code, wrong.stderr) == (2, f"{other}: not a key that `medassay blind export` wrote\n")
