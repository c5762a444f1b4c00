"""Prompts are files; their digest is part of what a judge is."""

import hashlib
import json
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("prompts")


@cache
def load_prompt(name: str, folder: Path = _FOLDER) -> str:
    """Return the text of `prompts/<name>.md`, or of another folder's file, without the final line break."""
    return (folder / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def prompt_file_digest(name: str) -> str:
    """Return the SHA-256 of a prompt file's text."""
    return hashlib.sha256(load_prompt(name).encode()).hexdigest()


@cache
def load_examples(name: str) -> list[dict[str, str]]:
    """Return the worked examples of `prompts/<name>.json`, in the order in which they are shown."""
    examples: list[dict[str, str]] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return examples
