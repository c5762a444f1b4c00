"""What a citation marker is, and what it points to."""

from dataclasses import dataclass
from typing import Literal

from medassay.models.records import Span

MarkerKind = Literal["identifier", "link", "number", "author_year", "document", "named"]


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


def outermost(markers: list[Marker]) -> list[Marker]:
    """Bring markers into order; of those that overlap the first and widest is kept."""
    kept: list[Marker] = []
    for marker in sorted(markers, key=lambda m: (m.start, -m.end)):
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return kept
