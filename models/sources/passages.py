"""A record as passages to judge claims by: the title, an abstract whole, a full text by its paragraphs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from medassay.models.records import Section, SeveralDocuments, SourceRecord
from medassay.models.sources.paragraphs import stretches

LIMIT = 2000
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Part:
    """Where a stretch of a passage comes from: passage[at : at + end - start] is section text[start : end]."""

    at: int
    section: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to judge claims by; `label` is TITLE, ABSTRACT or the section of a full text."""

    label: str
    text: str
    parts: tuple[Part, ...] = ()


def passages_of(record: SourceRecord, limit: int = LIMIT) -> list[Passage]:
    """Cut a record into passages; every word of every section is in exactly one, and none is without any.

    An abstract is one passage, each section led by its label ("METHODS: …"). A full text is packed
    paragraph by paragraph up to `limit` characters; only a paragraph, table or list longer than that is cut,
    between lines or sentences, and a sentence never.
    """
    found = [Passage("TITLE", record.title)] if record.title else []
    for parts in _documents(record):
        said = _packed(record.sections, parts, limit) if record.full_text else _whole(record.sections, parts)
        found += [passage for passage in said if _WORD.search(passage.text)]
    return found


def _documents(record: SourceRecord) -> Iterator[range]:
    """Yield the numbers of the sections of each document that goes by the record's name."""
    starts = (0, *breaks_of(record), len(record.sections))
    return (range(start, end) for start, end in pairwise(starts))


def breaks_of(record: SourceRecord) -> tuple[int, ...]:
    """Return the sections with which another document of the same name begins."""
    return record.breaks if isinstance(record, SeveralDocuments) else ()


def _whole(sections: tuple[Section, ...], parts: range) -> list[Passage]:
    return [
        _passage("ABSTRACT", sections, [(at, 0, len(sections[at].text)) for at in parts if sections[at].text])
    ]


def _packed(sections: tuple[Section, ...], parts: range, limit: int) -> Iterator[Passage]:
    label, pieces, size = "", list[tuple[int, int, int]](), 0
    for index in parts:
        section = sections[index]
        chapter = section.label.partition(" › ")[0]
        for stretch in stretches(section.text, limit):
            start, end = stretch.start, stretch.end
            longer = size + end - start + 1 + len(section.label)
            if pieces and (chapter != label or longer > limit):
                yield _passage(label, sections, pieces)
                pieces, longer = [], end - start + len(section.label)
            label, size = chapter, longer
            pieces.append((index, start, end))
    if pieces:
        yield _passage(label, sections, pieces)


def _passage(label: str, sections: tuple[Section, ...], pieces: list[tuple[int, int, int]]) -> Passage:
    text, parts, last = "", list[Part](), -1
    for index, start, end in pieces:
        section = sections[index]
        text += "\n" if text else ""
        if index != last and section.label:
            text += f"{section.label}: "
        parts.append(Part(len(text), index, start, end))
        text += section.text[start:end]
        last = index
    return Passage(label, text, tuple(parts))
