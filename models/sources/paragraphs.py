"""Stretches of a full text that are read together: a paragraph, a heading with what it heads, a list with its lead."""

import re
from collections.abc import Iterable, Iterator, Sequence

from medassay.models.records import Span
from medassay.models.text.layout.blocks import Block, blocks
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.sentences.splitting import sentences

_IN_A_TABLE = frozenset({"row", "header_row", "rule"})
_LINE = re.compile(r"\n\s*(?=\S)")


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
            for piece in _trimmed(text, _packed([low, *first, high], limit)):
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


def _packed(places: Sequence[int], limit: int) -> list[int]:
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
