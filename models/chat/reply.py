"""Reading what a model wrote: the JSON object meant, whatever stands around it."""

import re
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from models.chat.json_objects import is_one_object, objects_in

LONGEST_REPLY_CHARS = 200_000
_TAGS = "think|thinking|reasoning|analysis"
_REASONING = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(rf"</(?:{_TAGS})>|<\|channel\|>\s*final\b[^{{]*?<\|message\|>", re.IGNORECASE)
_REASONING_START = re.compile(rf"<(?:{_TAGS})>|<\|channel\|>\s*(?:analysis|commentary)\b", re.IGNORECASE)
_TYPE = re.compile(
    r"(?!\s*[-+]?\d)(?=.*\b(?:integer|int|number|numeric|text|string|sentences?)\b)", re.DOTALL | re.I
)
"""What a schema says of a field, and no mark does."""
_SAID_SOMETHING = re.compile(r"\{|\bscore", re.IGNORECASE)

Shape = TypeVar("Shape", bound=BaseModel)


class Complaint(ValueError):
    """What is wrong with a reply, in the words in which the model is asked again."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The object a model meant; `notes` name every lossless repair that was needed to read it."""

    value: dict[str, Any]
    notes: tuple[str, ...] = ()


def visible_part(text: str) -> str:
    """Drop reasoning tags and channels and what is in them, also when only the closing tag was sent.

    What is one JSON object as a whole has none: there a tag is part of a text.

    Raises:
        Complaint: when the text ends inside its reasoning.
    """
    if is_one_object(text):
        return text
    rest = _REASONING.sub("", text)
    closings = list(_REASONING_END.finditer(rest))
    if closings:
        rest = rest[closings[-1].end() :]
    if opening := _REASONING_START.search(rest):
        if not _SAID_SOMETHING.search(rest, 0, opening.start()):
            raise Complaint("the reply ended inside its reasoning, before it said anything")
        rest = rest[: opening.start()]
    return rest


def read_objects(text: str) -> list[Reply]:
    """List the JSON objects of a reply, last first.

    Raises:
        Complaint: when there is none, the last one cannot be read, or the reply is too long to be one.
    """
    if len(text) > LONGEST_REPLY_CHARS:
        raise Complaint(f"the reply has {len(text)} characters; at most {LONGEST_REPLY_CHARS} are read")
    found = list(objects_in(visible_part(text)))
    if not found:
        raise Complaint("the reply holds no JSON object")
    if found[-1].error is not None:
        raise Complaint(found[-1].error)
    notes = ("the JSON was repaired",)
    return [Reply(one.value, notes if one.repaired else ()) for one in found[::-1] if one.error is None]


def read_shape(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """Read the last object of a reply that gives any field of the asked shape, and the notes on how it was read.

    Where that one does not fit, an earlier one that does is a draft or a quotation, and is not read in its place. The
    schema, repeated behind a reply, has the fields too, and in them nothing but text where numbers were asked for.
    Validators of the shape may append to `info.context["notes"]`.

    Raises:
        Complaint: with its validation errors.
    """
    meant = _meant(read_objects(text), shape)
    notes = list(meant.notes)
    try:
        return shape.model_validate(meant.value, context={"notes": notes}), tuple(notes)
    except ValidationError as error:
        raise Complaint(_in_words(error)) from error


def read_fields(text: str, shape: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of a shape that the verdict of a reply gives soundly, however few.

    The verdict is the object that `read_shape` reads; an earlier one does not stand in for what it lacks. An object
    that had to be repaired is not read.
    """
    try:
        meant = _meant(read_objects(text), shape)
    except Complaint:
        return {}
    return {} if meant.notes else _sound_fields(meant.value, shape)


def _meant(objects: list[Reply], shape: type[BaseModel]) -> Reply:
    """Return the last object that gives any field of a shape and is not the schema, of objects in reverse order."""
    named = [reply for reply in objects if shape.model_fields.keys() & reply.value.keys()] or objects
    return next((reply for reply in named if not _is_schema(reply.value, shape)), named[0])


def _is_schema(value: dict[str, Any], shape: type[BaseModel]) -> bool:
    """Say whether an object speaks of every field in words, and gives a value in none that is no text.

    A mark written as text ("20/100", "about 5") is a value all the same, and so is what stands in its place ("N/A").
    """
    given = [value[name] for name in shape.model_fields.keys() & value.keys()]
    if len(given) < len(shape.model_fields) or not all(isinstance(one, str) for one in given):
        return False
    sound = _sound_fields(value, shape)
    unsound = [value[name] for name in shape.model_fields.keys() - sound.keys()]
    return (
        bool(unsound)
        and all(map(_TYPE.match, unsound))
        and all(isinstance(one, str) for one in sound.values())
    )


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


def _in_words(error: ValidationError) -> str:
    lines = []
    for entry in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in entry["loc"]) or "the object"
        given = "" if entry["type"] == "missing" else f" (given: {str(entry['input'])[:80]!r})"
        lines.append(f"{place}: {entry['msg']}{given}")
    return "; ".join(lines)
