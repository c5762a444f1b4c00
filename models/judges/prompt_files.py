"""Prompts are files; their digest is part of what a judge is."""

import hashlib
from pathlib import Path

_FOLDER = Path(__file__).with_name("prompts")


def load_prompt(name: str) -> str:
    """Return the text of `prompts/<name>.md`, without the final line break."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def prompt_file_digest(name: str) -> str:
    """Return the SHA-256 of a prompt file's text."""
    return hashlib.sha256(load_prompt(name).encode()).hexdigest()
