"""What a field for one identifier holds, as people, programs and spreadsheets fill it: `31,234,567`, an address."""

import re
from typing import Literal

from medassay.models.text.identifiers.ends import UNSEEN, plain_hyphens
from medassay.models.text.identifiers.numbers import number_at
from medassay.models.text.identifiers.reading import atoms, normalise_doi, pmid_id

FieldScheme = Literal["pmid", "pmcid", "doi", "nct"]
FIELD_SCHEMES: tuple[FieldScheme, ...] = ("pmid", "pmcid", "doi", "nct")

_BEFORE = r"[\s\[({\"'#]*"
_BEHIND = re.compile(r"(?:\s*[\[(][a-z ]{2,10}[\])])?[\s\])}\"'.,;]*", re.IGNORECASE)
_LABEL = r"[\s:：#=*_.;-]*"
_LABELS = {
    "pmid": rf"(?:(?:PM\s?IDs?|PubMed(?:\s?IDs?)?|MED){_LABEL})?",
    "pmcid": rf"(?:PMC(?:\s?IDs?)?{_LABEL})*",
    "nct": rf"(?:NCT{_LABEL})?",
}
_FIRST_DIGIT = {
    scheme: re.compile(rf"{_BEFORE}{label}(?=\d)", re.IGNORECASE) for scheme, label in _LABELS.items()
}
_GOES_ON = re.compile(r"\s*(?:[,;/|&+]|and\b)\s*\d|\.?\d|e[+-]?\d", re.IGNORECASE)
"""Behind the digits of an identifier: it was not the whole of its number, or not the only one."""
_BETWEEN = re.compile(r"\s*(?:[,;/|&+\n]|\band\b)\s*", re.IGNORECASE)
_PLAIN_PMID = re.compile(r"[1-9]\d{4,7}(?:\.0)?")
"""Digits that are a PMID whatever stands beside them: shorter ones may be a group of a longer number."""
_ONE_DOI = re.compile(r"(?:(?:https?://)?[\w.]*doi(?:\.org/|\b)[\s:]*)*10\.\d{4,9}[\d.]*/\S+", re.IGNORECASE)


def number_in(scheme: FieldScheme, written: str) -> str | None:
    """Name the source where a field holds one identifier of its scheme and nothing else, None for anything else."""
    said = plain_hyphens(written).strip()
    if scheme == "doi":
        return f"doi:{normalise_doi(said)}" if _ONE_DOI.fullmatch(said) else None
    first = _FIRST_DIGIT[scheme].match(said)
    number = number_at(said, first.end(), len(said), scheme, alone=scheme == "pmcid") if first else None
    if number is None or number.digits is None or not _BEHIND.fullmatch(said, number.end):
        return None
    digits = number.digits
    if scheme == "pmid":
        return pmid_id(digits)
    return f"pmcid:PMC{int(digits)}" if scheme == "pmcid" else f"nct:NCT{digits}"


def pmids_listed(written: str) -> tuple[str, ...]:
    """Name the sources where a field for a PMID plainly holds several and nothing else: `12345678; 23456789`."""
    said = plain_hyphens(written).strip().strip("[](){} ")
    parts = [part.strip("\"' ") for part in _BETWEEN.split(said)]
    bare = [
        re.sub(r"^(?:PM\s?IDs?|PubMed(?:\s?IDs?)?)[\s:#.]*", "", part, flags=re.IGNORECASE) for part in parts
    ]
    named = dict.fromkeys(pmid_id(part.removesuffix(".0")) for part in bare if _PLAIN_PMID.fullmatch(part))
    is_plain = all(_PLAIN_PMID.fullmatch(part) for part in bare)
    return tuple(named) if is_plain and len(parts) > 1 else ()


def named_in_field(scheme: FieldScheme, written: str) -> str | None:
    """Name the source that a field means: its own kind of identifier first, then any other by what it is.

    Of two of one kind none says which is meant.
    """
    if scheme != "doi" and (alone := number_in(scheme, written)):
        return alone
    said = re.sub(f"[{UNSEEN}]", "", written)
    found = atoms(said)
    named = list(dict.fromkeys(atom.source_id for atom in found))
    of_scheme = [name for name in named if name.startswith(f"{scheme}:")] or named
    goes_on = any(atom.scheme in ("pmid", "pmcid") and _GOES_ON.match(said, atom.end) for atom in found)
    return of_scheme[0] if len(of_scheme) == 1 and not goes_on else None
