"""Citations in a table's column of references, where numbers and authors stand without brackets."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from medassay.models.records import Span
from medassay.models.text.identifiers.reading import atoms, pmid_id
from medassay.models.text.labels.supplied_names import SuppliedNames
from medassay.models.text.layout.blocks import Block
from medassay.models.text.layout.rows import cells
from medassay.models.text.markers.authors import cited_authors
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target, identifier
from medassay.models.text.markers.mixed_brackets import mixed_targets
from medassay.models.text.markers.narratives import narratives
from medassay.models.text.markers.sources_in_rows import cell_of_sources

_WORD = (
    r"(?:pmids?|pubmed|refs?|references?|citations?|sources?|evidence|stud(?:y|ies)"
    r"|literature|literatur|quellen?)"
)
_BESIDE = (
    r"(?:pmids?|pubmed|refs?|references?|citations?|sources?|links?|ids?|nos?|nr|numbers?|list|cited|s|#)"
)
_KEY = r"(?:(?:key|main|primary|principal|selected|original|supporting|best)\s)?"
_HEAD = re.compile(rf"[\W_]*{_KEY}{_WORD}(?:[\W_]+{_BESIDE}\b)*[\W_]*", re.IGNORECASE)
_HEAD_OF_NUMBERS = re.compile(r"[\s*_]*(?:#|nos?\.?|nr\.?|numbers?)[\s*_]*", re.IGNORECASE)
_HEAD_OF_NAMES = re.compile(
    r"[\W_]*(?:first\s)?(?:authors?|stud(?:y|ies)|trials?)(?:[,/\s]+|\s?\()years?\)?[\W_]*", re.IGNORECASE
)
_NUMBER = re.compile(r"[\s*_]*([1-9]\d?)\.?[\s*_]*")
_OF_PUBMED = re.compile(r"pmid|pubmed", re.IGNORECASE)
_OF_STUDIES = re.compile(r"(?![^|]*(?:source|ref|citation)).*?(?:evidence|stud(?:y|ies))", re.IGNORECASE)
"""What a row is about, as often as what it rests on."""
_SHORTEST_PMID = 4
_LABELS_FIRST = re.compile(r"\s*(?:\[\d{1,3}(?:[,;–-]\s?\d{1,3})*\][,;]?\s*)+")
_GROUP = re.compile(r"\((\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)\)")
_IN_PARENTHESES = re.compile(rf"\s*{_GROUP.pattern}(?:[,;]?\s?{_GROUP.pattern})*\s*")
_NUMBERS = re.compile(r"\d{1,8}(?:\s?(?:[,;–-]|and|&)\s?\d{1,8})*")


def table_markers(
    text: str, body: Sequence[Block], labels: Collection[str], documents: SuppliedNames
) -> Iterator[Marker]:
    """Find cells of bare numbers, or of authors that the list has, under a head such as *References* or *PMID*.

    Under *PMID* numbers are PubMed ids; elsewhere one below a thousand is a label of the reference list.
    """
    reader = LabelReader(text, frozenset(labels), documents)
    heads: list[re.Match[str] | None] = []
    named: list[bool] = []
    in_table = False
    for block in body:
        if block.kind == "rule":
            continue
        if block.kind not in ("row", "header_row"):
            heads, named, in_table = [], [], False
            continue
        spans = cells(text, block.content, block.end)
        if block.kind == "header_row" or not in_table:
            heads = [_HEAD.fullmatch(text, span.start, span.end) for span in spans]
            named = [_HEAD_OF_NAMES.fullmatch(text, span.start, span.end) is not None for span in spans]
            in_table = True
            continue
        for column, (head, span) in enumerate(zip(heads, spans, strict=False)):
            if head and (targets := _numbers(reader, span, pubmed=_OF_PUBMED.search(head[0]) is not None)):
                yield Marker(targets[0].start, targets[-1].end, "bracket", tuple(targets))
            elif head and (targets := _authors(reader, span)):
                yield Marker(span.start, span.end, "author_year", tuple(targets))
            elif head and column and not _OF_STUDIES.match(head[0]):
                labelled = _LABELS_FIRST.match(text, span.start, span.end)  # "[1], FDA 2016"
                if sources := cell_of_sources(reader, labelled.end() if labelled else span.start, span.end):
                    yield sources
        for span in (span for is_named, span in zip(named, spans, strict=False) if is_named):
            if sources := cell_of_sources(reader, span.start, span.end):  # the row keeps whose it is
                yield replace(sources, words=Span(sources.start, sources.end))


def row_numbers(text: str, body: Sequence[Block]) -> Iterator[Marker]:
    """Find the numbers that a first column under `#` or `No.` counts its rows by: they point to nothing."""
    expected: int | None = None
    for block in body:
        if block.kind == "rule":
            continue
        if block.kind not in ("row", "header_row"):
            expected = None
            continue
        first = next(iter(cells(text, block.content, block.end)), Span(block.end, block.end))
        if expected is None:
            expected = 1 if _HEAD_OF_NUMBERS.fullmatch(text, first.start, first.end) else 0
        elif (number := _NUMBER.fullmatch(text, first.start, first.end)) and int(number[1]) == expected:
            expected += 1
            yield Marker(number.start(1), number.end(1), "bracket", ())
        else:
            expected = 0


def _authors(reader: LabelReader, cell: Span) -> list[Target]:
    """Read a cell of `Smith et al., 2020; Lee 2019`, `Smith et al. (2020)` or `Lee 2019; PMID 123`, and no more."""
    raw = reader.text[cell.start : cell.end]
    start = cell.start + len(raw) - len(raw.lstrip())
    end = start + len(raw.strip())
    if named := [identifier(reader.text, atom) for atom in atoms(reader.text, start, end)]:
        beside = mixed_targets(reader, start, end, named) or []
        return beside if any(target.label in reader.labels for target in beside) else []
    targets = cited_authors(reader, start, end) or [
        target
        for marker in narratives(reader, start, end)
        if (marker.start, marker.end) == (start, end)
        for target in marker.targets
    ]
    return targets if all(target.label in reader.labels for target in targets) else []


def _numbers(reader: LabelReader, cell: Span, *, pubmed: bool) -> list[Target]:
    raw = reader.text[cell.start : cell.end]
    if _IN_PARENTHESES.fullmatch(raw):
        groups = (
            reader.items(*group.span(1), (), "[")
            for group in _GROUP.finditer(reader.text, cell.start, cell.end)
        )
        targets = [target for read in groups for target in (read[1] if read else ())]
        return targets if all(target.label in reader.labels for target in targets) else []
    if not _NUMBERS.fullmatch(raw.strip()):
        return []
    start = cell.start + len(raw) - len(raw.lstrip())
    end = start + len(raw.strip())
    if not pubmed:
        read = reader.items(start, end, (), "[")
        return read[1] if read else []
    return [
        reader.number(n[0], start + n.start(), start + n.end(), False)
        if n[0] in reader.labels and len(n[0]) < _SHORTEST_PMID
        else Target(f"[{n[0]}]", pmid_id(n[0]), None, start + n.start(), start + n.end())
        for n in re.finditer(r"\d+", raw.strip())
    ]
