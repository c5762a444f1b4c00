"""Stream rows of files, in whatever format of `formats.FORMATS` they are."""

from collections.abc import Iterator
from pathlib import Path

from medassay.models.intake.arrow_files import is_saved_data_set
from medassay.models.intake.file_opening import refuse_absent
from medassay.models.intake.formats import advised, format_of
from medassay.models.intake.rows import BadRow, IntakeError, RawRow

Rows = Iterator[RawRow | BadRow]


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
    form = format_of(path)
    if form is None:
        raise IntakeError(path, None, "not a form that is read", f"use {advised()}")
    nothing_read = True
    for row in form.read(path) if path.is_dir() or path.stat().st_size else ():
        if isinstance(row, RawRow) and row.beside and not beside:
            continue
        nothing_read = False
        yield row
    if nothing_read:
        raise IntakeError(path, None, "the file holds no row", "give at least one, or remove the file")


def unread(path: Path, what: str) -> IntakeError:
    """Name in which forms a table would be read, and of a folder that one file would."""
    if path.is_dir():
        return IntakeError(path, None, f"a folder, {what}", f"save what it holds in one file as {advised()}")
    return IntakeError(path, None, what, f"save it as {advised()}")
