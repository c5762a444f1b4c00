"""Annotation sheets as CSV or JSON lines."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.spreadsheets import SPILLED, SpreadsheetUnreadable, read_spreadsheet, write_spreadsheet

Form = Literal["csv", "jsonl"]
Row = dict[str, str]
T = TypeVar("T")
F = TypeVar("F", dict[str, Any], dict[str, dict[str, Any]])
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


def read_cells(
    rows: Sequence[tuple[int, Row]],
    filled: Sequence[str],
    read: Callable[[str], T | None],
    to_write: str,
    nothing: str,
    left_out: list[str] | None = None,
) -> dict[str, dict[str, T]]:
    """Return what was filled in of each item, by column; an empty cell is not filled in yet.

    Args:
        rows: of the sheet, with the line each starts at.
        filled: the columns that people fill in.
        read: what a cell says, None where it cannot be read.
        to_write: what a cell that cannot be read should have.
        nothing: what to say where no cell is filled in.
        left_out: gets a line for each cell that cannot be read, where others can.

    Raises:
        SheetUnreadable: where no cell can be read; without `left_out`, where any cannot.
    """
    found: dict[str, dict[str, T]] = {}
    problems = []
    for line, row in rows:
        for name in filled:
            if not (text := row[name]):
                continue
            if (value := read(text)) is None:
                problems.append(f"line {line}: {name} is {text!r}; write {to_write}")
            else:
                found.setdefault(row["item"], {})[name] = value
    return found_or_refused(found, problems, nothing, left_out)


def found_or_refused(found: F, problems: list[str], nothing: str, left_out: list[str] | None) -> F:
    """Return what was found in a sheet, with its problems in `left_out`, unless nothing was, or there is no such list.

    Raises:
        SheetUnreadable: otherwise.
    """
    if found and left_out is not None:
        left_out += problems
    elif problems or not found:
        raise SheetUnreadable(problems or [nothing])
    return found


def read_scores(
    rows: Sequence[tuple[int, Row]], sheet: Sheet, left_out: list[str] | None = None
) -> dict[str, dict[str, float]]:
    """Return the scores of each item that has any, by aspect; see `read_cells`."""
    whole = f"from {LOWEST} to {HIGHEST}"
    nothing = f"nothing is filled in yet; write whole numbers {whole}, then import it again"
    return read_cells(rows, sheet.filled, _score, f"a whole number {whole}", nothing, left_out)


def _score(text: str) -> float | None:
    try:
        score = float(text.replace(",", "."))
    except ValueError:
        return None
    return score if score.is_integer() and LOWEST <= score <= HIGHEST else None


def read_sides(
    rows: Sequence[tuple[int, Row]], left_out: list[str] | None = None
) -> dict[str, dict[str, str]]:
    """Return the preferred side of each item and field; see `read_cells`."""
    nothing = "nothing is filled in yet; write left, right or tie, then import it again"
    return read_cells(rows, PREFERENCES, _side, "left, right or tie", nothing, left_out)


def _side(text: str) -> str | None:
    said = text.lower()
    return next((side for side in SIDES if said in (side, side[0])), None)


def yes_or_no(text: str) -> bool | None:
    """Return what a cell says, None for what is neither."""
    return YES_NO.get(text.casefold())
