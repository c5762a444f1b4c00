"""What a citation marker is, and what it points to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from medassay.models.records import Span
from medassay.models.text.identifiers.reading import Atom

MarkerKind = Literal["identifier", "link", "bracket", "superscript", "author_year", "document", "named"]


@dataclass(frozen=True, slots=True)
class Target:
    """One thing a marker points to: an identifier (`source_id`), or a `label` to look up in the reference list."""

    written: str
    source_id: str | None = None
    label: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker; `words` is the part of it that the sentence cannot do without, such as a link's title."""

    start: int
    end: int
    kind: MarkerKind
    targets: tuple[Target, ...]
    words: Span | None = None


def identifier(text: str, atom: Atom) -> Marker:
    """Make a marker of an identifier as it is written."""
    target = Target(text[atom.start : atom.end], atom.source_id, None, atom.start, atom.end)
    return Marker(atom.start, atom.end, "identifier", (target,))


def gaps(start: int, end: int, inner: Sequence[Marker]) -> Iterator[tuple[int, int, Marker | None]]:
    """Yield the stretches of text[start:end] between markers, each with the marker behind it."""
    for marker in inner:
        yield start, marker.start, marker
        start = marker.end
    yield start, end, None
