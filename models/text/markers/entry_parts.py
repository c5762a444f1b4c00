"""Markers of an entry that names several works under letters: `[1]` cites 1a, 1b and what else it has."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from medassay.models.text.markers.marks import Marker, Target


def with_entry_parts(markers: Sequence[Marker], labels: Collection[str]) -> list[Marker]:
    """Have each marker of a whole entry cite all of its works."""
    return [
        replace(marker, targets=tuple(each for target in marker.targets for each in _works(target, labels)))
        for marker in markers
    ]


def _works(target: Target, labels: Collection[str]) -> Iterator[Target]:
    yield target
    label = target.label or ""
    if not label.isdecimal() or f"{label}a" not in labels:
        return
    letter = "b"
    while f"{label}{letter}" in labels:
        yield replace(target, label=f"{label}{letter}")
        letter = chr(ord(letter) + 1)
