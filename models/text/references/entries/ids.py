"""Which record a reference that came as data or was read from a list names: the strongest of its identifiers."""

import re
from dataclasses import replace

from medassay.models.records import Reference
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, named_in_field, pmids_listed
from medassay.models.text.identifiers.reading import atoms, pmid_id, url_source_id
from medassay.models.text.labels.supplied_names import SuppliedNames
from medassay.models.text.references.entries.addresses import leads_nowhere
from medassay.models.text.references.entries.evidence import Evidence, evidence_of

_LONGEST_ENTRY = 400
_PMID = re.compile(r"\d{7,8}")


def identified(reference: Reference, documents: SuppliedNames) -> str | None:
    """Name the source by the strongest identifier of an entry, None if it has none.

    A field that cannot be read as an identifier is passed over; one that holds the address of a page names that page
    where nothing else of the entry names a record. An id that is no supplied document's may be an identifier, too.
    Of several PMIDs in one field this is the first.
    """
    fields = ((scheme, getattr(reference, scheme)) for scheme in FIELD_SCHEMES)
    named = [name for scheme, value in fields if value and (name := named_in_field(scheme, value))]
    named[:0] = pmids_listed(reference.pmid or "")[:1]
    said = reference.document or ""
    name = documents.find(said) or (None if said else _supplied(reference, documents))
    own = [] if name else [atom.source_id for atom in atoms(said)]
    if records := [one for one in named if not one.startswith("url:")]:
        return records[0]
    if name:
        return f"document:{name}"
    if reference.url:
        own.append(url_source_id(reference.url))
    elif _PMID.fullmatch(said):
        own.append(pmid_id(said))
    records = [one for one in own if not one.startswith("url:")]
    return next(iter([*records, *named, *([] if reference.url else own)]), None)


def _supplied(reference: Reference, documents: SuppliedNames) -> str | None:
    """Find the supplied document that an entry names by its id or whole title: `1. SOP-101: Anticoagulation`."""
    for words in (
        (reference.title, reference.source, reference.content, reference.marker) if documents else ()
    ):
        if not words or len(words) > _LONGEST_ENTRY:
            continue
        if (found := documents.find(words)) or (words == reference.marker):
            return found
        begun = documents.begins(words)
        if begun and any(sign.isdigit() for sign in begun[0]) and not begun[1][:1].isalnum():
            return documents.find(begun[0])
    return None


def named_in_words(reference: Reference) -> str | None:
    """Name the source by what stands in an entry's title: `Smith J. Metformin. JAMA 2020. PMID: 123`.

    Of two identifiers of one kind none says which is meant; a trial's number or an address beside an address of the
    entry's own may be what the source is about.
    """
    named = [a for a in atoms(reference.title or reference.source or "") if not _is_nowhere(a.source_id)]
    schemes = [atom.scheme for atom in named]
    if len(set(schemes)) < len(schemes):
        return None
    for scheme in ("pmid", "pmcid", "doi", *(() if reference.url else ("nct", "url"))):
        if scheme in schemes:
            return named[schemes.index(scheme)].source_id
    return None


def entry_for_content(reference: Reference) -> str | None:
    """Name the source of an entry that came as a content, as `{"text": "Smith J. Metformin. … PMID: 123"}` does."""
    said = reference.content or ""
    alone = reference.title is None and reference.url is None and reference.source is None
    if not alone or len(said) > _LONGEST_ENTRY or evidence_of(said) < Evidence.SURE:
        return None
    return named_in_words(replace(reference, title=said))


def _is_nowhere(source_id: str) -> bool:
    return source_id.startswith("url:") and leads_nowhere(source_id.removeprefix("url:"))
