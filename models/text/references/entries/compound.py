"""Entries that name several works: under letters, `1. (a) Smith J. …; (b) Doe A. …`, or in a row without labels."""

import re
from dataclasses import replace

from medassay.models.text.references.entries.authors import begins_with_authors
from medassay.models.text.references.entries.evidence import Evidence, evidence_of
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.years import YEAR

_FIRST = re.compile(r"[\s*_]*\(?a\)[\s*_]+(?=\S)")
_NEXT = re.compile(
    r"(?:(?<=[;.,\d\])])|\n)[ \t*_]*\(?(?P<letter>[b-z])\)[\s*_]+(?=[A-ZÀ-ÖØ-Þ“\"]|https?:|10\.|doi)"
)
_BETWEEN = re.compile(r";[ \t]+(?=[A-ZÀ-ÖØ-Þ])")
_LONGEST = 4000


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


def works_in_a_row(text: str, entry: WrittenEntry) -> list[WrittenEntry]:
    """Cut `Holbrook A. Chest 2012;141:e152; Doe B. BMJ 2020;1:2`, an entry without label, at its semicolons.

    Returns:
        The works, each of which has authors and a year; nothing for an entry of one.
    """
    if entry.label is not None or entry.is_row or entry.end - entry.start > _LONGEST:
        return []
    stops = [(found.start(), found.end()) for found in _BETWEEN.finditer(text, entry.body, entry.end)]
    bounds = zip(
        [entry.body, *(behind for _, behind in stops)], [*(at for at, _ in stops), entry.end], strict=True
    )
    works = [replace(entry, start=low, body=low, end=high) for low, high in bounds]
    return works if len(works) > 1 and all(_is_a_work(text[w.start : w.end]) for w in works) else []


def _is_a_work(words: str) -> bool:
    told = begins_with_authors(words) and YEAR.search(words) is not None
    return told and evidence_of(words) is Evidence.SURE
