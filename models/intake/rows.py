"""What comes out of a file: rows that could be read, and lines that could not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["question", "answer", "document", "human_score"]


class IntakeError(Exception):
    """A file that cannot be read at all: what, where, what to do, in one line."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One object of a file, as it stands there; `line` counts lines or records from 1."""

    file: str
    line: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that could not be read: what was seen and what to do."""

    file: str
    line: int | None
    rule: str
    observed: str
    advice: str
    kind: Kind | Literal["nugget"] | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """One row in the own form, canonical field names, ready to be validated."""

    kind: Kind
    file: str
    line: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A recognised data set; `rows` streams, `warnings` fills while it does."""

    shape: str
    rows: Iterator[Intake | BadRow]
    warnings: list[str] = field(default_factory=list)


def shortened(value: Any, longest: int = 80) -> str:
    """Show a value in one short line, control characters escaped."""
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: longest + 1])
    return text if len(text) <= longest else text[:longest] + "…"
