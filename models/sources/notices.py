"""Notices against articles: a publisher's mark in a title, and records that are themselves notices."""

import re

from medassay.models.records import SourceRecord

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


def is_marked_retracted(title: str | None) -> bool:
    """Tell whether a title bears a publisher's mark that its article is retracted or withdrawn."""
    return _MARKED.match(title or "") is not None


def is_notice(record: SourceRecord) -> bool:
    """Tell whether PubMed's record is of a notice about another article."""
    return not _TYPES.isdisjoint(record.publication_types)


def preference(record: SourceRecord) -> tuple[bool, bool, int]:
    """Order PubMed's records that bear one name, the article meant first: notices share the DOI of their article."""
    return is_notice(record), not record.sections, int(record.source_id.removeprefix("pmid:"))
