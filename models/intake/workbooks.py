"""Spreadsheet files (XLSX, XLS, ODS) by row, as a table whose cells are texts."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medassay.models.intake.rows import BadRow, IntakeError, named
from medassay.models.unpacking import LARGEST_RATIO, UNCHECKED_BYTES

ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")


def sheet_rows(path: Path) -> Iterator[tuple[int, list[str]] | BadRow]:
    """Yield the rows of the first sheet that holds any, with their numbers from 1; each further sheet is a BadRow.

    Raises:
        IntakeError: where the file is none of these, is damaged or unpacks to too much.
    """
    _refuse_swollen(path)
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = [
            (name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)) for name in book.sheet_names
        ]
    except (CalamineError, OSError) as error:
        said = str(error).splitlines()[0]
        raise IntakeError(
            path, None, f"the workbook cannot be read ({said})", "save it again, or as CSV"
        ) from None
    filled = [(name, rows) for name, rows in sheets if any(_text(cell) for row in rows for cell in row)]
    for _, rows in filled[:1]:
        yield from ((number, [_text(cell) for cell in row]) for number, row in enumerate(rows, 1))
    for name, _ in filled[1:]:
        observed = f"sheet {name!r}, beside {filled[0][0]!r}"
        yield BadRow(
            str(path), None, "only the first sheet is read", observed, "save the other as a file of its own"
        )


def _refuse_swollen(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > UNCHECKED_BYTES and size > LARGEST_RATIO * path.stat().st_size:
        what = f"it unpacks to more than {LARGEST_RATIO} times its size"
        raise IntakeError(path, None, what, "save it as CSV if it is sound")


def _text(cell: Any) -> str:
    """Write a cell as the sheet shows it: whole numbers without a fraction, dates as ISO writes them."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell.isoformat()) if hasattr(cell, "isoformat") else str(cell)


def header_of(cells: list[str], path: Path, line: int) -> list[str]:
    """Return the names in a header.

    Raises:
        IntakeError: where they are not distinct, or one within is empty.
    """
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names = names[:-1]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names[1:]):
        what = f"no header of two or more distinct names: {named(names)}"
        raise IntakeError(path, line, what, "name every column once")
    return names
