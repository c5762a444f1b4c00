"""Convert rows, frames and mappings of tables to input files."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Rows: TypeAlias = "Iterable[Mapping[str, Any]] | pd.DataFrame"
Data: TypeAlias = "str | Path | Rows | Mapping[str, Rows]"


def as_path(data: Data, folder: Path) -> Path:
    """Return where the data lies: a path as it is, everything else as JSON lines in `folder`.

    Rows without any `question_id` are numbered by their question's text, and rows without any `system` belong to one
    system named `system`.

    Raises:
        UsageError: when it is no path, rows, frame or mapping of tables.
    """
    from medassay.models.intake.data_files import STEMS
    from medassay.models.usage import UsageError

    if isinstance(data, str | Path):
        return Path(data)
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(data, Mapping):
        if unknown := [name for name in data if name not in STEMS]:
            raise UsageError(f"data has a table {unknown[0]!r}: choose of {', '.join(STEMS)}")
        for name, table in data.items():
            _write(folder / f"{name}.jsonl", _rows(table, name))
        return folder
    path = folder / "rows.jsonl"
    _write(path, _named(list(_rows(data, "data"))))
    return path


def _rows(table: Any, name: str) -> Iterator[dict[str, Any]]:
    from medassay.models.usage import UsageError

    if hasattr(table, "to_dicts"):  # polars
        table = table.to_dicts()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):
        table = table.to_dict("records")
    if isinstance(table, str | bytes) or not isinstance(table, Iterable):
        raise UsageError(f"{name} is a {type(table).__name__}: give a path, rows (dicts) or a DataFrame")
    for number, row in enumerate(table):
        row = asdict(row) if is_dataclass(row) and not isinstance(row, type) else row
        if not isinstance(row, Mapping):
            raise UsageError(f"row {number} of {name} is a {type(row).__name__}: give each row as a dict")
        yield {str(key): plain for key, value in row.items() if (plain := _plain(value)) is not None}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what stands for nothing in a frame (NaN, NaT, NA) is None."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return _plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return str(value)


def _named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give rows that have neither the names that would tell their questions and systems apart."""
    from medassay.models.intake.names import IDENTITY, SYNONYMS

    question = ("question", *(old for old, new in SYNONYMS["question"].items() if new == "question"))
    system = ("system", *(old for old, new in SYNONYMS["answer"].items() if new == "system"))
    if not any(name in row for row in rows for name in IDENTITY):
        numbers: dict[str, int] = {}
        for row in rows:
            text = next((str(row[name]) for name in question if name in row), None)
            if text is not None:
                row["question_id"] = f"q{numbers.setdefault(text, len(numbers) + 1)}"
    if not any(name in row for row in rows for name in (*system, "answers")):
        for row in rows:
            row["system"] = "system"
    return rows


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
