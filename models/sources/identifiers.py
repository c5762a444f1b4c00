"""Source ids (`scheme:value`), their pages, and titles that mark notices.

How people write identifiers is the text room's knowledge; this module only takes the finished names apart.
"""

import re
from collections.abc import Iterable, Sequence
from typing import cast, get_args
from urllib.parse import quote

from medassay.models.records import Scheme, SourceRecord
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, number_in
from medassay.models.text.identifiers.reading import atoms, url_source_id

SCHEMES = frozenset(get_args(Scheme))
_PAGES = {
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    "doi": "https://doi.org/{}",
    "nct": "https://clinicaltrials.gov/study/{}",
}

# By what a record does to another, under NLM's names for it; "Retraction Notice" is its newer one.
NOTICE_TYPES = {
    "RetractionOf": "Retraction of Publication",
    "ErratumFor": "Published Erratum",
    "ExpressionOfConcernFor": "Expression of Concern",
}
_TYPES = {*NOTICE_TYPES.values(), "Retraction Notice"}
_NOTICE = r"(?:retracted|withdrawn)(?:\s+(?:article|paper|publication|chapter))?"
# A publisher's mark before or behind the title; a title may also speak of retracted tendons.
_MARKED = re.compile(
    rf"\W*{_NOTICE}\s*:|\W*(?-i:RETRACTED|WITHDRAWN)\s+(?-i:ARTICLE)\b"
    rf"|(?!\W*retraction\b).*[\[(]\s*{_NOTICE}\s*(?:[.:,;][^\])]*)?[\])]",
    re.IGNORECASE | re.DOTALL,
)


def parse_source_id(source_id: str) -> tuple[Scheme, str]:
    """Take a source id apart.

    Raises:
        ValueError: when it is not `scheme:value` with a scheme of ours.
    """
    scheme, colon, value = source_id.partition(":")
    if not colon or not value or scheme not in SCHEMES:
        raise ValueError(
            f"{source_id!r} is not a source id: write scheme:value, the scheme one of {', '.join(sorted(SCHEMES))}"
        )
    return cast(Scheme, scheme), value


def format_source_id(scheme: Scheme, raw: str) -> str:
    """Name a source by scheme and a value as people write it: `PMID 00123`, `pmc12`, a DOI with its address.

    Raises:
        ValueError: when the value cannot be one of that scheme.
    """
    value = raw.strip()
    if scheme in FIELD_SCHEMES and (name := number_in(scheme, value)):
        return name
    if scheme == "url" and value:
        return url_source_id(value)
    if scheme in ("document", "reference") and value:
        return f"{scheme}:{value}"
    raise ValueError(f"{raw!r} cannot be a {scheme}")


def recognised(raw: str) -> str | None:
    """Name the source that one written identifier means (`PMID: 1`, `pmid:1`, a DOI, an address), or None."""
    found = atoms(raw)
    return found[0].source_id if len(found) == 1 else None


def page_of(source_id: str) -> str | None:
    """Return the address of the page that shows the source to a person, or None where it has none."""
    scheme, value = parse_source_id(source_id)
    if scheme == "url":
        return value if re.match(r"https?://", value, re.IGNORECASE) else None
    page = _PAGES.get(scheme)
    return page.format(quote(value, safe="/:;()._-")) if page else None


def values_of(source_ids: Iterable[str], scheme: Scheme) -> list[str]:
    """Return the distinct values of one scheme, in order of first appearance."""
    prefix = f"{scheme}:"
    return list(dict.fromkeys(name[len(prefix) :] for name in source_ids if name.startswith(prefix)))


def batches(values: Sequence[str], size: int) -> list[Sequence[str]]:
    """Cut values into runs of at most `size`."""
    return [values[start : start + size] for start in range(0, len(values), size)]


def is_marked_retracted(title: str | None) -> bool:
    """Tell whether a title bears a publisher's mark that its article is retracted or withdrawn."""
    return _MARKED.match(title or "") is not None


def is_notice(record: SourceRecord) -> bool:
    """Tell whether PubMed's record is of a notice about another article."""
    return not _TYPES.isdisjoint(record.publication_types)


def preference(record: SourceRecord) -> tuple[bool, bool, int]:
    """Order PubMed's records that bear one name, the article meant first: notices share the DOI of their article."""
    return is_notice(record), not record.sections, int(record.source_id.removeprefix("pmid:"))
