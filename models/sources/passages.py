"""Split a record into passages: title, abstract, paragraphs of the full text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from medassay.models.records import Section, SeveralDocuments, SourceRecord, Span
from medassay.models.text.layout.blocks import Block, blocks
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.sentences.splitting import sentences

_IN_A_TABLE = frozenset({"row", "header_row", "rule"})
_LINE = re.compile(r"\n\s*(?=\S)")

LIMIT = 2000
_WORD = re.compile(r"\w")


def stretches(text: str, limit: int) -> Iterator[Span]:
    """Cut a text where it hurts least: between paragraphs, else between lines, else between sentences.

    A sentence is never cut, not even one that is wrapped over lines; so a stretch is at most `limit` characters
    long, or one sentence. Every character but white space is in exactly one stretch, in order.
    """
    for start, end in _trimmed(text, _paragraphs(text)):
        if end - start <= limit:
            yield Span(start, end)
            continue
        said = [(start + span.start, start + span.end) for span in sentences(text[start:end])]
        lines = [found.end() for found in _LINE.finditer(text, start, end)]
        for low, high in _trimmed(text, [start, *_outside(lines, said), end]):
            first = [at for at, _ in said if low < at < high] if high - low > limit else []
            for piece in _trimmed(text, _ends_of_runs([low, *first, high], limit)):
                yield Span(*piece)


def _paragraphs(text: str) -> list[int]:
    """Return where each paragraph begins that is read by itself, and the text's end."""
    found = blocks(with_line_breaks(text))
    apart = (
        below for above, below in zip(found, found[1:], strict=False) if not _together(text, above, below)
    )
    return [0, *(block.start for block in apart), len(text)]


def _together(text: str, above: Block, below: Block) -> bool:
    """Tell whether one says nothing without the other: a heading, the rows of a table, a list and what leads to it."""
    if above.kind == "heading":
        return True
    if below.kind == "bullet":
        return above.kind == "bullet" or text[above.start : above.end].rstrip("*_ ").endswith(":")
    return above.kind in _IN_A_TABLE and below.kind in _IN_A_TABLE


def _outside(places: Iterable[int], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the places, in order, that are not within one of the spans."""
    ahead = iter(spans)
    start, end = next(ahead, (0, 0))
    for place in places:
        while end <= place and (following := next(ahead, None)):
            start, end = following
        if not start < place < end:
            yield place


def _ends_of_runs(places: Sequence[int], limit: int) -> list[int]:
    """Keep the places at which one has to cut for no more than `limit` characters to lie between two."""
    kept = [places[0]]
    for place, following in zip(places[1:], places[2:], strict=False):
        if following - kept[-1] > limit:
            kept.append(place)
    return [*kept, places[-1]]


def _trimmed(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what lies between neighbouring places, without white space around it; nothing where there is only that."""
    for start, end in zip(places, places[1:], strict=False):
        words = text[start:end]
        low = start + len(words) - len(words.lstrip())
        if low < end:
            yield low, start + len(words.rstrip())


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
