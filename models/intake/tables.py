"""Rows of tables: CSV, TSV and workbooks (XLSX, XLS, ODS)."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from medassay.models.intake.adapters import ADAPTERS
from medassay.models.intake.file_opening import opened
from medassay.models.intake.headings import meaning
from medassay.models.intake.json_forms import STRICT, checked
from medassay.models.intake.names import leading_cells, recognised
from medassay.models.intake.printed_lists import NoList, looks_printed, read_printed
from medassay.models.intake.rows import BadRow, IntakeError, Place, RawRow, named, shortened
from medassay.models.unpacking import LARGEST_RATIO, UNCHECKED_BYTES, UNREADABLE_ZIP

Rows = Iterator[RawRow | BadRow]
_LONGEST_CELL = 1 << 27
_COMMA = ",;\t"
"""What separates cells of a `.csv`: the comma, or the semicolon or tab where the header has no comma."""
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?[,;\t]*', re.IGNORECASE)
"""What Excel writes above the header, as `sep=;`."""
SAID = frozenset({"answer", "output", "response"})
"""Columns whose cells are what a system said."""
SILENCE = SAID | {"generated_answer"}
"""Columns whose empty cell says something: that the system said nothing."""
LISTS = frozenset(
    "references sentences nuggets criteria sections identifiers citations cited_spans contexts retrieved_contexts"
    " source_documents source_nodes search_results".split()
)
"""Columns that hold lists alone, where no word can be taken for what a person meant."""
NOTHING = frozenset({"na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "-"})
"""What spreadsheets and programs write into a cell that holds nothing."""


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
        said = shortened(str(error).splitlines()[0])
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
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except UNREADABLE_ZIP:  # the workbook's own reader says what is wrong with it, or repairs it
        return
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


def _separated(path: Path, separators: str) -> Rows:
    """Read a table of text; a broken row is a BadRow and the next one is read.

    The separator is what a first line `sep=;` names, else the first of those given that the header has. A row whose
    quotes span lines keeps the line that it starts on; one without a word is passed over. A cell that holds a JSON
    list or object is read as that, but for an answer, which is text.

    Raises:
        IntakeError: for a header that is none, or a quote that is never closed.
    """
    with _cells(path, separators) as (reader, names, skipped):
        while True:
            line = reader.line_num + skipped + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error) or "field larger" in str(error):
                    raise IntakeError(
                        path, line, "a quote opened here is never closed", "mend the quoting"
                    ) from None
                yield BadRow(
                    str(path), line, "the row's quotes are broken", str(error), "double a quote within quotes"
                )
                continue
            if any(cell.strip() for cell in cells):
                yield _row(path, line, names, cells)


def _row(path: Path, line: int, names: list[str], cells: list[str]) -> RawRow | BadRow:
    if len(cells) > len(names) and not any(cell.strip() for cell in cells[len(names) :]):
        cells = cells[: len(names)]
    if len(cells) != len(names):
        seen = f"{len(cells)} cells under {len(names)} columns"
        advice = (
            "quote cells that hold the separator"
            if len(cells) > len(names)
            else "give every column a cell, empty or not, and quote cells that hold line breaks"
        )
        fields = leading_cells(names, cells)
        return BadRow(str(path), line, "the row does not fit the header", seen, advice, fields=fields)
    # The first column has no name where pandas wrote its row numbers.
    filled = {n: _cell(n, c) for n, c in zip(names, cells, strict=True) if n and _says_something(n, c)}
    return checked(path, Place(line), filled)


def _says_something(name: str, text: str) -> bool:
    meant = meaning(name, None) or name
    return bool({name, meant} & SILENCE) or not (
        text == "" or (meant in LISTS and text.strip().lower() in NOTHING)
    )


def _cell(name: str, text: str) -> Any:
    if (meaning(name, None) or name) in LISTS and looks_printed(text):
        try:
            return STRICT.decode(text)
        except (ValueError, RecursionError):
            return _printed(text)
    if text[:1] in "[{" and text[-1:] in "]}":
        try:
            value = STRICT.decode(text)
        except (ValueError, RecursionError):
            return text
        # What a system said is text, JSON or not; only a peer's answer is a list of sentences.
        said = name in SAID and not (isinstance(value, list) and value and isinstance(value[0], dict))
        return text if said else value
    return text


def _printed(text: str) -> Any:
    """Read a list as Python and others print it; what cannot be read stays a text, for the rules to name."""
    try:
        return read_printed(text)
    except NoList:
        return text


@contextmanager
def _cells(path: Path, separators: str) -> Iterator[tuple[Any, list[str], int]]:
    """Open a table at its first row: the reader, the columns' names, how many lines came before the header."""
    csv.field_size_limit(_LONGEST_CELL)
    with opened(path) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        delimiter, skipped = _separator(stream, separators)
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        try:
            names = _named(_without_blank_end([name.strip() for name in next(reader, [])]))
        except csv.Error as error:
            what = f"the header cannot be read ({error})"
            raise IntakeError(path, skipped + 1, what, "mend its quotes") from None
        if len(names) < 2 or len(set(names)) < len(names) or not all(names[1:]):
            seen = shortened(",".join(names))
            raise IntakeError(
                path,
                skipped + 1,
                f"no header of two or more distinct names: {seen}",
                "name every column once",
            )
        yield reader, names, skipped


def _without_blank_end(names: list[str]) -> list[str]:
    """Leave out the columns without a name at the end that spreadsheets add; their cells are blank."""
    while names and not names[-1]:
        names = names[:-1]
    return names


def _named(columns: list[str]) -> list[str]:
    """Give columns their known names; a peer's keep those that its form is told by."""
    header = dict.fromkeys(columns, "")
    return columns if any(adapter.recognises(header) for adapter in ADAPTERS) else recognised(columns)


def _separator(stream: IO[str], separators: str) -> tuple[str, int]:
    """Find what separates cells, and whether a line that names it stands before the header; step over that line."""
    first = stream.readline(_LONGEST_CELL)
    if told := _SEPARATOR_LINE.fullmatch(first.rstrip("\r\n")):
        return told[1], 1
    stream.seek(0)
    return next((d for d in separators if d in first), ","), 0


def _columns(path: Path, separators: str) -> list[str]:
    """Return the names in the header of a table of text."""
    with _cells(path, separators) as (_, names, _):
        return names


comma_separated, comma_columns = partial(_separated, separators=_COMMA), partial(_columns, separators=_COMMA)
tab_separated, tab_columns = partial(_separated, separators="\t"), partial(_columns, separators="\t")


def workbook(path: Path) -> Rows:
    """Read a workbook's first sheet as a table.

    Raises:
        IntakeError: where it is no workbook, or its header is none.
    """
    names: list[str] = []
    for row in sheet_rows(path):
        if isinstance(row, BadRow):
            yield row
            continue
        line, cells = row
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = _named(header_of(cells, path, line))
            continue
        yield _row(path, line, names, cells)


def workbook_columns(path: Path) -> list[str]:
    """Return the names in a workbook's header."""
    for row in sheet_rows(path):
        if not isinstance(row, BadRow) and any(cell.strip() for cell in row[1]):
            return _named(header_of(row[1], path, row[0]))
    return []
