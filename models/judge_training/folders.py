"""Folders that are made once and whole, and what names their content."""

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from medassay.models.atomic_files import written_whole
from medassay.models.intake.file_opening import opened
from medassay.models.keys import content_key
from medassay.models.weights.storing import digest_of

Made = TypeVar("Made")
KEY_FILE = "made_from.json"
_DECIDING = ("*.safetensors", "*.bin", "tokenizer*", "chat_template*", "*config.json")


def folder_digest(folder: Path) -> str:
    """Name a model's folder by the content of its weights, settings and tokenizer."""
    files = sorted({path for pattern in _DECIDING for path in folder.glob(pattern) if path.is_file()})
    return content_key({path.name: digest_of(path) for path in files})


def whole_folder(folder: Path, key: str, make: Callable[[Path], None]) -> Path:
    """Return a folder made from what `key` names; made beside its place, so that it is there whole or not at all."""
    if made_from(folder) == key:
        return folder
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    make(draft)
    write_json(draft / KEY_FILE, {"key": key})
    shutil.rmtree(folder, ignore_errors=True)
    draft.replace(folder)
    return folder


def made_from(folder: Path) -> str | None:
    """Return the key of what a folder was made from, None where it is not there."""
    file = folder / KEY_FILE
    return str(read_json(file)["key"]) if file.is_file() else None


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text("utf-8"))


def built(kind: type[Made], fields: Any) -> Made:
    """Build a dataclass from its fields as JSON holds them: lists become tuples, mappings the dataclasses within."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_python(fields)


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write rows (dataclasses or mappings) as JSON lines, whole or not at all, gzipped where the name ends in `.gz`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        for row in rows:
            fields = asdict(row) if is_dataclass(row) and not isinstance(row, type) else row
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read what `write_lines` wrote."""
    with opened(path) as file:
        return [json.loads(line) for line in file if line.strip()]
