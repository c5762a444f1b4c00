"""A whole run through `medassay.evaluate`: 41 answers, every table of results beside the file that was reviewed.

`python -m tests.golden.test_golden` writes the files of `marts` anew: read their difference before committing it.
"""

import csv
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.judge_server import JudgeServer
from tests.rows import write_tables

EXAMPLES = Path(__file__).parents[2] / "examples" / "clinic"
MARTS = Path(__file__).parent / "marts"
LEFT_OUT = {"run_id", "seconds", "model", "base_url"}
"""Columns that differ from run to run."""
OF_CODE = re.compile(r"(_key|_digest|fingerprint|_at)$")
"""Ends of names of columns that are digests, or times."""
LONGEST = 60
"""Characters of a cell that are kept."""
CLOSE = 0.006
"""How far numbers may lie apart: vectors of the embedder differ by processor."""
DENIALS = {"not", "no", "never", "rarely", "without", "avoid", "stop", "cannot", "lower", "lowers", "raises"}


def reader(body: dict[str, Any]) -> dict[str, float]:
    """Hold the words of a statement against those of a passage, as a reader by log-probabilities."""
    passage, statement = re.split(r"\n+Statement: ", body["messages"][0]["content"], maxsplit=1)
    read, said = (
        set(re.findall(r"[a-z0-9]+", text.lower())) for text in (passage, statement.split("\nDoes the")[0])
    )
    words = {word for word in said if len(word) > 3} - DENIALS
    share = len(words & read) / len(words) if words else 0.0
    if share < 0.7:
        return {"A": 0.02 + share / 3, "B": 0.03, "C": 0.95 - share / 3}
    turned = bool(said & DENIALS) != bool(read & DENIALS)
    return {"A": 0.05, "B": 0.9, "C": 0.05} if turned else {"A": 0.93, "B": 0.02, "C": 0.05}


def judge(body: dict[str, Any]) -> str:
    """Reply to whichever prompt was sent: verdicts on criteria, points side by side, or marks."""
    content = body["messages"][-1]["content"]
    if criteria := re.findall(r"^\| (k\d+): (.*)$", content, re.MULTILINE):
        shown = content.split(" answer\n", 1)[-1].split("\nEND")[0]
        met = [(name, words.split()[-1], words.split()[-1] in shown) for name, words in criteria]
        rows = [{"id": name, "evidence": word if is_met else "", "met": is_met} for name, word, is_met in met]
        return json.dumps({"verdicts": rows})
    if doctors := re.findall(r"BEGIN \w+ Doctor (\d)\n\| (.*)\n", content):
        points = [f"Doctor {n}: {1 + len(text) % 5} points." for n, text in doctors]
        return "Analyze: Step 1 They were read. Step 2 They were compared.\nScore: " + " ".join(points)
    n = len(content)
    names = ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety")
    marks: dict[str, Any] = {name: n // (i + 2) % 101 for i, name in enumerate(names)}
    return json.dumps(
        {**marks, "overall_justification": "The answer was read. The marks follow from its length."}
    )


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of the examples."""
    lines = (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def data(folder: Path, n_questions: int | None = None) -> Path:
    """Write the examples, or their first questions alone, with criteria and contexts."""
    questions = rows("questions")[:n_questions]
    asked = {question["question_id"] for question in questions}
    answers = [answer for answer in rows("answers") if answer["question_id"] in asked]
    for question in questions[:3]:
        question["criteria"] = [
            {"criterion": "Names the doctor", "points": 5, "tags": ["axis:completeness"]},
            {"criterion": "Tells to stop abruptly", "points": -3, "tags": ["axis:accuracy"]},
        ]
    for answer in (answer for answer in answers[:6] if "answer" in answer):
        answer["contexts"] = [answer["answer"].split(". ")[0], "The harbour lies in the north of the town."]
    return write_tables(folder, questions=questions, answers=answers, documents=rows("documents"))


def evaluated(folder: Path) -> dict[str, list[list[str]]]:
    """Evaluate in a home in this folder, and return each table of results: its columns, then its rows in order."""
    import medassay

    server = JudgeServer()
    server.behaviour.text, server.behaviour.alternatives = judge, reader
    try:
        medassay.evaluate(
            data(folder / "clinic"),
            home=folder / "home",
            reader=f"logprobs:{server.base_url}#reader",
            judge=f"evidence,{server.spec}",
            listwise=True,
            matcher="combined",
        )
    finally:
        server.close()
    with duckdb.connect(str(folder / "home" / "results.duckdb"), read_only=True) as results:
        return {name: table(results, name) for name in names(results)}


def names(results: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the tables of results."""
    asked = "select table_name from information_schema.tables where table_schema = 'mart' order by all"
    return [name for (name,) in results.execute(asked).fetchall()]


def table(results: duckdb.DuckDBPyConnection, name: str, run_id: str = "%") -> list[list[str]]:
    """Return a table's columns and rows as texts, without what differs from run to run."""
    columns = [column[0] for column in results.execute(f"select * from mart.{name} limit 0").description]
    of_run = "where run_id like $run" if "run_id" in columns else "where $run is not null"
    asked = results.execute(f"select * from mart.{name} {of_run}", {"run": run_id})
    kept = [i for i, column in enumerate(columns) if column not in LEFT_OUT and not OF_CODE.search(column)]
    found = [[cell(row[i]) for i in kept] for row in asked.fetchall()]
    return [[columns[i] for i in kept], *sorted(found)]


def cell(value: Any) -> str:
    """Return a value as it is kept: numbers with three decimals, texts cut, addresses on loopback without their port."""
    if isinstance(value, float):
        return f"{value:.3f}"
    text = "" if value is None else re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1", str(value))
    return " ".join(text.split())[:LONGEST]


def is_same(one: str, other: str) -> bool:
    """Return whether two cells are equal, or are numbers that lie close."""
    if one == other:
        return True
    try:
        return abs(float(one) - float(other)) <= CLOSE
    except ValueError:
        return False


@pytest.fixture(scope="module")
def results(
    needs_the_embedder: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[list[str]]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "*")
        yield evaluated(tmp_path_factory.mktemp("golden"))


def test_every_table_of_results_is_as_reviewed(results: dict[str, list[list[str]]]) -> None:
    differences = []
    for name, found in results.items():
        with (MARTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            kept = list(csv.reader(file))
        if len(kept) != len(found):
            differences.append(f"{name}: {len(found) - 1} rows, reviewed {len(kept) - 1}")
        differences += [
            f"{name}: {row}, reviewed {before}"
            for row, before in zip(found, kept, strict=False)
            if len(row) != len(before) or not all(map(is_same, row, before))
        ]
    assert not differences, "\n".join(differences[:20])


def test_no_reviewed_table_is_gone(results: dict[str, list[list[str]]]) -> None:
    assert {path.stem for path in MARTS.glob("*.csv")} == set(results)


def write(folder: Path) -> None:
    """Write the tables of results to `marts`."""
    MARTS.mkdir(exist_ok=True)
    for path in MARTS.glob("*.csv"):
        path.unlink()
    for name, found in evaluated(folder).items():
        with (MARTS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(found)


if __name__ == "__main__":
    import tempfile

    os.environ["NO_PROXY"] = "*"
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(write(Path(scratch)))
