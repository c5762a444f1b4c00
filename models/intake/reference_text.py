"""References given as text in the data: one entry, or a list with all of its entries."""

import re
from collections import Counter
from dataclasses import replace

from medassay.models.records import Reference
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.references.entries import says_more, with_ids
from medassay.models.text.references.lists import BULLET, LABEL, find_reference_lists
from medassay.models.text.verbs import has_finite_verb

_OWN_LABEL = re.compile(r"\s*(?:\[(\d{1,3})\][.:]?\s*|(\d{1,3})[.)]\s+)(?=\S)")


def entries_in(said: str) -> tuple[Reference, ...]:
    """Read all entries of a list given as one text, each with its number in it or, where it has none, its place.

    Returns:
        Nothing where no entry names a record, and where one names several so that it is not clear which are its own.
    """
    if "\n" not in said:
        pieces = said.split(";")
        several = len(pieces) > 1 and all(atoms(piece) and not has_finite_verb(piece) for piece in pieces)
        said = "\n".join(map(str.strip, pieces)) if several else re.sub(r"\s(?=\[\d{1,3}\]\s)", "\n", said)
    text = f"References\n\n{said}"
    listed = [entry for found in find_reference_lists(text) for entry in found.entries]
    if not any(
        e.reference.pmid or e.reference.pmcid or e.reference.doi or e.reference.nct or e.reference.url
        for e in listed
    ):
        return ()
    together = Counter(entry.span for entry in listed)
    read: list[Reference] = []
    for place, entry in enumerate(listed, start=1):
        span = entry.span
        if span is None or together[span] > 1:
            read.append(replace(entry.reference, marker=str(place)))
            continue
        written = text[span.start : span.end]
        label = LABEL.match(written) or BULLET.match(written)
        body = written[label.end() :].strip() if label else written
        named = atoms(body)
        states = named and "(" in body and has_finite_verb(body[: named[0].start])
        if states or len({atom.source_id for atom in named if atom.scheme == "pmid"}) > 1:
            return ()
        read.append(entry_as_written(body, entry.reference.marker or str(place)))
    return tuple(read)


def entry_as_written(text: str, marker: str) -> Reference:
    """Read an entry that was given as one text: what identifies it, and all of it as the title if it says more.

    A number that it begins with is its label: of a list cut down to what is cited the third may be `[7] Smith J. …`.
    """
    if re.fullmatch(r"\d{1,8}", text):
        return Reference(marker=marker, pmid=text)
    if own := _OWN_LABEL.match(text):
        marker, text = own[1] or own[2], text[own.end() :]
    named = atoms(text)
    reference = with_ids(Reference(marker=marker), [atom.source_id for atom in named])
    return replace(reference, title=text) if not named or says_more(text, named) else reference
