"""Citations in a table's column of references, where numbers stand without brackets."""

import re
from collections.abc import Collection, Iterator, Sequence

from models.records import Span
from models.text.blocks import Block, cells
from models.text.identifiers import pmid_id
from models.text.label_reader import LabelReader
from models.text.marks import Marker, Target

_HEAD = re.compile(
    r"[\W_]*(?:(?P<pmid>pmids?|pubmed(?: ids?)?)|refs?\.?|references?|citations?|sources?|evidence|studies|study"
    r"|literature|literatur|quellen?)[\W_]*",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\d{1,8}(?:\s?(?:[,;–-]|and|&)\s?\d{1,8})*")


def table_markers(
    text: str, body: Sequence[Block], labels: Collection[str], documents: Collection[str]
) -> Iterator[Marker]:
    """Find cells of bare numbers under a head such as *References* or *PMID*.

    Under *PMID* they are PubMed ids; elsewhere a number below a thousand is a label of the reference list.
    """
    reader = LabelReader(text, frozenset(labels), {name.casefold(): name for name in documents})
    heads: list[re.Match[str] | None] = []
    for block in body:
        if block.kind == "rule":
            continue
        if block.kind not in ("row", "header_row"):
            heads = []
            continue
        spans = cells(text, block.content, block.end)
        if block.kind == "header_row":
            heads = [_HEAD.fullmatch(text, span.start, span.end) for span in spans]
            continue
        for head, span in zip(heads, spans, strict=False):
            if head and (targets := _numbers(reader, span, pubmed=head["pmid"] is not None)):
                yield Marker(targets[0].start, targets[-1].end, "bracket", tuple(targets))


def _numbers(reader: LabelReader, cell: Span, *, pubmed: bool) -> list[Target]:
    raw = reader.text[cell.start : cell.end]
    if not _NUMBERS.fullmatch(raw.strip()):
        return []
    start = cell.start + len(raw) - len(raw.lstrip())
    end = start + len(raw.strip())
    if not pubmed:
        read = reader.items(start, end, (), "[")
        return read[1] if read else []
    return [
        Target(f"[{n[0]}]", pmid_id(n[0]), None, start + n.start(), start + n.end())
        for n in re.finditer(r"\d+", raw.strip())
    ]
