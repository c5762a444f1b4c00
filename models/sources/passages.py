"""A record as passages to judge claims by: the title, an abstract whole, a full text by its paragraphs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.records import Section, SourceRecord
from models.sources.paragraphs import stretches

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
    if record.full_text:
        return [*found, *(part for part in _packed(record.sections, limit) if _WORD.search(part.text))]
    worded = any(_WORD.search(section.text) for section in record.sections)
    pieces = [(index, 0, len(section.text)) for index, section in enumerate(record.sections) if section.text]
    return [*found, _passage("ABSTRACT", record.sections, pieces)] if worded else found


def _packed(sections: tuple[Section, ...], limit: int) -> Iterator[Passage]:
    label, pieces, size = "", list[tuple[int, int, int]](), 0
    for index, section in enumerate(sections):
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
