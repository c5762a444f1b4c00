"""Reading what a model wrote: the JSON object meant, whatever stands around it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

LONGEST_REPLY_CHARS = 200_000
_REASONING = re.compile(r"<(think|thinking|reasoning|analysis)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning|analysis)>", re.IGNORECASE)
_REASONING_START = re.compile(r"<(?:think|thinking|reasoning|analysis)>", re.IGNORECASE)

Shape = TypeVar("Shape", bound=BaseModel)


class Complaint(ValueError):
    """What is wrong with a reply, in the words in which the model is asked again."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The object a model meant; `notes` name every lossless repair that was needed to read it."""

    value: dict[str, Any]
    notes: tuple[str, ...] = ()


def visible_part(text: str) -> str:
    """Drop reasoning tags and what is in them, also when only the closing tag was sent.

    Raises:
        Complaint: when the text ends inside its reasoning.
    """
    rest = _REASONING.sub("", text)
    closings = list(_REASONING_END.finditer(rest))
    if closings:
        rest = rest[closings[-1].end() :]
    if opening := _REASONING_START.search(rest):
        if "{" not in rest[: opening.start()]:
            raise Complaint("the reply ended inside its reasoning, before any JSON object")
        rest = rest[: opening.start()]
    return rest


def read_objects(text: str) -> list[Reply]:
    """List the JSON objects of a reply, last first; if none parses, the one a repair makes of it.

    Raises:
        Complaint: when there is no object, or the reply is too long to be one.
    """
    if len(text) > LONGEST_REPLY_CHARS:
        raise Complaint(f"the reply has {len(text)} characters; at most {LONGEST_REPLY_CHARS} are read")
    visible = visible_part(text)
    found = [Reply(value) for value in _parsed_objects(visible)]
    if found:
        return found[::-1]
    start = visible.find("{")
    if start < 0:
        raise Complaint("the reply holds no JSON object")
    return [_repaired(visible[start:])]


def read_shape(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """Read the last object of a reply that has the asked shape, and the notes on how it was read.

    Validators of the shape may append to `info.context["notes"]`.

    Raises:
        Complaint: with the validation errors of the last object, when none fits.
    """
    first_error: str | None = None
    for reply in read_objects(text):
        notes = list(reply.notes)
        try:
            return shape.model_validate(reply.value, context={"notes": notes}), tuple(notes)
        except ValidationError as error:
            first_error = first_error or _in_words(error)
    raise Complaint(first_error or "the reply holds no JSON object")


def read_fields(text: str, shape: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of a shape that a reply gives soundly, however few: of several objects, those of the fullest.

    An object that has to be repaired is not read, since its last field may be cut short; of equally full ones the last
    one counts.
    """
    try:
        objects = read_objects(text)
    except Complaint:
        return {}
    found = [_sound_fields(reply.value, shape) for reply in objects if not reply.notes]
    return max(found, key=len, default={})


def _sound_fields(value: dict[str, Any], shape: type[BaseModel]) -> dict[str, Any]:
    validator, taken = shape.__pydantic_validator__, shape.model_construct()
    sound = {}
    for name in shape.model_fields.keys() & value.keys():
        try:
            validator.validate_assignment(taken, name, value[name], context={"notes": []})
        except ValidationError:
            continue
        sound[name] = getattr(taken, name)
    return sound


def _parsed_objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    position = text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield value
        position = text.find("{", end)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is given twice")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _repaired(text: str) -> Reply:
    import json_repair

    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError) as error:
        raise Complaint(f"the reply is not valid JSON: {error}") from error
    values: list[Any] = value if isinstance(value, list) else [value]
    objects = [v for v in values if isinstance(v, dict)]
    if not objects or not objects[-1]:
        raise Complaint("the reply is not valid JSON and could not be repaired")
    return Reply(objects[-1], ("the JSON was repaired",))


def _in_words(error: ValidationError) -> str:
    lines = []
    for entry in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in entry["loc"]) or "the object"
        given = "" if entry["type"] == "missing" else f" (given: {str(entry['input'])[:80]!r})"
        lines.append(f"{place}: {entry['msg']}{given}")
    return "; ".join(lines)
