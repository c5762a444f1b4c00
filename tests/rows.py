"""Rows as a data set's files."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    """Write rows as JSON lines and return the file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_tables(folder: Path, **tables: Iterable[Any]) -> Path:
    """Write a file of JSON lines a table into a folder, made where it has to be, and return the folder."""
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        write_rows(folder / f"{name}.jsonl", rows)
    return folder
