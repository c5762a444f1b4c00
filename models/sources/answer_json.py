"""JSON from outside: whatever cannot be read or written down again is a ValueError."""

import json
import re
from typing import Any

_DEEPEST = 100
# Escapes in the order in which JSON reads them: a whole pair, half of one, any other.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)


def read_json(text: str) -> Any:
    """Read JSON that is nested no deeper than a hundred times, so that nothing that walks through it runs out of stack.

    Raises:
        ValueError: for what is no JSON, or is nested deeper.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {_DEEPEST} times") from None
    level = [value]
    for _ in range(_DEEPEST + 1):
        holding = [item for item in level if isinstance(item, list | dict)]
        if not holding:
            return value
        level = [part for item in holding for part in _parts(item)]
    raise ValueError(f"it is nested deeper than {_DEEPEST} times")


def read_answer(body: bytes) -> Any:
    """Read a source's JSON; half of a surrogate pair, which no file or table takes, becomes U+FFFD.

    Raises:
        ValueError: for what is no JSON, or is nested too deep.
    """
    text = body.decode(json.detect_encoding(body), "replace")
    return read_json(_ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text))


def _parts(item: list[Any] | dict[str, Any]) -> list[Any]:
    return list(item.values()) if isinstance(item, dict) else item
