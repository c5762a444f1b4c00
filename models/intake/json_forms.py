"""Stream JSON values: lines, arrays, wrapped and keyed objects."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from medassay.models.intake.file_opening import AS_UTF8, conversion, opened
from medassay.models.intake.names import leading_fields, storable
from medassay.models.intake.rows import (
    NOT_UTF8,
    BadRow,
    IntakeError,
    Place,
    RawRow,
    shortened,
    spelled,
    unclean,
)

Rows = Iterator[RawRow | BadRow]
_CHUNK = 1 << 20
_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16
"""A syntax error so far from the end of what was read is an error, not a value that goes on in the next chunk."""
LONGEST_RECORD = 1 << 28
"""Characters after which a line or value is no record any more, but a file of another form, or one that grows."""
WRAPPERS = frozenset(
    {"results", "data", "records", "rows", "items", "topics", "questions", "answers", "documents"}
)
"""Members of a file's one object that hold its rows, as in `{"results": [...]}`."""


def _constant(name: str) -> None:
    """Read NaN, which Python writes for a value that is missing, as nothing."""
    if name != "NaN":
        raise ValueError(f"{name} is not a JSON value")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{shortened(text, 20)} is too large a number")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python reads no more than a few thousand digits
        raise ValueError(f"{shortened(text, 20)} is too large a number") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shortened(twice, 40)!r} stands there twice")
    return value


STRICT = json.JSONDecoder(
    parse_constant=_constant, parse_float=_finite, parse_int=_whole, object_pairs_hook=_unique
)
_LENIENT = json.JSONDecoder(parse_int=float)


