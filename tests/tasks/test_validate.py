"""Landed rows become the run's rows or go to quarantine: what is said of those that do not stay."""

import json
from pathlib import Path
from typing import Any

from models.settings import Settings
from tasks.ingest import ingest
from tasks.progress import Silence, watched_by
from tasks.run import started_run
from tasks.validate import validate

QUESTION = {"question_id": "q", "question": "Is it safe?"}
ANSWER = {"question_id": "q", "system": "s", "answer": "It is."}


class Told(Silence):
    """Keeps what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep it."""
        self.lines.append(line)


def lines(path: Path, *rows: Any) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def told_of(home: Path, folder: Path) -> list[str]:
    """Validate a folder and return what was said of it."""
    told = Told()
    with watched_by(told), started_run(home, Settings(str(folder))) as run:
        ingest(run)
        validate(run)
    return [line.replace(f"{folder}/", "") for line in told.lines]


def test_a_row_of_a_json_file_is_named_by_its_item(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.json", [QUESTION])
    answers = [ANSWER, {"question_id": "q", "answer": "x"}, ANSWER, {**ANSWER, "question_id": "r"}]
    lines(tmp_path / "answers.json", answers)
    repeated = "keep one of the rows, or give each its own id"
    assert told_of(home, tmp_path) == [
        "answers.json:1: question_id and system are repeated: item 3: q/s was read before, at answers.json:1, item 1;"
        f" {repeated}",
        "answers.json:1: the question is unknown: item 4: question_id r;"
        " add the question to questions.*, or correct the id; if the question is in quarantine, mend it first",
        "answers.json:1: system is missing or not text: item 2: nothing there; give every row a system",
    ]
