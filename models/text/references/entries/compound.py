"""Entries that name several works under letters, as chemists write them: `1. (a) Smith J. …; (b) Doe A. …`."""

import re
from dataclasses import replace

from models.text.references.entries.reading import WrittenEntry

_FIRST = re.compile(r"[\s*_]*\(?a\)[\s*_]+(?=\S)")
_NEXT = re.compile(
    r"(?:(?<=[;.,\d\])])|\n)[ \t*_]*\(?(?P<letter>[b-z])\)[\s*_]+(?=[A-ZÀ-ÖØ-Þ“\"]|https?:|10\.|doi)"
)


def parts_of(text: str, entry: WrittenEntry) -> list[WrittenEntry]:
    """Cut an entry at its letters, which have to follow each other: the first is `1` and `1a`, the second `1b`.

    Returns:
        The parts, the first one twice; nothing for an entry of one work.
    """
    first = _FIRST.match(text, entry.body, entry.end)
    if first is None or entry.label is None or entry.is_row:
        return []
    bodies, starts, expected = [first.end()], [entry.start], "b"
    for found in _NEXT.finditer(text, first.end(), entry.end):
        if found["letter"] == expected:
            starts.append(found.start())
            bodies.append(found.end())
            expected = chr(ord(expected) + 1)
    if len(starts) < 2:
        return []
    ends = [*starts[1:], entry.end]
    parts = [
        replace(entry, start=start, body=body, end=end, label=f"{entry.label}{chr(ord('a') + n)}")
        for n, (start, body, end) in enumerate(zip(starts, bodies, ends, strict=True))
    ]
    return [replace(parts[0], label=entry.label), *parts]
