"""Lists that stand together at the end, one for each section of the text above: whose markers each has the entries of.

`References for heart failure: 1. …` and `References for diabetes: 1. …` number anew, and so do the parts of one list
under titles of their own. The section that bears a part's title is the one whose markers it is for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from medassay.models.records import Span
from medassay.models.text.references.entries.lines import is_rule
from medassay.models.text.references.entries.reading import ListedReference
from medassay.models.text.references.lists.headings import section_of
from medassay.models.text.references.lists.reference_list import ReferenceList

_TITLE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]|\*\*|__)[^\n]{2,100}$|^(?<=\n\n)[A-Z][^\n.!?]{2,60}:?(?=\n)", re.MULTILINE
)
_WORD = re.compile(r"[^\W_]+")
_MOST_PARTS = 40


def by_section(text: str, lists: Sequence[ReferenceList]) -> tuple[ReferenceList, ...]:
    """Part lists where their numbers begin anew, and say which section each part is for if a title says so."""
    found: list[ReferenceList] = []
    for listed in lists:
        parts = _parts(listed)
        if len(parts) == 1 or len(parts) > _MOST_PARTS:
            found.append(listed)
            continue
        above = found[-1].end if found else 0
        found += _with_sections(text, parts, above, listed.start) or [listed]
    return tuple(found)


def has_words(between: str) -> bool:
    """Tell whether anything but rules stands between two lists."""
    return any(not is_rule(line.strip()) for line in between.splitlines() if line.strip())


def _parts(listed: ReferenceList) -> list[ReferenceList]:
    """Cut a list before each entry whose number stood in the part so far."""
    starts: list[int] = [0]
    seen: set[str] = set()
    for number, entry in enumerate(listed.entries):
        label = entry.reference.marker
        anew = label in seen and label == listed.entries[0].reference.marker
        if anew and entry.span and entry.span != listed.entries[number - 1].span:
            starts.append(number)
            seen = set()
        seen |= {label} if label and label.isdecimal() else set()
    ends = [*starts[1:], len(listed.entries)]
    pieces = [listed.entries[low:high] for low, high in zip(starts, ends, strict=True)]
    stops = [listed.start, *(_end_of(piece) or listed.end for piece in pieces[:-1]), listed.end]
    return [
        replace(listed, start=a, end=b, entries=p) for (a, b), p in zip(pairwise(stops), pieces, strict=True)
    ]


def _end_of(entries: Sequence[ListedReference]) -> int | None:
    return entries[-1].span.end if entries and entries[-1].span else None


def _with_sections(text: str, parts: Sequence[ReferenceList], above: int, below: int) -> list[ReferenceList]:
    """Give each part the section of text[above:below] that bears its title; none unless every part has one.

    Where titles say nothing, "Part 1" over one and "List A" over the other, as many sections as parts are in one order.
    """
    titles = [(_words(t[0]), t.start()) for t in _TITLE.finditer(text, above, below)]
    named = [_named_by(_title_of(text, part), titles) for part in parts]
    starts = [at for at in named if at is not None]
    if not starts and len(titles) == len(parts):
        starts = [at for _, at in titles]
    if len(set(starts)) < len(parts):
        return []
    order = sorted([*starts, below])
    return [
        replace(part, section=Span(at, order[order.index(at) + 1]))
        for part, at in zip(parts, starts, strict=True)
    ]


def _title_of(text: str, part: ReferenceList) -> frozenset[str]:
    """Return the words of the line right above the first entry of a part, without `References for`."""
    first = part.entries[0].span if part.entries else None
    head = [
        line for line in text[part.start : first.start if first else part.start].splitlines() if line.strip()
    ]
    return _words(section_of(head[-1])) if head else frozenset()


def _named_by(title: frozenset[str], titles: Sequence[tuple[frozenset[str], int]]) -> int | None:
    """Return where the one title begins that says all of these words."""
    found = [at for words, at in titles if title and title <= words]
    exact = [at for words, at in titles if title and title == words]
    best = exact or found
    return best[0] if len(best) == 1 else None


def _words(line: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(line))
