"""The word lists of this package: `word_lists.txt` has a line `[name]` before each."""

import re
from functools import cache
from pathlib import Path


@cache
def _read() -> dict[str, list[str]]:
    text = Path(__file__).with_name("word_lists.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"^\[(\w+)\]$", re.sub(r"^#.*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return {name: words.split() for name, words in zip(parts[::2], parts[1::2], strict=True)}


def words_in(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(_read()[name])
