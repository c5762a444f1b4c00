"""Reference lists as they come in an answer's row: entries as texts or objects, in order or by their labels."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from models.intake.names import IDENTIFIERS, as_name
from models.intake.rows import Kind, spelled
from models.records import AuthoredReference, Reference
from models.text.identifier_fields import FIELD_SCHEMES, FieldScheme, named_in_field
from models.text.references.authors_as_data import AUTHOR_FIELDS, YEAR_FIELDS, authors_of, year_given
from models.text.references.entries import entry_as_written

_FIELDS = ("marker", *IDENTIFIERS, "title", "content", "source", "document")
_SYNONYMS = {
    "label": "marker", "number": "marker", "link": "url", "name": "title", "text": "content", "passage": "content",
    "snippet": "content", "abstract": "content", "excerpt": "content", "chunk": "content", "page_content": "content",
    "id": "document", "document_id": "document", "doc_id": "document", "docid": "document",
    "ref": "marker", "ref_id": "marker", "citation_number": "marker", "citation_id": "marker", "key": "marker",
    "citation": "title", "reference": "title", "uri": "url", "href": "url", "pubmed_id": "pmid",
    "PMID": "pmid", "PMCID": "pmcid", "pmc": "pmcid", "DOI": "doi", "NCT": "nct", "nct_id": "nct",
}  # fmt: skip
_SINGLE = frozenset((*_FIELDS, *_SYNONYMS))
"""Fields that hold one value."""
_BIBLIOGRAPHIC = frozenset(
    "journal container-title container_title journal_title venue volume issue number_of_volumes page pages publisher"
    " issn isbn type language medium edition accessed access_date eissn journal_abbreviation doctype n et_al".split()
)
"""Fields that describe a work and that nothing here needs."""
_READ = _SINGLE | {*AUTHOR_FIELDS, *YEAR_FIELDS} | _BIBLIOGRAPHIC


def references_fault(row: dict[str, Any]) -> str | None:
    """Find the first reference that is neither a name nor an object of single values; they may come by their labels.

    Fields that nothing reads may hold anything.
    """
    listed = row.get("references")
    if listed is None:
        return None
    if isinstance(listed, dict) and not frozenset(_FIELDS) & listed.keys():
        listed = list(listed.values())
    if not isinstance(listed, list):
        return spelled(listed)
    return next(
        (f"reference {n}: {fault}" for n, entry in enumerate(listed, 1) if (fault := _entry_fault(entry))),
        None,
    )


def _entry_fault(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        named = (isinstance(entry, str) and entry.strip()) or (
            isinstance(entry, int | float) and not isinstance(entry, bool)
        )
        return None if named else spelled(entry, 60)
    if not entry:
        return "an empty object"
    several = next((n for n, v in entry.items() if n in _SINGLE and isinstance(v, list | dict)), None)
    return f"{several} is {spelled(entry[several], 60)}" if several else None


def unread_fields(row: dict[str, Any]) -> frozenset[str]:
    """Return the fields of a row's references that nothing reads."""
    return frozenset(
        str(name)
        for entry in _entries(row.get("references"))
        if isinstance(entry, dict)
        for name in entry
        if str(name) not in _READ and str(name).casefold() not in _READ
    )


def misread_identifiers(kind: Kind, row: dict[str, Any]) -> Iterator[tuple[FieldScheme, str]]:
    """Yield what names no record in the fields for identifiers: of a document, or of an answer's references."""
    for entry in (row,) if kind == "document" else _entries(row.get("references")):
        for field, value in entry.items() if isinstance(entry, dict) else ():
            name = _SYNONYMS.get(field, field)
            scheme = next((known for known in FIELD_SCHEMES if known == name), None)
            said = str(as_name(value)) if isinstance(value, str | int | float) else ""
            if scheme and re.search("[1-9]", said) and named_in_field(scheme, said) is None:
                yield scheme, said


def to_references(listed: Sequence[Any] | dict[Any, Any]) -> tuple[Reference, ...]:
    """Read a reference list, or references by their labels."""
    if isinstance(listed, dict):
        return tuple(_reference(entry, str(label)) for label, entry in listed.items())
    return tuple(_reference(entry, str(n)) for n, entry in enumerate(listed, 1))


def _entries(listed: Any) -> Iterable[Any]:
    if isinstance(listed, dict):
        return listed.values()
    return listed if isinstance(listed, list) else ()


def _reference(entry: Any, marker: str) -> Reference:
    """Read one entry of a reference list; without a marker of its own it stands under the given one."""
    if not isinstance(entry, dict):
        return entry_as_written(str(as_name(entry)), marker)
    fields = {name: entry[name] for name in _FIELDS if entry.get(name) not in (None, "")}
    for other, name in _SYNONYMS.items():
        if entry.get(other) not in (None, ""):
            fields.setdefault(name, entry[other])
    fields.setdefault("marker", marker)
    given = {name: str(v if name == "content" else as_name(v)) for name, v in fields.items()}
    authors, year = authors_of(entry), year_given(entry)
    return AuthoredReference(**given, authors=authors, year=year) if authors or year else Reference(**given)
