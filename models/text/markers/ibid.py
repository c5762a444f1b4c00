"""`(ibid.)`: the sources of the citation before it, once more."""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.text.markers.marks import Marker

_IBID = re.compile(
    r"\^?[(\[][*_]{0,2}ibid(?:em)?\b\.?[*_]{0,2}(?:,?\s(?:pp?\.\s?)?\d{1,5}(?:[-–]\d{1,5})?)?[)\]]",
    re.IGNORECASE,
)


def with_repeated(text: str, markers: Sequence[Marker], start: int, end: int) -> list[Marker]:
    """Add the markers that say *the same*, in order; one with nothing before it stays text."""
    found = list(_IBID.finditer(text, start, end))
    if not found:
        return list(markers)
    merged: list[Marker] = []
    rest = list(reversed(markers))
    last: Marker | None = None
    for ibid in [*found, None]:
        while rest and (ibid is None or rest[-1].start < ibid.end()):
            merged.append(rest.pop())
            last = merged[-1] if merged[-1].targets else last
        if ibid is not None and last is not None:
            targets = tuple(replace(t, start=ibid.start(), end=ibid.end()) for t in last.targets)
            merged.append(Marker(*ibid.span(), "bracket", targets))
    return merged
