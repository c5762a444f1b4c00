"""The rows of a table: their cells, and their words under the heads of their columns."""

import re
from collections.abc import Sequence

from models.records import Span

_COLUMN = re.compile(r"[\s*_#]*(?:[A-Z][^\d.!?\[\]\t]{0,40}|#)?")
_OF_ROWS = re.compile(
    r"[\W_]*(?:features?|drugs?|medications?|medicines?|agents?|class"
    r"|tests?|parameters?|symptoms?|signs?|conditions?"
    r"|populations?|groups?|patients?|age(?: groups?)?|aspects?|properties|property|outcomes?|treatments?|therapy"
    r"|names?|interventions?|options?|vaccines?|characteristics?|nutrients?|foods?|stages?|grades?"
    r"|categor(?:y|ies))[\W_]*",
    re.IGNORECASE,
)
_FEWEST_COLUMNS = 3
_COLUMN_OF_SOURCES = re.compile(
    r"\b(?:ref(?:erence)?|source|citation|pmid|doi|evidence|stud(?:y|ie))s?\b", re.IGNORECASE
)


def cells(text: str, start: int, end: int) -> list[Span]:
    """Cut a table row into its cells."""
    separator = "\t" if text.count("\t", start, end) >= 2 and "|" not in text[start:end] else "|"
    spans: list[Span] = []
    position = start
    for match in re.compile(r"(?<!\\)\|" if separator == "|" else r"\t").finditer(text, start, end):
        spans.append(Span(position, match.start()))
        position = match.end()
    spans.append(Span(position, end))
    if spans and not text[spans[0].start : spans[0].end].strip() and separator == "|":
        spans = spans[1:]
    if spans and not text[spans[-1].start : spans[-1].end].strip() and separator == "|":
        spans = spans[:-1]
    return spans


def names_columns(head: Sequence[str], below: Sequence[str]) -> bool:
    """Tell whether the cells of a table's first row are the heads of its columns, by the row below it.

    None holds a number, and they name a column of sources, begin with nothing or with what rows are of ("Drug"), or
    stand over numbers.
    """
    if len(head) < _FEWEST_COLUMNS or not all(_COLUMN.fullmatch(cell) for cell in head) or not any(head[1:]):
        return False
    named = not head[0] or _OF_ROWS.fullmatch(head[0]) or any(map(_COLUMN_OF_SOURCES.search, head))
    return bool(named) or any(cell[:1].isdigit() for cell in below[1:])


def in_columns(header: Sequence[str], row: Sequence[str]) -> str:
    """Word a table's row: each cell that is not empty under the head of its column."""
    heads = [*header, *[""] * (len(row) - len(header))]
    return "; ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip(heads, row, strict=False) if cell
    )
