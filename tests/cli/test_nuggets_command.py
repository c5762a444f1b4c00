"""`medassay nuggets`, as a person runs it: what it prints, and how it ends."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.commands.nuggets import nuggets
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.membership import accept_questions
from medassay.tasks.run import started_run
from tests.rows import write_rows


def run(home: Path, *arguments: str | Path) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(
        nuggets, [str(argument) for argument in arguments]
    )


@pytest.fixture
def evaluated(home: Path) -> Path:
    """Return a home with a finished run of two questions."""
    rows = [
        {
            "file": "q.jsonl",
            "line": 1,
            "value": {
                "question_id": name,
                "question": f"{name}?",
                "nuggets": [{"text": f"{name} helps, ½ dose"}],
            },
        }
        for name in ("q1", "q2")
    ]
    with started_run(home, Settings("d", dataset="clinic", run_name="first")) as ref:
        accept_questions(ref, rows)
        ref.warehouse.execute("update run set state = 'finished'")
    close_warehouse(home)
    return home


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_out_edited_and_in_again(evaluated: Path, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"nuggets{suffix}"
    out = run(evaluated, "export", file, "--run", "first")
    assert (out.exit_code, out.stdout.partition(" of run ")[0]) == (0, "2 nuggets of 2 questions")
    assert run(evaluated, "import", file, "--by", "ann").stdout == "0 questions changed, 2 as they were\n"
    file.write_text(file.read_text("utf-8").replace("q1 helps", "q1 harms"), "utf-8")
    changed = run(evaluated, "import", file, "--by", "ann")
    assert (changed.exit_code, changed.stdout) == (
        0,
        "q1: 1 reworded; version 2\n1 question changed, 1 as they were\n"
        "the next `medassay evaluate` of clinic uses them\n",
    )
    run(evaluated, "export", file)
    assert "q1 harms, ½ dose" in file.read_text("utf-8")


def test_bad_files_end_with_their_lines(evaluated: Path, tmp_path: Path) -> None:
    file = tmp_path / "nuggets.csv"
    missing = run(evaluated, "import", file)
    assert (missing.exit_code, missing.stderr) == (
        2,
        f"{file}: no such file; write one with: medassay nuggets export {file}\n",
    )
    file.write_bytes("question_id,nugget\nq1,½\n".encode("latin-1"))
    latin = run(evaluated, "import", file)
    assert (latin.exit_code, latin.stderr) == (2, f"{file}: line 2: not UTF-8; save it again as CSV UTF-8\n")
    file.write_text("question_id,nugget,importance\nq9,Fact,\nq1,,high\n", "utf-8")
    bad = run(evaluated, "import", file)
    assert (bad.exit_code, bad.stderr) == (
        2,
        f"{file}: line 3: `nugget` is missing or empty; fill it in\n"
        f"{file}: line 3: `importance` is 'high'; write vital or okay\n",
    )
    file.write_text("question_id,nugget\nq9,Fact\n", "utf-8")
    unknown = run(evaluated, "import", file)
    assert (unknown.exit_code, unknown.stderr.count("\n")) == (2, 1)
    assert unknown.stderr.startswith(f"{file}: question 'q9' is not in run ")
    assert run(evaluated, "export", tmp_path / "nuggets.xlsx").exit_code == 2


def test_without_a_run_there_is_nothing_to_edit(new_home: Path, tmp_path: Path) -> None:
    result = run(new_home, "export", tmp_path / "n.csv")
    assert (result.exit_code, new_home.exists()) == (3, False)
    assert result.stderr.endswith("run `medassay evaluate DATA` first, or set MEDASSAY_HOME\n")


def test_a_nugget_that_reads_as_a_formula_is_guarded_and_comes_back_as_it_was(
    evaluated: Path, tmp_path: Path
) -> None:
    texts = ['=HYPERLINK("http://a.example")', "+1 mg", "@a", "'=b", "\uff1dc"]
    sheet = tmp_path / "nuggets.csv"
    lines = write_rows(tmp_path / "nuggets.jsonl", [{"question_id": "q1", "nugget": text} for text in texts])
    assert run(evaluated, "import", lines, "--by", "ann").exit_code == 0
    run(evaluated, "export", sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        cells = [row["nugget"] for row in csv.DictReader(file) if row["question_id"] == "q1"]
    assert cells == [f"'{text}" for text in texts]
    assert run(evaluated, "import", sheet, "--by", "bob").stdout == "0 questions changed, 2 as they were\n"
