"""Formats of files that are read: the one list from which reading, messages, names of data sets and docs are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from medassay.models.intake import arrow_files, publications, tables
from medassay.models.intake.inspect_logs import inspect_samples
from medassay.models.intake.json_forms import json_file, json_lines
from medassay.models.intake.parquet_files import parquet, parquet_columns
from medassay.models.intake.rows import BadRow, RawRow

Rows = Iterator[RawRow | BadRow]
PACKED = ".gz"


@dataclass(frozen=True, slots=True)
class Format:
    """A format, by the ends of its files' names.

    Attributes:
        name: What docs call it.
        endings: Ends of names, in small letters.
        read: Yields a file's rows, and a BadRow for each that is none.
        columns: Returns the names in a table's header; absent where each row names its own fields.
        holds: Rows of tables; or documents alone, a list of them or the file as one. A list is read wherever in a
            data set's folder it lies, one document in its folder `documents`.
        layout: Whether people see lines in it, and whether each is a row.
        is_packed: Whether a file with `.gz` behind its ending is read, too.
        is_advised: Whether people are told to write it where something else cannot be read.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Path], Rows]
    columns: Callable[[Path], list[str]] | None = None
    holds: Literal["tables", "documents", "one document"] = "tables"
    layout: Literal["row a line", "text", "binary"] = "text"
    is_packed: bool = True
    is_advised: bool = False


ARROW = Format(
    "Arrow and Feather; a saved Hugging Face data set",
    (".arrow", ".feather"),
    arrow_files.arrow,
    arrow_files.arrow_columns,
    layout="binary",
)
FORMATS = (
    Format("JSON lines", (".jsonl", ".ndjson"), json_lines, layout="row a line", is_advised=True),
    Format("JSON", (".json",), json_file, is_advised=True),
    Format("CSV, also as spreadsheets write it", (".csv",), tables.comma_separated, tables.comma_columns,
           is_advised=True),
    Format("TSV", (".tsv",), tables.tab_separated, tables.tab_columns, is_advised=True),
    Format("Parquet", (".parquet",), parquet, parquet_columns, layout="binary", is_advised=True),
    ARROW,
    Format("Excel workbook, its first sheet", (".xlsx",), tables.workbook, tables.workbook_columns, layout="binary",
           is_packed=False, is_advised=True),
    Format("other workbooks, their first sheet", (".xlsm", ".xls", ".ods"), tables.workbook,
           tables.workbook_columns, layout="binary", is_packed=False),
    Format("log of Inspect", (".eval",), inspect_samples, layout="binary", is_packed=False),
    Format("MEDLINE and RIS", (".nbib", ".ris"), publications.tagged, holds="documents"),
    Format("BibTeX", (".bib",), publications.bibtex, holds="documents"),
    Format("PDF with a text layer", (".pdf",), publications.pdf, holds="one document", layout="binary",
           is_packed=False),
    Format("plain text", (".txt", ".md"), publications.plain_text, holds="one document"),
)  # fmt: skip


def advised() -> str:
    """Return the endings that people are told to write."""
    packed, plain = (
        [end for form in FORMATS if form.is_advised and form.is_packed is packed for end in form.endings]
        for packed in (True, False)
    )
    return f"{', '.join(packed)}, plain or {PACKED}, or {', '.join(plain)}"


def format_of(path: Path) -> Format | None:
    """Return which format a file's name promises, Arrow for a folder of a saved data set; None for none of them."""
    if arrow_files.is_saved_data_set(path):
        return ARROW
    name = path.name.lower().removesuffix(PACKED)
    return next((form for form in FORMATS if name.endswith(form.endings)), None)


def without_ending(path: Path) -> str:
    """Return a file's name without the ending of its format and `.gz`."""
    name = path.name[: -len(PACKED)] if path.name.lower().endswith(PACKED) else path.name
    form = format_of(path)
    ends = form.endings if form else ()
    return next((name[: -len(end)] for end in ends if name.lower().endswith(end)), name)


def stem(path: Path) -> str:
    """Return a file's name without its endings, in small letters."""
    return without_ending(path).lower()


def columns(path: Path) -> list[str] | None:
    """Return a table's column names; None for a file that has none, because each row names its own fields."""
    form = format_of(path)
    return form.columns(path) if form and form.columns else None
