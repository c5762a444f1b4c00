"""Folders that are made once and whole, and what names their content."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medassay.models.keys import content_key
from medassay.models.registry.storing import digest_of
from medassay.models.unpacking import written_whole

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
