"""CSV for spreadsheets: formula injection prevented, re-exported files read back."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

SEPARATORS = ",;\t|"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the start of a formula, the last four in full width."""
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d+)?", re.IGNORECASE)
SPILLED = "more cells than the header has; put texts that hold commas between quotes"


class SpreadsheetUnreadable(ValueError):
    """Text that is no CSV; the message names the line and what to do."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One row: the line it starts at, its cells by column, and whether text stands beyond the header's columns."""

    line: int
    by_column: dict[str, str]
    spilled: bool


def write_spreadsheet(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return CSV with a header; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_guarded(name) for name in columns])
    writer.writerows([_guarded(cell) for cell in row] for row in rows)
    return out.getvalue()


def _guarded(cell: Any) -> Any:
    """Guard a text; one that is guarded as it stands gets a second apostrophe, so that reading takes off one."""
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}" if cell.lstrip("'").startswith(FORMULA) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA) else cell


def read_spreadsheet(text: str, columns: Sequence[str]) -> tuple[list[str], list[Cells]]:
    """Return the names in the header and the rows that hold any text.

    The separator is the one under which the header names most of `columns`; capitals and spaces in names mean nothing.
    The apostrophes that `write_spreadsheet` puts before formulas are taken off.

    Raises:
        SpreadsheetUnreadable: where a quote is never closed, or text follows a closed one.
    """
    text = text.removeprefix("\ufeff")
    # A cell may be as long as the file; csv by itself stops at 131,072 characters.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    skipped = text[:4].lower() == "sep="
    if skipped:
        text = text.partition("\n")[2]
    first = text.replace("\r", "\n").partition("\n")[0]
    separator = max(
        SEPARATORS, key=lambda one: len({*columns} & {plain_name(name) for name in first.split(one)})
    )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[Cells] = []
    try:
        names = [plain_name(name) for name in next(reader, [])]
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                spilled = any(cell.strip() for cell in cells[len(names) :])
                rows.append(
                    Cells(line + skipped, dict(zip(names, map(_unguarded, cells), strict=False)), spilled)
                )
            line = reader.line_num + 1
    except csv.Error as error:
        raise SpreadsheetUnreadable(
            f"after line {reader.line_num + skipped}: not CSV ({error}); save it as CSV again"
        ) from None
    return names, rows


def plain_name(name: str) -> str:
    """Write a column's name as it stands in a table of ours: small letters, no blanks."""
    return name.strip().strip('"').lower().replace(" ", "_")
