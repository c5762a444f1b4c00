"""Reference lists as they come in an answer's row: entries as texts or objects, in order or by their labels."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from medassay.models.intake.authors import authors_of, year_given
from medassay.models.intake.names import as_name
from medassay.models.intake.reference_fields import (
    FIELDS,
    fault_of,
    field_of,
    fields_of,
    flattened,
    unread_in,
)
from medassay.models.intake.reference_text import entries_in, entry_as_written
from medassay.models.intake.rows import Kind, spelled
from medassay.models.records import AuthoredReference, Reference
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, FieldScheme, named_in_field, pmids_listed

_ADDRESS = re.compile(r"https?://\S+")
_LABEL = re.compile(r"\d{1,3}")
"""An id that only numbers the entries of its list."""


def references_fault(row: dict[str, Any]) -> str | None:
    """Find the first reference that is neither a name nor an object of single values; they may come by their labels.

    One text may hold them all if it names a record.

    Fields that nothing reads may hold anything.
    """
    listed = row.get("references")
    if listed is None:
        return None
    if isinstance(listed, dict) and not frozenset(FIELDS) & listed.keys():
        listed = list(listed.values())
    if isinstance(listed, str) and entries_in(listed):
        return None
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
    several = fault_of(entry)
    return f"{several} is {spelled(entry[several], 60)}" if several else None


def unread_fields(row: dict[str, Any]) -> frozenset[str]:
    """Return the fields of a row's references that nothing reads."""
    entries = (entry for entry in _entries(row.get("references")) if isinstance(entry, dict))
    return frozenset(name for entry in entries for name in unread_in(entry))


def misread_identifiers(kind: Kind, row: dict[str, Any]) -> Iterator[tuple[FieldScheme, str]]:
    """Yield what names no record in the fields for identifiers: of a document, or of an answer's references."""
    for entry in (row,) if kind == "document" else _entries(row.get("references")):
        for field, value in flattened(entry).items() if isinstance(entry, dict) else ():
            scheme = next((known for known in FIELD_SCHEMES if known == field_of(field)), None)
            said = str(as_name(value)) if isinstance(value, str | int | float) else ""
            if kind == "answer" and scheme == "pmid" and pmids_listed(said):
                continue
            if scheme and re.search("[1-9]", said) and named_in_field(scheme, said) is None:
                yield scheme, said


def to_references(listed: Sequence[Any] | dict[Any, Any] | str) -> tuple[Reference, ...]:
    """Read a reference list, references by their labels, or one text with all entries in it."""
    if isinstance(listed, str):
        return entries_in(listed)
    if (
        len(listed) == 1
        and isinstance(listed, list)
        and isinstance(listed[0], str)
        and "\n" in listed[0].strip()
    ):
        if len(several := entries_in(listed[0])) > 1:
            return several
    if isinstance(listed, dict):
        return tuple(_reference(entry, str(label)) for label, entry in listed.items())
    from_0 = any(isinstance(entry, dict) and entry.get("index") in (0, "0") for entry in listed)
    return tuple(_reference(entry, str(n), from_0) for n, entry in enumerate(listed, 1))


def _entries(listed: Any) -> Iterable[Any]:
    if isinstance(listed, dict):
        return listed.values()
    return listed if isinstance(listed, list) else ()


def _reference(entry: Any, marker: str, from_0: bool = False) -> Reference:
    """Read one entry of a reference list; without a marker of its own it stands under the given one.

    An index that counts from 0 is a place in the list and no label.
    """
    if not isinstance(entry, dict):
        return entry_as_written(str(as_name(entry)), marker)
    entry = flattened(entry)
    fields = fields_of({name: value for name, value in entry.items() if not (from_0 and name == "index")})
    given = {name: str(v if name == "content" else as_name(v)) for name, v in fields.items()}
    if "url" not in given and _ADDRESS.fullmatch(given.get("source", "")):
        given["url"] = given.pop("source")
    number = given.get("document", "")
    given.setdefault("marker", number if _LABEL.fullmatch(number) else marker)
    authors, year = authors_of(entry), year_given(entry)
    return AuthoredReference(**given, authors=authors, year=year) if authors or year else Reference(**given)