def json_lines(path: Path) -> Rows:
    """Read one object a line; a broken line is a BadRow and the next one is read."""
    with opened(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_RECORD), b""), 1):
            if len(line) == LONGEST_RECORD:
                raise IntakeError(path, number, "a line without end", "write one JSON object a line")
            text = _decoded(path, number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            if isinstance(text, BadRow):
                yield text
            elif text := text.strip():
                if number == 1 and text in ("[", "{"):
                    raise IntakeError(
                        path, 1, "one JSON value over many lines, not one a line", "name it .json"
                    )
                yield _object(path, number, text)


def _decoded(path: Path, number: int, line: bytes) -> str | BadRow:
    if b"\x00" in line:
        seen = f"at byte {line.index(0) + 1}"
        return BadRow(str(path), number, "the line holds a NUL byte", seen, AS_UTF8, fields=_still_read(line))
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        seen = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        advice = conversion(path)
        return BadRow(str(path), number, "the line is not UTF-8", seen, advice, fields=_still_read(line))


def _still_read(line: bytes) -> dict[str, Any]:
    return leading_fields(line.decode("utf-8", errors="surrogateescape"))


def _object(path: Path, number: int, text: str) -> RawRow | BadRow:
    try:
        value = STRICT.decode(text)
    except RecursionError:
        return BadRow(
            str(path),
            number,
            "the JSON is nested too deeply",
            shortened(text),
            "flatten it",
            fields=leading_fields(text),
        )
    except ValueError as error:
        what = (
            f"{error.msg} at character {error.pos + 1}"
            if isinstance(error, json.JSONDecodeError)
            else str(error)
        )
        seen = f"{what}: {shortened(text, 60)}"
        return BadRow(
            str(path),
            number,
            "the line is not valid JSON",
            seen,
            "mend the line; one JSON object a line",
            fields=leading_fields(text),
        )
    return checked(path, Place(number), value)


def checked(path: Path, place: Place, value: Any) -> RawRow | BadRow:
    """Return the row of an object whose texts can be stored; anything else is a BadRow."""
    if not isinstance(value, dict):
        advice = "write an object with named fields"
        return BadRow(str(path), place.line, "not a JSON object", place.of(spelled(value)), advice)
    if fault := unclean(value):
        advice = conversion(path) if NOT_UTF8 in fault else AS_UTF8
        observed, fields = place.of(fault), storable(value)
        return BadRow(str(path), place.line, "a text cannot be stored", observed, advice, fields=fields)
    return RawRow(str(path), place, value)


def json_file(path: Path) -> Rows:
    """Read the rows of one JSON value, or of several one after another.

    An array's objects are rows, and so are those of an object's array `results` (or another of WRAPPERS; single
    values that stand before it belong to each of its rows) and those of an object whose keys are numbers, which
    become their `question_id`. What else such an object holds under the name of a
    table is a row of its own, the rest of it stands `beside` the rows. Any other object is one row.

    Raises:
        IntakeError: at the first syntax error, with its line; the rows before it have been yielded.
    """
    with opened(path) as file:
        values = _Values(path, io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape"))
        while first := values.peek():
            if first == "[":
                yield from values.array({})
            elif first == "{":
                yield from values.members()
            else:
                raise values.error("no array and no object")


class _Values:
    """The values of a JSON text, with the line that each starts on; one chunk and one value are in memory."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream = path, stream
        self.text, self.at, self.line, self.ended = "", 0, 1, False
        self.items = self.began = 0

    def more(self) -> bool:
        """Read on, as much again as is waiting, so that a value of any length is parsed in linear time."""
        waiting = self.text[self.at :]
        if len(waiting) > LONGEST_RECORD:
            raise IntakeError(self.path, self.line, "a JSON value without end", "write an array of objects")
        read = self.stream.read(max(_CHUNK, len(waiting)))
        self.text, self.at, self.ended = waiting + read, 0, not read
        return not self.ended

    def peek(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            end = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches nothing too
            self.line += self.text.count("\n", self.at, end)
            self.at = end
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def take(self, expected: str) -> str:
        """Step over one of the expected characters."""
        found = self.peek()
        if not found or found not in expected:
            raise self.error(f"{' or '.join(repr(c) for c in expected)} is missing")
        self.at += 1
        return found

    def value(self) -> Any:
        """Parse the value that starts here.

        Raises:
            ValueError: for what JSON allows and we don't: a key that stands twice, Infinity; the value is passed.
            IntakeError: for a syntax error.
        """
        self.peek()
        while True:
            try:
                value, end = _LENIENT.raw_decode(self.text, self.at)
            except RecursionError:
                raise self.error("nested too deeply") from None
            except json.JSONDecodeError as error:
                offset = error.pos - self.at
                inside = error.pos < len(self.text) - _LONGEST_TOKEN and not error.msg.startswith(
                    "Unterminated"
                )
                if inside or self.ended or not self.more():
                    raise self.error(error.msg, self.at + offset) from None
                continue
            if end < len(self.text) or isinstance(value, dict | list | str) or not self.more():
                break
        self.began, self.at = self.at, end
        self.line += self.text.count("\n", self.began, end)
        return STRICT.raw_decode(self.text, self.began)[0]

    def error(self, what: str, at: int | None = None) -> IntakeError:
        """Describe what is wrong, on which line."""
        at = self.at if at is None else at
        line = self.line + self.text.count("\n", self.at, at)
        seen = shortened(self.text[at : at + 40], 40) or "the end of the file"
        item = f" item {self.items}" if self.items else ""
        return IntakeError(
            self.path, line, f"not valid JSON ({what}), at{item}: {seen}", "mend the file, or write it again"
        )

    def array(self, common: dict[str, Any]) -> Rows:
        """Yield the objects of an array, each with the common fields that it has none of its own for."""
        self.take("[")
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            yield self.row(common)
            if self.take(",]") == "]":
                return

    def row(self, common: dict[str, Any]) -> RawRow | BadRow:
        """Read one object as a row."""
        self.items += 1
        self.peek()
        place = Place(self.line, self.items)
        try:
            value = self.value()
        except ValueError as error:
            observed = place.of(str(error))
            return BadRow(
                str(self.path),
                place.line,
                "the record is not valid JSON",
                observed,
                "mend the record",
                fields=common | leading_fields(self.text[self.began : self.at]),
            )
        return checked(self.path, place, {**common, **value} if isinstance(value, dict) else value)

    def members(self) -> Rows:
        """Read one object: as the rows that it wraps or keys, or as one row."""
        line, own, wrapped, used = self.line, dict[str, Any](), False, frozenset[str]()
        self.take("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() != '"':
                raise self.error("a name in double quotes is missing")
            name = self.value()
            self.take(":")
            follows = self.peek()
            if (
                follows == "["
                and name in WRAPPERS
                and not own.keys() & {"question", "question_id", "metadata"}
            ):
                wrapped = True
                common = {
                    n: v for n, v in own.items() if isinstance(v, str | int | float) and n not in WRAPPERS
                }
                used |= common.keys()
                yield from self.array(common)
            elif follows == "{" and name.isdigit() and not own:
                wrapped = True
                yield self.row({"question_id": name})
            else:
                try:
                    member = self.value()
                except ValueError as error:
                    raise self.error(str(error)) from None
                if name in own:
                    raise self.error(f"the key {name!r} stands there twice")
                own[name] = member
            if self.take(",}") == "}":
                break
        if not wrapped:
            yield checked(self.path, Place(line), own)
        elif late := [name for name in own if name in ("question", "question_id")]:
            raise IntakeError(
                self.path,
                line,
                f"{late[0]} stands behind the list of its answers or documents",
                "put it before them",
            )
        else:
            left = {n: v for n, v in own.items() if n not in used and v not in (None, [], {})}
            if rows := {n: v for n, v in left.items() if n in WRAPPERS}:
                yield checked(self.path, Place(line), rows)
            if others := {n: v for n, v in left.items() if n not in WRAPPERS}:
                yield RawRow(str(self.path), Place(line), others, beside=True)
