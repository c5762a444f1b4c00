"""Find and parse JSON objects in a text, without repairing them.

A repair mends signs (a comma too many, single quotes, a bare key). A value that would have to be guessed, a key that
is given twice, and an object that ends before its last brace are errors in words that a model can act on.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

DEEPEST = 60
_NO_REPAIR = "the reply is not valid JSON and could not be repaired"
_TOO_DEEP = "the reply is not valid JSON, and nested too deeply to be repaired"
_LIKE_AN_OBJECT = re.compile(r"""\{\s*(?:["'“”}]|[A-Za-z_]\w*\s*:)""")
_NUMBER_ALONE = r"""\s*["'“”]?\s*[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s*["'“”]?\s*(?=[,}\]\n]|//|/\*|#)"""
_ENDS_WHOLE = re.compile(r"""(?:["'”’\d\]}]|true|false|null|None|True|False|NaN|Infinity)[\s,]*\}$""")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Guesswork(ValueError):
    """What an object says would have to be guessed; the message says which part of it."""


@dataclass(frozen=True, slots=True)
class Found:
    """One object of a text, or why it cannot be read."""

    value: dict[str, Any]
    repaired: bool = False
    error: str | None = None


def objects_in(text: str) -> Iterator[Found]:
    """Give the outermost objects of a text in order; braces of prose are none.

    What stands inside an object that cannot be read is not read by itself: it may be a quotation.
    """
    ends = _closing_braces(text)
    position = text.find("{")
    while position >= 0:
        found, end = _object_at(text, position, ends)
        if found is not None:
            yield found
        position = text.find("{", end)


def is_one_object(text: str) -> bool:
    """Return whether a text is one JSON object and nothing else."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def printable(value: Any) -> Any:
    """Return JSON values whose texts can be written as UTF-8: half of a surrogate pair stands for no character."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): printable(one) for name, one in value.items()}
    return value


def _object_at(text: str, start: int, ends: dict[int, int]) -> tuple[Found | None, int]:
    """Read the object that begins at a brace; return it, if it is one, and where to look on."""
    twice: list[str] = []
    try:
        value, end = _decoder(twice).raw_decode(text, start)
        value = printable(value)
    except (ValueError, RecursionError):
        return _broken_object(text, start, ends)
    if twice:
        return Found({}, error=f"{twice[0]} is given twice, with different values"), end
    return Found(value), end


def _broken_object(text: str, start: int, ends: dict[int, int]) -> tuple[Found | None, int]:
    if not _LIKE_AN_OBJECT.match(text, start):
        return None, start + 1
    if start not in ends:
        return Found({}, error="the JSON object is not whole: its last brace is missing"), len(text)
    written = text[start : ends[start]]
    try:
        return Found(_repaired(written), repaired=True), ends[start]
    except Guesswork as guesswork:
        return Found({}, error=str(guesswork)), ends[start]


def _decoder(twice: list[str]) -> json.JSONDecoder:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for name, given in pairs:
            if name in value and value[name] != given:
                twice.append(name)
            value[name] = given
        return value

    return json.JSONDecoder(object_pairs_hook=unique, parse_constant=_no_constant)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _closing_braces(text: str) -> dict[int, int]:
    """Return where each brace that is closed ends, strings or not: broken ones cannot be told apart."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            ends[opened.pop()] = match.end()
    return ends


def _repaired(written: str) -> dict[str, Any]:
    """Mend an object's signs.

    Raises:
        Guesswork: where more than signs is wrong.
    """
    import json_repair

    if written.count("{") > DEEPEST:
        raise Guesswork(_TOO_DEEP)
    if not _ENDS_WHOLE.search(written):
        raise Guesswork("the reply is not valid JSON: its last value has no end")
    try:
        value = printable(json_repair.loads(written))
    except RecursionError:
        raise Guesswork(_TOO_DEEP) from None
    except AssertionError:  # json_repair's own, of signs that it did not expect
        raise Guesswork(_NO_REPAIR) from None
    except ValueError as error:
        raise Guesswork(f"the reply is not valid JSON: {error}") from error
    if not isinstance(value, dict) or not value:
        raise Guesswork(_NO_REPAIR)
    for name, given in value.items():
        _check_that_it_was_written(name, given, written)
    return value


def _check_that_it_was_written(name: str, given: Any, written: str) -> None:
    """Refuse a key that stands there more than once, and a number that is more than a number there."""
    places = list(re.finditer(rf"""(?<!\w)["'“”]?{re.escape(name)}["'“”]?\s*:""", written))
    if len(places) > 1 and not isinstance(given, dict | list):
        raise Guesswork(f"the reply is not valid JSON, and {name} is given twice")
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if is_number and not any(re.compile(_NUMBER_ALONE).match(written, place.end()) for place in places):
        after = written[places[0].end() :] if places else ""
        said = re.split(r"[,\n}]", after, maxsplit=1)[0].strip()[:40]
        raise Guesswork(f"the reply is not valid JSON: {name} is written as {said!r}; write the number alone")
