"""The values of keys in use, taken out of every text that is stored: a reply may repeat the header it came with."""

import html
import json
import os
import re
import urllib.parse
from collections.abc import Iterable, Iterator

MASK = "[key]"
_VARIABLE = re.compile(r"(?:[A-Z0-9]+_)*API_KEY|[A-Z0-9_]*(?:_TOKEN|_SECRET)", re.IGNORECASE)
_SHORTEST = 6
"""Characters of a key that is masked wherever it stands. Placeholders of servers that need no key ("none") are shorter:
they are masked behind `Bearer` alone."""


def keys_in_use() -> list[str]:
    """Return the values of the environment's variables that are named as keys, tokens and secrets are."""
    held = (value.strip() for name, value in os.environ.items() if _VARIABLE.fullmatch(name))
    return sorted({value for value in held if value})


def without_keys(text: str, keys: Iterable[str]) -> str:
    """Put `[key]` in place of every key in a text, also as addresses, JSON and web pages write it."""
    written = sorted({form for key in keys for form in _forms(key)}, key=len, reverse=True)
    return re.sub("|".join(written), MASK, text) if written else text


def _forms(key: str) -> Iterator[str]:
    quoted = (
        urllib.parse.quote(key),
        urllib.parse.quote(key, safe=""),
        json.dumps(key)[1:-1],
        html.escape(key),
    )
    for form in {key, *quoted}:
        whole = re.escape(form)
        yield whole if len(key) >= _SHORTEST else rf"(?<=Bearer ){whole}(?!\w)"
