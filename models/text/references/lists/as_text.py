"""A reference list that comes as data but in one text: `1. Smith J. … PMID 1↵2. Doe A. … PMID 2`."""

import re
from collections import Counter
from dataclasses import replace

from medassay.models.records import Reference
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.references.entries.reading import entry_as_written
from medassay.models.text.references.lists.reading import find_reference_lists

_HEADING = "References\n\n"
_LABEL = re.compile(r"[\s>*•·-]*(?:\[\^?)?(?P<label>\d{1,3})(?:\]|[.):](?=\s))[:.]?\s*|[\s>*•·–-]+")


def entries_in(said: str) -> tuple[Reference, ...]:
    """Read all entries of a text, each with its number in it or, where it has none, its place.

    Returns:
        Nothing where no entry names a record, and where one names several so that it is not clear which are its own.
    """
    text = _HEADING + said
    listed = [entry for found in find_reference_lists(text) for entry in found.entries]
    known = [one.reference for one in listed]
    if not any(one.pmid or one.pmcid or one.doi or one.nct or one.url for one in known):
        return ()
    together = Counter(entry.span for entry in listed)
    read: list[Reference] = []
    for place, entry in enumerate(listed, start=1):
        span = entry.span
        if span is None or together[span] > 1:
            read.append(replace(entry.reference, marker=str(place)))
            continue
        written = text[span.start : span.end]
        label = _LABEL.match(written)
        body = written[label.end() :].strip() if label else written
        if len({atom.source_id for atom in atoms(body) if atom.scheme == "pmid"}) > 1:
            return ()
        read.append(entry_as_written(body, entry.reference.marker or str(place)))
    return tuple(read)
