"""Annotation sheets as CSV or JSON lines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.spreadsheets import SPILLED, SpreadsheetUnreadable, read_spreadsheet, write_spreadsheet

Form = Literal["csv", "jsonl"]
Row = dict[str, str]
T = TypeVar("T")
LOWEST, HIGHEST = 1, 5
ASPECTS = ("relevancy", "fluency", "knowledge_correctness")
OF_EVALUATIONS = (*ASPECTS, "reference_correctness")
PREFERENCES = ("knowledge_correctness", "reference_correctness", "fluency")
SIDES = ("left", "right", "tie")
YES_NO = dict.fromkeys(("yes", "y", "true", "1"), True) | dict.fromkeys(("no", "n", "false", "0"), False)
"""What people write for yes and no, in small letters."""


class SheetUnreadable(Exception):
    """A sheet that cannot be taken in; one line a problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a kind of sheet shows, and what people fill in."""

    shown: tuple[str, ...]
    filled: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return every column, the item's name first."""
        return ("item", *self.shown, *self.filled, "comment")


ANSWERS = Sheet(("question", "reference_answer", "answer"), ASPECTS)
EVALUATIONS = Sheet(("question", "answer", *SUB_METRICS, "justification"), OF_EVALUATIONS)
BLIND = Sheet(
    (
        "question",
        "answer",
        *(f"left_{name}" for name in (*SUB_METRICS, "justification")),
        *(f"right_{name}" for name in (*SUB_METRICS, "justification")),
    ),
    PREFERENCES,
)


def write_sheet(form: Form, sheet: Sheet, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sheet as text; a cell that a spreadsheet would take for a formula gets an apostrophe before it."""
    texts = [{name: _text(row.get(name)) for name in sheet.columns} for row in rows]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in texts)
    return write_spreadsheet(sheet.columns, (list(row.values()) for row in texts))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def read_sheet(form: Form, text: str, sheet: Sheet) -> list[tuple[int, Row]]:
    """Return the filled-in rows with the line each starts at; only the item and what was filled in count.

    Raises:
        SheetUnreadable: for missing columns, lines that are no objects, and an item that stands twice.
    """
    rows = _csv(text, sheet) if form == "csv" else _lines(text)
    if not rows:
        raise SheetUnreadable(["no rows in it; send back the sheet that was exported"])
    missing = [name for name in ("item", *sheet.filled) if not any(name in row for _, row in rows)]
    if missing:
        raise SheetUnreadable([f"no column {', '.join(missing)}; is it the sheet of another step?"])
    problems, seen, found = [], dict[str, int](), []
    for line, row in rows:
        item = row.get("item", "").strip()
        if not item:
            problems.append(f"line {line}: the item is empty; leave it as it was exported")
        elif item in seen:
            problems.append(f"line {line}: item {item} stands at line {seen[item]} too; delete one of them")
        else:
            seen[item] = line
            found.append(
                (line, {name: row.get(name, "").strip() for name in ("item", *sheet.filled, "comment")})
            )
    if problems:
        raise SheetUnreadable(problems)
    return found


def _csv(text: str, sheet: Sheet) -> list[tuple[int, Row]]:
    try:
        names, rows = read_spreadsheet(text, sheet.columns)
    except SpreadsheetUnreadable as error:
        raise SheetUnreadable([str(error)]) from None
    if spilled := [f"line {row.line}: {SPILLED}" for row in rows if row.spilled]:
        raise SheetUnreadable(spilled)
    return [(row.line, dict.fromkeys(names, "") | row.by_column) for row in rows]


def _lines(text: str) -> list[tuple[int, Row]]:
    rows = []
    # Only line feeds end a line: answers hold other characters that Python takes for line ends.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise SheetUnreadable([f"line {number}: not JSON; write one object a line"]) from None
        if not isinstance(value, dict):
            raise SheetUnreadable([f"line {number}: not an object; write one object a line"])
        rows.append((number, {str(name): _text(part) for name, part in value.items()}))
    return rows


def read_scores(
    rows: Sequence[tuple[int, Row]], sheet: Sheet, left_out: list[str] | None = None
) -> dict[str, dict[str, float]]:
    """Return the scores of each item that has any, by aspect; an empty cell is not scored yet.

    Args:
        rows: of the sheet, with the line each starts at.
        sheet: which it is.
        left_out: gets a line for each cell that is no whole number from 1 to 5, where others are.

    Raises:
        SheetUnreadable: where no cell is one; without `left_out`, where any is none.
    """
    found: dict[str, dict[str, float]] = {}
    problems = []
    for line, row in rows:
        for aspect in sheet.filled:
            if not (text := row[aspect]):
                continue
            score = _score(text)
            if score is None:
                problems.append(
                    f"line {line}: {aspect} is {text!r}; write a whole number from {LOWEST} to {HIGHEST}"
                )
            else:
                found.setdefault(row["item"], {})[aspect] = score
    if found and left_out is not None:
        left_out += problems
        problems = []
    return _filled(found, problems, f"whole numbers from {LOWEST} to {HIGHEST}")


def _filled(found: dict[str, dict[str, T]], problems: list[str], to_write: str) -> dict[str, dict[str, T]]:
    """Return what was found where nothing is wrong with it and something is filled in."""
    if not found and not problems:
        problems = [f"nothing is filled in yet; write {to_write}, then import it again"]
    if problems:
        raise SheetUnreadable(problems)
    return found


def _score(text: str) -> float | None:
    try:
        score = float(text.replace(",", "."))
    except ValueError:
        return None
    return score if score.is_integer() and LOWEST <= score <= HIGHEST else None


def read_sides(rows: Sequence[tuple[int, Row]]) -> dict[str, dict[str, str]]:
    """Return the preferred side of each item and field; an empty cell is not decided yet.

    Raises:
        SheetUnreadable: for what is neither left, right nor tie, and where nothing is filled in.
    """
    found: dict[str, dict[str, str]] = {}
    problems = []
    for line, row in rows:
        for field in PREFERENCES:
            if not (text := row[field].lower()):
                continue
            side = next((side for side in SIDES if text in (side, side[0])), None)
            if side is None:
                problems.append(f"line {line}: {field} is {row[field]!r}; write left, right or tie")
            else:
                found.setdefault(row["item"], {})[field] = side
    return _filled(found, problems, "left, right or tie")
