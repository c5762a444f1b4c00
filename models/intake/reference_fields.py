"""What the fields of an entry given as data hold, whatever a vendor calls them: `citationNumber`, `source_url`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from medassay.models.intake.authors import AUTHOR_FIELDS, YEAR_FIELDS
from medassay.models.intake.names import IDENTIFIERS
from medassay.models.text.identifiers.fields import pmids_listed

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


def plain(name: Any) -> str:
    """Write a field's name as it is compared: small letters and digits only."""
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def field_of(name: Any) -> str | None:
    """Say which of our fields a name means, None for one that nothing reads."""
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
