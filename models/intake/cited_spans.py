"""An answer's `cited_spans`: which stretch of it cites what."""

from collections.abc import Iterator
from typing import Any


def spans_of(listed: Any) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the spans of a row's `cited_spans`."""
    for span in listed or ():
        yield span["start"], span["end"], tuple(map(str, span["citations"]))


def spans_fault(row: dict[str, Any]) -> str | None:
    """Name the first span that has no place in the answer, or cites nothing."""
    listed, text = row.get("cited_spans"), row.get("answer")
    if listed is None:
        return None
    if not isinstance(listed, list):
        return "cited_spans is no list"
    length = len(text) if isinstance(text, str) else 0
    for number, span in enumerate(listed, 1):
        if not isinstance(span, dict) or not isinstance(span.get("citations"), list):
            return f"span {number} has no list of citations"
        start, end = span.get("start"), span.get("end")
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= length + 1):
            return f"span {number} is no place in the answer: {start} to {end}"
    return None
