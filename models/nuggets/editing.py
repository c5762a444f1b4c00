"""Nuggets in a person's hands: out as rows, back in as a new version, with where each came from."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from models.records import Importance

Origin = Literal["given", "made", "edited"]
COLUMNS = ("question_id", "nugget_id", "nugget", "importance", "origin", "by", "version")


@dataclass(frozen=True, slots=True)
class NuggetRow:
    """One nugget as a row of an export.

    `origin` is how it came about (given with the data, made by us, edited by a person), `by` is who made or
    edited it (a method or a name), `version` counts the edits of the question's nugget set, from 1.
    """

    question_id: str
    nugget_id: str
    nugget: str
    importance: Importance
    origin: Origin
    by: str
    version: int = 1


class NuggetRowsUnreadable(ValueError):
    """An import that breaks the rules; one line a problem, each naming its row and what to do."""

    def __init__(self, problems: Sequence[str]):
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def to_csv(rows: Sequence[NuggetRow]) -> str:
    """Write rows as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(row, column) for column in COLUMNS] for row in rows)
    return out.getvalue()


def to_jsonl(rows: Sequence[NuggetRow]) -> str:
    """Write rows as JSON lines."""
    return "".join(
        json.dumps({column: getattr(row, column) for column in COLUMNS}, ensure_ascii=False) + "\n"
        for row in rows
    )


def from_csv(text: str) -> list[NuggetRow]:
    """Read rows from CSV; a spreadsheet's byte order mark and semicolons are understood.

    Raises:
        NuggetRowsUnreadable: with one line a problem.
    """
    text = text.removeprefix("\ufeff")
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else "\t" if "\t" in header else ","
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    return read_rows([(f"line {reader.line_num}", row) for row in reader])


def from_jsonl(text: str) -> list[NuggetRow]:
    """Read rows from JSON lines.

    Raises:
        NuggetRowsUnreadable: with one line a problem.
    """
    rows: list[tuple[str, Mapping[str, Any]]] = []
    problems = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(f"line {number}: not JSON ({error.msg}); write one object a line")
            continue
        if isinstance(row, dict):
            rows.append((f"line {number}", row))
        else:
            problems.append(f"line {number}: a {type(row).__name__}, not an object; write one object a line")
    if problems:
        raise NuggetRowsUnreadable(problems)
    return read_rows(rows)


def read_rows(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[NuggetRow]:
    """Read (where, row) pairs; a new nugget may leave out id, origin, by and version.

    Raises:
        NuggetRowsUnreadable: with one line a problem; nothing is imported by halves.
    """
    problems: list[str] = []
    read: list[NuggetRow] = []
    seen: dict[tuple[str, str], str] = {}
    for where, row in rows:
        value = {key.strip(): text_of(row.get(key)) for key in row if isinstance(key, str)}
        wrong = faults(value)
        question, nugget = value.get("question_id", ""), " ".join(value.get("nugget", "").split())
        twin = seen.setdefault((question, nugget.casefold()), where)
        if twin != where:
            wrong.append(f"the same nugget stands at {twin}; delete one of them")
        problems.extend(f"{where}: {problem}" for problem in wrong)
        if not wrong:
            importance: Importance = "okay" if value.get("importance", "").lower() == "okay" else "vital"
            origin: Origin = (
                "given"
                if value.get("origin") == "given"
                else "made"
                if value.get("origin") == "made"
                else "edited"
            )
            version = int(value.get("version") or 1)
            read.append(
                NuggetRow(
                    question,
                    value.get("nugget_id", ""),
                    nugget,
                    importance,
                    origin,
                    value.get("by", ""),
                    version,
                )
            )
    if not rows:
        problems.append(f"no rows; the columns are {', '.join(COLUMNS)}")
    if problems:
        raise NuggetRowsUnreadable(problems)
    return read


def faults(value: Mapping[str, str]) -> list[str]:
    """List what is wrong with one row."""
    found = [
        f"`{column}` is missing or empty; fill it in"
        for column in ("question_id", "nugget")
        if not value.get(column, "").strip()
    ]
    if value.get("importance", "").lower() not in ("", "vital", "okay"):
        found.append(f"`importance` is {value['importance']!r}; write vital or okay")
    if value.get("origin", "") not in ("", "given", "made", "edited"):
        found.append(
            f"`origin` is {value['origin']!r}; leave it as it was exported, or empty for a new nugget"
        )
    if value.get("version", "") and not value["version"].isdigit():
        found.append(f"`version` is {value['version']!r}; leave it as it was exported")
    return found


def text_of(value: Any) -> str:
    """Return a cell as text, an absent one as the empty text."""
    return "" if value is None else str(value).strip()


def edited(before: Sequence[NuggetRow], after: Sequence[NuggetRow], editor: str) -> list[NuggetRow]:
    """Return the new nugget sets of the questions that a person changed; unchanged questions are left out.

    A nugget whose words and grade are as they were keeps its provenance; any other is `edited` by `editor`.
    The version of a changed question is one more than its highest so far. Only questions that occur in
    `after` are looked at, so that a part of an export can be sent back alone.
    """
    known = {(row.question_id, row.nugget, row.importance): row for row in before}
    changed: list[NuggetRow] = []
    for question in dict.fromkeys(row.question_id for row in after):
        mine = [row for row in before if row.question_id == question]
        theirs = [row for row in after if row.question_id == question]
        if {(row.nugget, row.importance) for row in mine} == {(row.nugget, row.importance) for row in theirs}:
            continue
        version = 1 + max((row.version for row in mine), default=0)
        for row in theirs:
            same = known.get((question, row.nugget, row.importance))
            origin: Origin = "edited" if same is None else same.origin
            by = editor if same is None else same.by
            changed.append(replace(row, origin=origin, by=by, version=version))
    return changed
