"""Reference lists and cited spans of an answer: entries as texts or objects, whatever a vendor calls their fields."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from medassay.models.intake.authors import AUTHOR_FIELDS, YEAR_FIELDS, authors_of, year_given
from medassay.models.intake.names import IDENTIFIERS, as_identifier, as_name
from medassay.models.intake.printed_lists import looks_printed
from medassay.models.intake.reference_text import entries_in, entry_as_written
from medassay.models.intake.rows import Kind, spelled
from medassay.models.records import AuthoredReference, Reference
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, FieldScheme, named_in_field, pmids_listed

FIELDS = ("marker", *IDENTIFIERS, "title", "content", "source", "document")
_OF_A_PAGE = r"(?:source|document|doc|file|page|landingpage|web|article|reference|citation|pubmed|fulltext)"
_NUMBER = r"label|key|num|number|index"
_OTHER_NAMES = {
    "marker": rf"(?:ref|reference|citation|footnote|source)?(?:{_NUMBER})|ref|n|(?:ref|reference|citation)id",
    "pmid": r"pubmed(?:id)?",
    "pmcid": r"pmc",
    "doi": r"doinumber",
    "nct": r"nct(?:id|number)",
    "url": rf"{_OF_A_PAGE}?(?:url|uri|link|href)",
    "title": rf"{_OF_A_PAGE}title|name|(?:full|formatted)?(?:citation|reference)(?:text|string)?",
    "content": r"(?:cited)?text|passage|snippet|abstract|excerpt|chunk|pagecontent|quote",
    "document": r"id|(?:document|doc|source)id|identifier",
}
_READ = {name: re.compile(f"{name}|{_OTHER_NAMES.get(name, name)}") for name in FIELDS}
_ABOUT_THE_WORK = frozenset(
    "journal containertitle journaltitle venue volume issue numberofvolumes page pages publisher"
    " issn isbn type language medium edition accessed accessdate eissn journalabbreviation doctype etal"
    " startindex endindex".split()
)
"""Fields that describe a work, or where it is cited, and that nothing here needs."""
_OF_PEOPLE = frozenset(re.sub("_", "", name) for name in (*AUTHOR_FIELDS, *YEAR_FIELDS))
_HOLDERS = ("source", "document", "content")
"""What may be an object that holds the fields of an entry, rather than a value."""
_ADDRESS = re.compile(r"https?://\S+")
_LABEL = re.compile(r"\d{1,3}")
"""An id that only numbers the entries of its list."""


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


def plain(name: Any) -> str:
    """Write a field's name as it is compared: small letters and digits only."""
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def field_of(name: Any) -> str | None:
    """Return which of our fields a name means, None for one that nothing reads."""
    return next((field for field, names in _READ.items() if names.fullmatch(plain(name))), None)


def is_known(name: Any) -> bool:
    """Tell whether a field is read, or describes a work."""
    return field_of(name) is not None or plain(name) in _ABOUT_THE_WORK | _OF_PEOPLE


def fault_of(entry: Mapping[str, Any]) -> str | None:
    """Name the first field that holds several values where one is read."""
    for name, value in entry.items():
        field = field_of(name)
        if field == "pmid" and _are_pmids(value):
            continue
        if field and isinstance(value, list | dict) and not _is_one(value):
            if not (isinstance(value, dict) and (field in _HOLDERS or plain(name) != field)):
                return str(name)
    return None


def flattened(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Lay the fields of objects within an entry beside its own, which come first: `{"metadata": {"pmid": 1}}`.

    What number an inner object has is not the entry's.
    """
    inner: dict[str, Any] = {}
    for _, value in _held(entry):
        inner.update((key, one) for key, one in value.items() if field_of(key) != "marker")
    own = {name: value for name, value in entry.items() if not _holds(name, value)}
    return {**inner, **{name: _told(name, value) for name, value in own.items()}}


def unread_in(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of fields that nothing reads."""
    held = {name for name, value in _held(entry) if any(field_of(key) for key in value)}
    yield from (str(name) for name in entry if name not in held and not is_known(name))


def fields_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what our fields hold; of several names for one field ours comes first, then as they stand."""
    given = {name: value for name, value in entry.items() if value not in (None, "")}
    fields = {plain(name): value for name, value in given.items() if plain(name) in FIELDS}
    for name, value in given.items():
        field = field_of(name)
        if field and not isinstance(value, list | dict):
            fields.setdefault(field, value)
    return fields


def _held(entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects within an entry, but for those that say who wrote it or where it was printed."""
    for name, value in entry.items():
        if _holds(name, value):
            yield name, _one(value)


def _holds(name: str, value: Any) -> bool:
    return isinstance(_one(value), dict) and plain(name) not in _ABOUT_THE_WORK | _OF_PEOPLE


def _is_one(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list | dict)


def _told(name: str, value: Any) -> Any:
    """Return what is read of a field: of a list of one that, of several PMIDs their text."""
    field = field_of(name)
    if field == "pmid" and _are_pmids(value):
        return _listed(value)
    return _one(value) if field else value


def _are_pmids(value: Any) -> bool:
    return isinstance(value, list) and bool(pmids_listed(_listed(value)))


def _listed(values: list[Any]) -> str:
    return "; ".join(str(value) for value in values)


def _one(value: Any) -> Any:
    """Return what a list of one holds."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


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
    if isinstance(listed, str) and not looks_printed(listed) and entries_in(listed):
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
            said = str(as_identifier(value)) if isinstance(value, str | int | float) else ""
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
    given = {
        name: str(v if name == "content" else as_identifier(v) if name in IDENTIFIERS else as_name(v))
        for name, v in fields.items()
    }
    if "url" not in given and _ADDRESS.fullmatch(given.get("source", "")):
        given["url"] = given.pop("source")
    number = given.get("document", "")
    given.setdefault("marker", number if _LABEL.fullmatch(number) else marker)
    authors, year = authors_of(entry), year_given(entry)
    return AuthoredReference(**given, authors=authors, year=year) if authors or year else Reference(**given)
