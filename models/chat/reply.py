"""Parse model replies: the JSON object meant, whatever surrounds it."""

import json
import re
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from medassay.models.chat.json_objects import Found, is_one_object, objects_in

LONGEST_REPLY_CHARS = 200_000
_TAGS = "think|thinking|reasoning|analysis"
_REASONING = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(rf"</(?:{_TAGS})>|<\|channel\|>\s*final\b[^{{]*?<\|message\|>", re.IGNORECASE)
_REASONING_START = re.compile(rf"<(?:{_TAGS})>|<\|channel\|>\s*(?:analysis|commentary)\b", re.IGNORECASE)
_SAID_SOMETHING = re.compile(r"\{|\bscore", re.IGNORECASE)

Shape = TypeVar("Shape", bound=BaseModel)


class Complaint(ValueError):
    """What is wrong with a reply, in the words in which the model is asked again."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The object a model meant; `notes` name every lossless repair that was needed to read it."""

    value: dict[str, Any]
    notes: tuple[str, ...] = ()


def read_alternatives(text: str) -> dict[str, float]:
    """Read the log-probabilities of a first token's alternatives, as a request with `top_logprobs` gets them.

    Raises:
        Complaint: when there are none.
    """
    try:
        alternatives = {str(token): float(logprob) for token, logprob in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise Complaint("the reply holds no token probabilities") from error
    if not alternatives:
        raise Complaint("the reply holds no token probabilities")
    return alternatives


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
    found = _found(text)
    if found[0].error is not None:
        raise Complaint(found[0].error)
    return [_reply(one) for one in found if one.error is None]


def read_shape(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """Read the last object of a reply that gives any field of the asked shape, and the notes on how it was read.

    Where that one does not fit, an earlier one that does is a draft or a quotation, and is not read in its place.
    Validators of the shape may append to `info.context["notes"]`.

    Raises:
        Complaint: with its validation errors.
    """
    meant = _meant(text, shape)
    notes = list(meant.notes)
    if (count := _candidates(text, shape)) > 1:
        notes.append(f"the reply holds {count} JSON objects: the last one counted")
    try:
        return shape.model_validate(meant.value, context={"notes": notes}), tuple(notes)
    except ValidationError as error:
        raise Complaint(_in_words(error)) from error


def read_fields(text: str, shape: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of a shape that a reply gives soundly, however few, in the object that `read_shape` reads.

    An object that had to be repaired is not read.
    """
    try:
        meant = _meant(text, shape)
    except Complaint:
        return {}
    return {} if meant.notes else _sound_fields(meant.value, shape)


def _found(text: str) -> list[Found]:
    """List what looks like a JSON object in a reply, last first; there is one at least."""
    if len(text) > LONGEST_REPLY_CHARS:
        raise Complaint(f"the reply has {len(text)} characters; at most {LONGEST_REPLY_CHARS} are read")
    found = list(objects_in(visible_part(text)))
    if not found:
        raise Complaint("the reply holds no JSON object")
    return found[::-1]


def _reply(found: Found) -> Reply:
    return Reply(found.value, ("the JSON was repaired",) if found.repaired else ())


def _meant(text: str, shape: type[BaseModel]) -> Reply:
    """Return the last object that names any field of a shape; where none does, the last one.

    What cannot be read behind the one that is meant may be what was meant.
    """
    found = _found(text)
    named = (one for one in found if one.error is not None or _names_a_field(one.value, shape))
    meant = next(named, found[0])
    if meant.error is not None:
        raise Complaint(meant.error)
    return _reply(meant)


def _candidates(text: str, shape: type[BaseModel]) -> int:
    """Count the distinct objects of a reply that name a field of a shape."""
    named = (one.value for one in _found(text) if one.error is None and _names_a_field(one.value, shape))
    return len({json.dumps(value, sort_keys=True) for value in named})


def _names_a_field(value: dict[str, Any], shape: type[BaseModel]) -> bool:
    """Return whether an object names a field, itself or in what it wraps."""
    left: list[Any] = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if shape.model_fields.keys() & one.keys():
                return True
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return False


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
