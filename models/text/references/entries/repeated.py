"""Entries that name what another entry of their list names: `Ibid., p. 5`, `See ref. 2`, `Same as [1]`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from medassay.models.records import Span
from medassay.models.text.references.entries.compound import parts_of, works_in_a_row
from medassay.models.text.references.entries.labels import labels_together
from medassay.models.text.references.entries.reading import ListedReference, WrittenEntry, read_entries

_PAGE = r"(?:(?:at\s|pp?\.\s?)?\d{1,5}(?:[-–]\d{1,5})?)?"
_IBID = re.compile(rf"[\s*_]*(?:ibid(?:em)?|idem|same as above)\b[\s*_.,]*{_PAGE}[\s*_.]*", re.IGNORECASE)
_OTHER = re.compile(
    r"[\s*_]*(?:see|same as|as in|cf\.|identical (?:to|with)|=)\s?(?:ref(?:erence)?s?\b\.?|source|citation|note|no\.)?"
    rf"\s?#?[\[(]?(?P<label>\d{{1,3}})[\])]?[\s*_.,]*(?:above|below)?{_PAGE}[\s*_.]*",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[(?P<title>[^\[\]\n]{1,300})\]\[(?P<label>[^\[\]\n]{1,20})\]")
_LONGEST = 1000


def read_all(text: str, entries: Sequence[WrittenEntry]) -> list[ListedReference]:
    """Read the entries of a list; one that points to another gets what that one names, under a label of its own."""
    read: list[ListedReference] = []
    pointing: list[tuple[int, str, WrittenEntry]] = []
    for entry in entries:
        if read and _IBID.fullmatch(text, entry.body, entry.end):
            read.append(_again(read[-1], entry))
        elif other := _OTHER.fullmatch(text, entry.body, entry.end):
            pointing.append((len(read), other["label"], entry))
        elif parts := parts_of(text, entry) or works_in_a_row(text, entry):
            read += [one for part in parts for one in read_entries(text, part)]
        else:
            several = labels_together(entry.label or "")
            one = read_entries(text, entry)
            read += [_again(e, replace(entry, label=n)) for e in one for n in several] if several else one
    by_label = {one.reference.marker: one for one in reversed(read)}
    for place, label, entry in reversed(pointing):
        if label != entry.label and label in by_label:
            read.insert(place, _again(by_label[label], entry))
    return [_linked(one, text, by_label) for one in read]


def _linked(
    entry: ListedReference, text: str, by_label: dict[str | None, ListedReference]
) -> ListedReference:
    """Give `[Mayo Clinic][1]` the address that `[1]: https://…` in the same list says."""
    span, said = entry.span, entry.reference
    if span is None or any((said.pmid, said.pmcid, said.doi, said.nct, said.url)):
        return entry
    link = _LINK.search(text, span.start, min(span.end, span.start + _LONGEST))
    named = by_label.get(link["label"]) if link else None
    if link is None or named is None or named is entry:
        return entry
    return replace(entry, reference=replace(named.reference, marker=said.marker, title=link["title"]))


def _again(named: ListedReference, entry: WrittenEntry) -> ListedReference:
    return replace(
        named, reference=replace(named.reference, marker=entry.label), span=Span(entry.start, entry.end)
    )


def numbered(text: str, entries: Sequence[WrittenEntry]) -> list[WrittenEntry]:
    """Count entries that all have the label 1, as Markdown does, unless titles stand between them."""
    titled = any(text[a.end : b.start].strip() for a, b in pairwise(entries))
    if len(entries) > 1 and not titled and all(entry.label == "1" for entry in entries):
        return [replace(entry, label=str(n)) for n, entry in enumerate(entries, start=1)]
    return list(entries)
