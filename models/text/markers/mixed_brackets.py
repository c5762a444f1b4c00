"""Brackets with an identifier and words: `Smith et al., 2020; PMID: 123`, `FDA label; Larson 2005, PMID 123`."""

import re
from collections.abc import Sequence

from medassay.models.text.labels.author_names import ET_AL, NAME, PARTICLES
from medassay.models.text.labels.author_patterns import is_author_and_year
from medassay.models.text.markers.authors import NEXT_AUTHORS, cited_authors, cited_piece
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target, gaps
from medassay.models.text.markers.named_sources import work_beside
from medassay.models.text.references.works import (
    BETWEEN,
    gives_pages,
    is_only_a_journal,
    names_a_work,
    names_who_published,
)

_ONLY_AUTHORS = re.compile(rf"{PARTICLES}{NAME}(?:\s[A-Z]{{1,3}})?,?\s{ET_AL},?")
_TIES = re.compile(r"(?:\b(?:pmid|doi|available at|see|also|and)\b|[\s,;:.])+\Z", re.IGNORECASE)


def mixed_targets(reader: LabelReader, start: int, end: int, inner: Sequence[Marker]) -> list[Target] | None:
    """Read text[start:end], of which `inner` are identifiers; None where a piece of it is no source.

    Words right beside an identifier say which paper it is; what a semicolon parts from it is a source of its own.
    """
    targets: list[Target] = []
    for low, high, marker in gaps(start, end, inner):
        read = _beside(reader, low, high, marker)
        read = sources_apart(reader, low, high, marker, end) if read is None else read
        if read is None:
            return None
        targets += read
        if marker is not None:
            targets += marker.targets
    return targets


def _beside(reader: LabelReader, start: int, end: int, marker: Marker | None) -> list[Target] | None:
    """Read words as authors and years, or as what the identifier beside them is; a list may know the former."""
    at, bare = _bare(reader.text, start, end)
    led = marker is not None and reader.text[start:end].rstrip().endswith(":") and names_who_published(bare)
    if not bare or led:  # "CDC: https://…"
        return []
    authors = cited_authors(reader, at, at + len(bare))
    apart = marker is None and reader.text[start:end].lstrip().startswith(";")
    if authors is None and not apart and is_a_reference(bare):
        return []
    return authors if authors is None or marker is None else [a for a in authors if a.label in reader.labels]


def sources_apart(
    reader: LabelReader, start: int, end: int, marker: Marker | None = None, close: int | None = None
) -> list[Target] | None:
    """Read sources between semicolons one by one; those that no semicolon parts from the identifier are it."""
    targets: list[Target] = []
    stops = sorted(
        (stop.start(), stop.end())
        for pattern in (BETWEEN, NEXT_AUTHORS)
        for stop in pattern.finditer(reader.text, start, end)
    )
    for low, high in zip([start, *(b for _, b in stops)], [*(a for a, _ in stops), end], strict=True):
        at, bare = _bare(reader.text, low, high)
        joins = marker is not None and high == end
        if joins and (beside := _beside(reader, low, high, marker)) is not None:
            targets += beside
            continue
        tied = joins and not reader.text[low:high].rstrip().endswith(";")
        work = None if tied else work_beside(reader.text, at, at + len(bare))
        read = (work,) if work else cited_piece(reader, at, at + len(bare), close or end)
        if read is None and bare.isdecimal() and (numbered := reader.items(at, at + len(bare), (), "[")):
            read = tuple(numbered[1])
        if bare and read is None:
            return None
        targets += read if bare and read else ()
    return targets


def _bare(text: str, start: int, end: int) -> tuple[int, str]:
    """Say where words begin without the signs and the "PMID" around them, and what they are."""
    bare = _TIES.sub("", text[start:end]).lstrip(" ,;.")
    return start + text[start:end].find(bare), bare


def is_a_reference(words: str) -> bool:
    """Tell whether what stands beside an identifier is the same paper by its authors.

    `Smith 2020`, `Smith J, Lancet 2020` and `Lancet 2020;395:1-9` are; a work's name alone, as in
    `(NICE NG28, https://…)`, is left to be read.
    """
    plain = words.strip("[]| ")
    if is_only_a_journal(plain) or _ONLY_AUTHORS.fullmatch(plain):
        return True
    if not names_a_work(plain):
        return is_author_and_year(plain)
    return gives_pages(plain) or re.search(ET_AL, plain) is not None
