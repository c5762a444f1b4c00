"""An answer without the list of sources at its end: where something stands is no statement, and is read elsewhere."""

from collections.abc import Sequence

from medassay.models.records import Reference
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.references.lists import find_reference_lists


def without_listed_sources(text: str, references: Sequence[Reference] = ()) -> str:
    """Leave out the entries of a list of sources that say where to look: an address, an identifier, a known document.

    An entry without any of these may be a statement under a false heading, and stays; so does a list with nothing else.
    """
    text = with_line_breaks(text)
    listed = [entry for found in find_reference_lists(text) for entry in found.entries]
    documents = [reference.document for reference in references if reference.document]
    kept = text
    for entry in reversed(listed):
        if entry.span is None:
            continue
        said = text[entry.span.start : entry.span.end]
        found = entry.reference
        if any((found.pmid, found.pmcid, found.doi, found.nct, found.url)) or any(
            d in said for d in documents
        ):
            kept = kept[: entry.span.start] + kept[entry.span.end :]
    return kept if any(c.isalnum() for c in kept) else text
