"""The sentence of a passage shown as deciding, without markers and headings."""

import re
from functools import lru_cache

from medassay.models.records import Span
from medassay.models.text.layout.blocks import Block, blocks
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.sentences.splitting import passage_sentences

# What the next line begins with: hashes, a bullet, a number, a quotation's sign; or a rule between the two.
_MARKS = re.compile(
    r"[ \t>]*+(?:#{1,6}|[-*+•◦▪–—]|\(?\d{1,3}[.)]|[-=*_|: \t]{3,}+|`{3,}\w*+)?[ \t]*+(?:\*\*|__)?[ \t]*+"
)
_HASHES = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_ENDED = re.compile(r"[.!?…][\"'”’)\]*_]*\Z")
_WORD = re.compile(r"\w{3,}")


def without_marks(passage: str, start: int, end: int) -> tuple[int, int]:
    """Leave out a heading's hashes, a bullet or a number that belong to what stands below; what is only that stays."""
    said = passage[start:end]
    last = len(said.rstrip())
    while (line := said.rfind("\n", 0, last) + 1) and _MARKS.fullmatch(said, line, last):
        last = len(said[:line].rstrip())
    hashes = _HASHES.match(said)
    first = hashes.end() if hashes else 0
    return (start + first, start + last) if first < last else (start, end)


def deciding_sentence(passage: str, claim: str, told: Span) -> Span:
    """Return the sentence that a verdict names without the marks beside it; below a heading the nearest to the claim.

    A heading says what the sentences below it are about, and bears nothing out itself. One with nothing below stays.
    """
    start, end = without_marks(passage, told.start, told.end)
    if _ENDED.search(passage[start:end]) or not _is_a_line(passage, start, end):
        return Span(start, end)
    below = _below_heading(passage, start)
    if not below:
        return Span(start, end)
    words = _words(claim)
    nearest = max(below, key=lambda span: (len(words & _words(passage[span.start : span.end])), -span.start))
    return Span(*without_marks(passage, nearest.start, nearest.end))


def heading_over(passage: str, at: int) -> str:
    """Return the words of the nearest heading that stands above a place of a passage; nothing where none does."""
    above = [block for block in _blocks(passage) if block.kind == "heading" and block.end <= at]
    return passage[above[-1].content : above[-1].end].strip(" \t#*_:") if above else ""


def _is_a_line(passage: str, start: int, end: int) -> bool:
    """Tell whether nothing but marks stands beside it on its line, as beside every heading."""
    before = passage[passage.rfind("\n", 0, start) + 1 : start]
    after = passage[end:].partition("\n")[0]
    return not before.strip(" \t#>*_") and not after.strip(" \t#*_:")


def _below_heading(passage: str, at: int) -> list[Span]:
    """Return the sentences below the heading that stands there, up to the next one; none where no heading does."""
    body: list[Block] = []
    is_there = False
    for block in _blocks(passage):
        if block.start <= at < block.end:
            is_there = block.kind == "heading"
        elif is_there and block.start > at:
            if block.kind == "heading" and body:
                break
            if block.kind not in ("heading", "header_row", "rule"):
                body.append(block)
    said = _sentences(passage) if body else ()
    return [span for span in said if any(block.start <= span.start < block.end for block in body)]


@lru_cache(maxsize=256)
def _blocks(passage: str) -> tuple[Block, ...]:
    return tuple(blocks(with_line_breaks(passage)))


@lru_cache(maxsize=256)
def _sentences(passage: str) -> tuple[Span, ...]:
    return tuple(passage_sentences(passage))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
