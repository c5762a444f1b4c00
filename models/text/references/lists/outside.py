"""What of an answer's blocks stands in no reference list."""

from collections.abc import Sequence
from dataclasses import replace

from medassay.models.text.layout.blocks import Block
from medassay.models.text.references.lists.reference_list import ReferenceList


def outside(blocks: Sequence[Block], lists: Sequence[ReferenceList], text: str) -> list[Block]:
    """Return the blocks, and parts of blocks, that are in no list."""
    kept: list[Block] = []
    at = 0
    for block in blocks:
        while at < len(lists) and lists[at].end <= block.start:
            at += 1
        start, ahead = block.start, at
        while ahead < len(lists) and lists[ahead].start < block.end and start < block.end:
            kept += _part(block, start, lists[ahead].start, text)
            start = lists[ahead].end
            ahead += 1
        kept += _part(block, start, block.end, text)
    return kept


def _part(block: Block, start: int, end: int, text: str) -> list[Block]:
    """Return text[start:end] of a block as a block; nothing if it is blank."""
    if (start, end) == (block.start, block.end):
        return [block]
    raw = text[start : max(start, end)]
    if not raw.strip():
        return []
    first = start + len(raw) - len(raw.lstrip())
    kept = replace(block, start=first, end=first + len(raw.strip()), content=max(first, block.content))
    return [kept if first == block.start else replace(kept, kind="paragraph", content=first)]
