"""Points that stand in a JSON object: `{"Doctor 1": 4, …}`, also below `scores`, or one object a doctor."""

import json
import re
from collections.abc import Iterator
from typing import Any

from medassay.models.chat.json_objects import objects_in
from medassay.models.chat.reply import LONGEST_REPLY_CHARS, Complaint

_DOCTOR = re.compile(r"(?:doctor|dr\.?)[\s_#-]*(?P<number>[0-9]{1,4})", re.IGNORECASE)
_NAMED = re.compile(r"""["'“]\s*(?:doctor|dr\.?)[\s_#-]*[0-9]*\s*["'”]\s*:""", re.IGNORECASE)
_SCORES = re.compile(r"(?:final[\s_]*)?(?:scores?|points?|pts|ratings?)", re.IGNORECASE)
_SCALE = re.compile(
    r"(?:score[\s_]*)?scale|out[\s_]*of|max(?:imum)?(?:[\s_]*(?:score|points?))?", re.IGNORECASE
)
_TOP = re.compile(r"([0-9]+)\D*$")
_MOST_POINTS = 5
_WRITTEN = re.compile(
    r"[-+]?[0-9]{1,4}(?:\.[0-9]{1,4})?(?P<unit>(?:\s*(?:points?|pts))?(?:\s*(?:/|(?:out )?of)\s*[0-9]{1,4})?)",
    re.IGNORECASE,
)
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)


def objects_written_out(text: str) -> list[str]:
    """List the points that the objects of a reply give, as lines `Doctor n: … points`.

    Raises:
        Complaint: when an object of doctors is broken, or gives points to some of them only.
    """
    if "{" not in text or not _NAMED.search(text):
        return []
    if len(text) > LONGEST_REPLY_CHARS:
        raise Complaint(f"the reply has {len(text)} characters; at most {LONGEST_REPLY_CHARS} are read")
    lines: list[str] = []
    for found in objects_in(text):
        if found.error is not None:
            raise Complaint(found.error)
        lines += [f"Doctor {doctor}: {points}" for doctor, points in _given(found.value)]
    return lines


def whole_value(text: str) -> Any:
    """Return what a reply says that is JSON and nothing else, be it fenced, or None."""
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def words_of(value: Any) -> Iterator[str]:
    """Give the texts in a value that are not points, in order."""
    if isinstance(value, str) and not _WRITTEN.fullmatch(value.strip()):
        yield value.strip()
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from words_of(one)


def _given(value: Any) -> list[tuple[int, str]]:
    """List the doctors of an object and their points; what stands below another key than of scores is none."""
    if isinstance(value, list):
        return [pair for one in value for pair in _given(one)]
    if not isinstance(value, dict):
        return []
    _check_scale(value)
    named = [
        (int(key["number"]), one) for name, one in value.items() if (key := _DOCTOR.fullmatch(name.strip()))
    ]
    read = [(doctor, _points(one)) for doctor, one in named]
    found = [(doctor, given) for doctor, given in read if given is not None]
    if found and len(found) < len(read):
        unread, said = next(pair for pair, (_, given) in zip(named, read, strict=True) if given is None)
        raise Complaint(f"Doctor {unread} has no points that can be read: {str(said)[:40]!r}")
    if (doctor := _doctor_of(value)) is not None and (given := _below_scores(value)) is not None:
        found.append((doctor, given))
    return found + [
        pair
        for name, one in value.items()
        if _SCORES.fullmatch(name.strip()) and isinstance(one, dict | list)
        for pair in _given(one)
    ]


def _check_scale(value: dict[str, Any]) -> None:
    for name, one in value.items():
        if (
            _SCALE.fullmatch(name.strip())
            and (top := _TOP.search(str(one)))
            and int(top[1][:5]) != _MOST_POINTS
        ):
            raise Complaint(f"the points are said to be on another scale: {str(one)[:40]}")


def _doctor_of(value: dict[str, Any]) -> int | None:
    """Return the doctor whom an object of one doctor is about."""
    said = next((one for name, one in value.items() if name.strip().lower() == "doctor"), None)
    if isinstance(said, int) and not isinstance(said, bool):
        return said
    if isinstance(said, str):
        found = _DOCTOR.fullmatch(said.strip()) or re.fullmatch(r"(?P<number>[0-9]{1,4})", said.strip())
        return int(found["number"]) if found else None
    return None


def _below_scores(value: dict[str, Any]) -> str | None:
    """Return the points of an object of one doctor; of two sets none is known to be them."""
    given = [_points(one) for name, one in value.items() if _SCORES.fullmatch(name.strip())]
    return given[0] if len(given) == 1 else None


def _points(value: Any) -> str | None:
    """Return points as the form has them, or None for what is no number; a truth value is none."""
    if isinstance(value, dict):
        _check_scale(value)
        return _below_scores(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    written = _WRITTEN.fullmatch(str(value).strip())
    return None if written is None else written[0] + ("" if written["unit"] else " points")
