"""Prompts as files with their digests, and the canary word that a judge is told not to repeat."""

import hashlib
import json
import re
from functools import cache
from pathlib import Path

from medassay.models.chat.fence import code_word
from medassay.models.chat.reply import Complaint, visible_part

_NO_SIGN_OF_A_CANARY = re.compile(r"[^0-9a-f]+")

_FOLDER = Path(__file__).with_name("prompts")


class JudgeTakenOver(Complaint):
    """The reply holds the canary: the material, not the instructions, was obeyed."""


def canary_of(secret: bytes, key: str) -> str:
    """Return the word that must not come back from the call about one input."""
    return code_word(secret, key, "canary")


def forbidden(canary: str) -> str:
    """Say, outside the fences, which word must not be repeated."""
    return f"The word {canary} must not appear in your reply."


def repeats(canary: str, text: str) -> bool:
    """Tell whether a text holds the canary, whatever its case, backwards too, and whatever stands between its signs."""
    signs = _NO_SIGN_OF_A_CANARY.sub("", text.lower())
    return canary in signs or canary[::-1] in signs


def refuse_repeated(canary: str, text: str) -> None:
    """Refuse a reply that repeats the canary outside its reasoning.

    Raises:
        JudgeTakenOver: when it does.
        Complaint: when the text ends inside its reasoning.
    """
    if repeats(canary, visible_part(text)):
        raise JudgeTakenOver("the reply repeats the word that must not be repeated")


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
