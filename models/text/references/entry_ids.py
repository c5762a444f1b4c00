"""Which record a reference that came as data or was read from a list names: the strongest of its identifiers."""

from dataclasses import replace

from models.records import Reference
from models.text.identifier_fields import FIELD_SCHEMES, named_in_field
from models.text.identifiers import atoms, url_source_id
from models.text.references.addresses import leads_nowhere
from models.text.references.entry_evidence import Evidence, evidence_of

_LONGEST_ENTRY = 400


def identified(reference: Reference, documents: dict[str, str]) -> str | None:
    """Name the source by the strongest identifier of an entry, None if it has none.

    A field that cannot be read as an identifier is passed over; one that holds the address of a page names that page
    where nothing else of the entry names a record.
    """
    fields = ((scheme, getattr(reference, scheme)) for scheme in FIELD_SCHEMES)
    named = [name for scheme, value in fields if value and (name := named_in_field(scheme, value))]
    if records := [name for name in named if not name.startswith("url:")]:
        return records[0]
    if reference.document:
        return f"document:{documents.get(reference.document.casefold(), reference.document)}"
    if reference.url:
        source_id = url_source_id(reference.url)
        if not source_id.startswith("url:"):
            return source_id
    return named[0] if named else None


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
