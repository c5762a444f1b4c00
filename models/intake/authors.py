"""Who wrote a work, and when, from the fields of an entry given as data: PubMed's, CSL's, BibTeX's, whatever form.

Authors come as one text, as a list of names or as a list of objects (`family` and `given`, `last` and `first`, `name`);
the year as a number, a date or CSL's `date-parts`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from medassay.models.text.authors import DATED

AUTHOR_FIELDS = ("authors", "author", "author_names", "authorlist", "creators", "creator")
YEAR_FIELDS = (
    "year",
    "issued",
    "published",
    "publication_year",
    "pub_year",
    "pubyear",
    "publication_date",
    "pub_date",
    "pubdate",
    "date",
)
_FAMILY = ("family", "last", "lastname", "last_name", "family_name", "surname")
_GIVEN = ("given", "first", "firstname", "first_name", "fore_name", "forename", "given_name", "initials")
_WHOLE = ("name", "literal", "full_name", "fullname", "author", "raw", "collectivename")
_INVERTED = re.compile(r"(?P<family>[^,]+),\s*(?P<given>[^,]+)")
_SEVERAL = re.compile(r",\s*[^,]+,|;|&|\band\b|\bet\sal\b")
_DEEPEST = 4
_YEAR = re.compile(rf"(?<!\d)(?P<year>{DATED})(?![\da-z])")


def authors_of(entry: Mapping[str, Any]) -> str | None:
    """Write the authors as Vancouver does, `Smith J, Doe A`; None where the entry has no field of them."""
    given = _first(entry, AUTHOR_FIELDS)
    people = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    names = [name for person in people if (name := _name(person))]
    return ", ".join(names) or None


def year_given(entry: Mapping[str, Any]) -> str | None:
    """Read the year out of whichever field has a date, `2020a` too; None where none has."""
    for name in YEAR_FIELDS:
        if found := _YEAR.search(_flat(_folded(entry).get(name))):
            return found["year"]
    return None


def _name(person: Any) -> str | None:
    if isinstance(person, str):
        words = person.strip(" ,;")
        inverted = None if _SEVERAL.search(words) else _INVERTED.fullmatch(words)
        return _with_initials(inverted["family"], inverted["given"]) if inverted else words or None
    if not isinstance(person, Mapping):
        return None
    family, given, whole = (_first(person, names) for names in (_FAMILY, _GIVEN, _WHOLE))
    if isinstance(family, str) and family.strip():
        return _with_initials(family, given if isinstance(given, str) else "")
    return _name(whole) if isinstance(whole, str) else None


def _with_initials(family: str, given: str) -> str:
    """Write `Anna B.` as `AB`; what is short and in capitals is initials already."""
    parts = re.findall(r"[^\W\d_]+", given)
    initials = "".join(part if part.isupper() and len(part) <= 3 else part[0].upper() for part in parts)
    return f"{family.strip()} {initials}".strip()


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> Any:
    folded = _folded(entry)
    return next((folded[name] for name in names if folded.get(name)), None)


def _folded(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).casefold(): value for name, value in entry.items()}


def _flat(value: Any, depth: int = 0) -> str:
    """Write a date in whatever form as one text, its parts apart."""
    if depth > _DEEPEST:
        return ""
    if isinstance(value, Mapping):
        return " ".join(_flat(part, depth + 1) for part in value.values())
    if isinstance(value, list | tuple):
        return " ".join(_flat(part, depth + 1) for part in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return re.sub(r"(?<=\d)[-/T.](?=\d)", " ", str(value)) if value is not None else ""
