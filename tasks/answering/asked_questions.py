"""Read the questions that systems are asked from a data folder or file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.intake import BadRow, read_data, violations
from medassay.models.intake.rows import Intake
from medassay.sql.warehouse import Row
from medassay.tasks.progress import watcher
from medassay.tasks.run import BadData

MOST_SHOWN = 20


@dataclass
class Questions:
    """What is asked and what lies beside it; `rejected` says what was left out, a line each."""

    name: str
    questions: list[Row] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    given: list[Row] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def read_questions(path: Path) -> Questions:
    """Read the questions of a folder or file, by the rules of an evaluation.

    Raises:
        IntakeError: when it cannot be read.
        BadData: when no question is left.
    """
    found = Questions(path.resolve().name.split(".")[0])
    data = read_data(path)
    landed: dict[str, list[Intake]] = {"question": [], "document": [], "answer": []}
    for row in data.rows:
        if isinstance(row, BadRow):
            place = row.file if row.line is None else f"{row.file}:{row.line}"
            found.rejected.append(f"{place}: {row.rule}: {row.observed}; {row.advice}")
        elif row.kind in landed:
            landed[row.kind].append(row)
    seen: set[str] = set()
    for question in _sound(landed["question"], "question", found):
        if question["question_id"] not in seen:
            found.questions.append(question)
        seen.add(question["question_id"])
    found.documents = _sound(landed["document"], "document", found)
    found.given = [row for row in _sound(landed["answer"], "answer", found) if row["question_id"] in seen]
    for line in found.rejected[:MOST_SHOWN]:
        watcher().say(line)
    if len(found.rejected) > MOST_SHOWN:
        watcher().say(f"… and {len(found.rejected) - MOST_SHOWN} more")
    if not found.questions:
        raise BadData(f"{path}: no question in it; give rows with question_id and question")
    return found


def _sound(rows: list[Intake], kind: Any, found: Questions) -> list[Row]:
    if not rows:
        return []
    broken: dict[int, str] = {}
    for violation in violations(kind, [row.value for row in rows]):
        row = rows[violation.row]
        if violation.severity == "critical":
            raise BadData(f"{row.file}: {violation.rule}: {violation.observed}; {violation.advice}")
        broken.setdefault(
            violation.row,
            f"{row.place.within(row.file)}: {violation.rule}: {violation.observed}; {violation.advice}",
        )
    found.rejected += broken.values()
    return [row.value for number, row in enumerate(rows) if number not in broken]
