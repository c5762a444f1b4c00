"""What can still be read of a row that is broken: the fields that stand before the break."""

import json
import re
from itertools import takewhile
from typing import Any

from medassay.models.intake.names import is_name
from medassay.models.intake.rows import unclean

_OPENING = re.compile(r"\s*\{")
_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,")
_BLANKS = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


def leading_fields(text: str) -> dict[str, Any]:
    """Read the fields of a JSON object up to where it breaks; of a name that stands there twice nothing is known."""
    fields: dict[str, Any] = {}
    twice: set[str] = set()
    step = _OPENING.match(text)
    while step:
        try:
            name, at = _DECODER.raw_decode(text, _end_of_blanks(text, step.end()))
            if not isinstance(name, str) or (step := _COLON.match(text, at)) is None:
                break
            value, at = _DECODER.raw_decode(text, step.end())
        except (ValueError, RecursionError):
            break
        if name in fields:
            twice.add(name)
        fields[name] = value
        step = _COMMA.match(text, at)
    return storable({name: value for name, value in fields.items() if name not in twice})


def leading_cells(names: list[str], cells: list[str]) -> dict[str, str]:
    """Read the names before the first text of a row that does not fit its header: it did not break before there."""
    held = takewhile(lambda cell: is_name(cell[0]), zip(names, cells, strict=False))
    return storable(dict(held))


def storable(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a database can hold."""
    return {name: value for name, value in fields.items() if not unclean({name: value})}


def _end_of_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
