"""Entries that name what another entry of their list names: `Ibid., p. 5`, `See ref. 2`, `Same as [1]`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.records import Span
from models.text.references.entries import ListedReference, WrittenEntry, read_entries

_PAGE = r"(?:(?:at\s|pp?\.\s?)?\d{1,5}(?:[-–]\d{1,5})?)?"
_IBID = re.compile(rf"[\s*_]*(?:ibid(?:em)?|idem|same as above)\b[\s*_.,]*{_PAGE}[\s*_.]*", re.IGNORECASE)
_OTHER = re.compile(
    r"[\s*_]*(?:see|same as|as in|cf\.|identical (?:to|with)|=)\s?(?:ref(?:erence)?s?\b\.?|source|citation|note|no\.)?"
    rf"\s?#?[\[(]?(?P<label>\d{{1,3}})[\])]?[\s*_.,]*(?:above|below)?{_PAGE}[\s*_.]*",
    re.IGNORECASE,
)


def read_all(text: str, entries: Sequence[WrittenEntry]) -> list[ListedReference]:
    """Read the entries of a list; one that points to another gets what that one names, under a label of its own."""
    read: list[ListedReference] = []
    pointing: list[tuple[int, str, WrittenEntry]] = []
    for entry in entries:
        if read and _IBID.fullmatch(text, entry.body, entry.end):
            read.append(_again(read[-1], entry))
        elif other := _OTHER.fullmatch(text, entry.body, entry.end):
            pointing.append((len(read), other["label"], entry))
        else:
            read += read_entries(text, entry)
    by_label = {one.reference.marker: one for one in reversed(read)}
    for place, label, entry in reversed(pointing):
        if label != entry.label and label in by_label:
            read.insert(place, _again(by_label[label], entry))
    return read


def _again(named: ListedReference, entry: WrittenEntry) -> ListedReference:
    return replace(
        named, reference=replace(named.reference, marker=entry.label), span=Span(entry.start, entry.end)
    )
