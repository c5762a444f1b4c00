"""Rows of input files: read rows, bad rows, errors of files."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

_LONGEST_OBSERVED = 300
NOT_UTF8 = "which is not UTF-8"
Kind = Literal["question", "answer", "document", "human_score", "rationale"]


class IntakeError(Exception):
    """A file or folder that cannot be read at all: where, what, and what to do, in one line."""

    def __init__(self, file: object, line: int | None, what: str, advice: str) -> None:
        what = shortened(what, _LONGEST_OBSERVED)
        self.file, self.line, self.what, self.advice = str(file), line, what, advice
        place = self.file if line is None else f"{self.file}:{line}"
        super().__init__(f"{place}: {what}; {advice}")


class UnreadableFiles(IntakeError):
    """Several files of a data set that cannot be read, a line each."""

    def __init__(self, errors: Sequence[IntakeError]) -> None:
        first = errors[0]
        super().__init__(first.file, first.line, first.what, first.advice)
        self.args = ("\n".join(map(str, errors)),)


def refuse_unreadable(errors: Sequence[IntakeError]) -> None:
    """Tell of all files that cannot be read at once.

    Raises:
        IntakeError: where there are any.
    """
    if errors:
        raise errors[0] if len(errors) == 1 else UnreadableFiles(errors)


class Place(NamedTuple):
    """Where a row starts: the line, from 1 (in Parquet, its number), and which item of a JSON file it is, from 1."""

    line: int
    item: int | None = None

    def within(self, file: str) -> str:
        """Return where in which file."""
        return f"{file}:{self.line}" + ("" if self.item is None else f", item {self.item}")

    def of(self, observed: str) -> str:
        """Describe what was seen, and in which item: of a JSON file the line says little, it may be its only one."""
        return observed if self.item is None else f"item {self.item}: {observed}"


@dataclass(frozen=True, slots=True)
class RawRow:
    """One object of a file, as it stands there; `beside` where it stands beside the rows and is none itself."""

    file: str
    place: Place
    value: dict[str, Any]
    beside: bool = False


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that could not be read: what was seen and what to do; `fields` could be read all the same."""

    file: str
    line: int | None
    rule: str
    observed: str
    advice: str
    kind: Kind | Literal["nugget", "context"] | None = None
    fields: dict[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Keep to one short line what was seen: it may hold the name of a column, which may be of any length."""
        object.__setattr__(self, "observed", shortened(self.observed, _LONGEST_OBSERVED))


@dataclass(frozen=True, slots=True)
class Intake:
    """One row in the own form, canonical field names, ready to be validated."""

    kind: Kind
    file: str
    place: Place
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A recognised data set; `rows` streams, `warnings` fills while it does."""

    shape: str
    rows: Iterator[Intake | BadRow]
    warnings: list[str] = field(default_factory=list)


def shortened(text: str, longest: int = 80) -> str:
    """Show a text in one short line, control characters escaped."""
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: longest + 1])
    return text if len(text) <= longest else text[:longest] + "…"


def named(names: Iterable[str], most: int = 20) -> str:
    """List names of columns or fields in a line, each of them shortened."""
    names = list(names)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shortened(name, 60) for name in names[:most]) + more


def spelled(value: Any, longest: int = 80) -> str:
    """Show a value as JSON writes it, in one short line."""
    return shortened(json.dumps(value, ensure_ascii=False, default=str), longest)


def unclean(value: Any, where: str = "") -> str | None:
    """Name the first text in a value that no database can hold: with a NUL, or bytes that are no UTF-8."""
    if isinstance(value, str):
        return _fault_of_text(value, where)
    if isinstance(value, dict):
        for name, part in value.items():
            inside = f"{where}.{name}" if where else str(name)
            if fault := _fault_of_text(str(name), "the name of a field") or unclean(part, inside):
                return fault
    if isinstance(value, list):
        for number, part in enumerate(value, 1):
            if fault := unclean(part, f"{where}[{number}]"):
                return fault
    return None


def _fault_of_text(text: str, where: str) -> str | None:
    if "\x00" in text:
        return f"a NUL character in {where}"
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        # Readers that decode leniently keep a stray byte as one of these.
        stray = f"byte 0x{code - 0xDC00:02x}, {NOT_UTF8}," if 0xDC80 <= code <= 0xDCFF else "half a character"
        return f"{stray} in {where}"
    return None
