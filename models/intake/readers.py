"""Stream rows of files: JSON lines, JSON, CSV, TSV, Parquet (also gzipped), Arrow, workbooks, logs, publications."""

from collections.abc import Callable, Iterator
from pathlib import Path

from medassay.models.intake.arrow_files import arrow, is_saved_data_set
from medassay.models.intake.file_opening import refuse_absent
from medassay.models.intake.inspect_logs import inspect_samples
from medassay.models.intake.json_forms import json_file, json_lines
from medassay.models.intake.parquet_files import parquet
from medassay.models.intake.publications import READERS as OF_DOCUMENTS
from medassay.models.intake.rows import BadRow, IntakeError, RawRow
from medassay.models.intake.tables import ENDINGS as OF_WORKBOOKS
from medassay.models.intake.tables import separated, workbook

Rows = Iterator[RawRow | BadRow]
READERS: dict[str, Callable[[Path], Rows]] = {
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".json": json_file,
    ".csv": separated,
    ".tsv": separated,
    ".parquet": parquet,
    ".arrow": arrow,
    ".feather": arrow,
    ".eval": inspect_samples,
    **dict.fromkeys(OF_WORKBOOKS, workbook),
    **OF_DOCUMENTS,
}
FORMS = ".jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx"
"""What a person is told to write; Arrow files and other tools' logs are read besides."""


def read_rows(path: Path, *, beside: bool = False) -> Rows:
    """Yield the objects of a file, and a BadRow for every line that is none.

    With `beside`, what a JSON file holds beside its rows is yielded too.

    Memory holds one row, or for Parquet one row group, whatever the file's size.

    Raises:
        IntakeError: when the file is missing, empty, of an unknown form, or breaks off.
    """
    if path.is_dir() and not is_saved_data_set(path):
        raise IntakeError(path, None, "a folder stands where a file was expected", "give the file in it")
    refuse_absent(path, "no such file", "check the path")
    form = ending(path)
    if form is None:
        raise IntakeError(path, None, "not a form that is read", f"use {FORMS}")
    nothing_read = True
    for row in READERS[form](path) if path.is_dir() or path.stat().st_size else ():
        if isinstance(row, RawRow) and row.beside and not beside:
            continue
        nothing_read = False
        yield row
    if nothing_read:
        raise IntakeError(path, None, "the file holds no row", "give at least one, or remove the file")


def unread(path: Path, what: str) -> IntakeError:
    """Say in which forms a table would be read, and of a folder that one file would."""
    if path.is_dir():
        return IntakeError(path, None, f"a folder, {what}", f"save what it holds in one file as {FORMS}")
    return IntakeError(path, None, what, f"save it as {FORMS}")


def ending(path: Path) -> str | None:
    """Return which of the forms a file's name promises, `.arrow` for a saved data set; None for none of them."""
    if is_saved_data_set(path):
        return ".arrow"
    name = path.name.lower().removesuffix(".gz")
    return next((form for form in READERS if name.endswith(form)), None)


def stem(path: Path) -> str:
    """Return a file's name without its endings, in small letters."""
    return path.name.lower().removesuffix(".gz").removesuffix(ending(path) or "")
