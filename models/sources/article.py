"""Convert a PubMed article or book chapter, parsed by Biopython, to a source record."""

import re
from typing import Any

from medassay.models.records import Flag, Section, SourceRecord
from medassay.models.sources.identifiers import NOTICE_TYPES, format_source_id, is_marked_retracted, page_of
from medassay.models.sources.markup import plain, unescaped
from medassay.models.sources.medline import Unreadable

_RETRACTED = ("RetractionIn", "RetractedandRepublishedIn")
_CONCERN = ("ExpressionOfConcernIn", "PartialRetractionIn")
_NO_TITLE = re.compile(r"\W*not available\W*", re.IGNORECASE)
_MOST_DIGITS = 9
_ERRATUM = ("ErratumIn", "CorrectedandRepublishedIn")


def pmid_of(element: Any) -> str | None:
    """Return the PMID of an article or a book chapter, without leading zeros."""
    holder = element.get("MedlineCitation") or element.get("BookDocument") or {}
    return pmid_in(holder.get("PMID", ""))


def pmid_in(name: Any) -> str | None:
    """Return a PMID without leading zeros, or None for what is none.

    Raises:
        Unreadable: for more digits than any PMID has.
    """
    digits = str(name).strip()
    return str(_number(digits, "PMID")) if digits.isdecimal() else None


def version_of(element: Any) -> int:
    """Return the version of a citation; PubMed sends more than one of some articles, and the last one counts."""
    holder = element.get("MedlineCitation") or element.get("BookDocument") or {}
    return version_in(holder.get("PMID"))


def version_in(pmid: Any) -> int:
    """Return the version that stands with a PMID; 1 where none does.

    Raises:
        Unreadable: for more digits than any version has.
    """
    version = str(getattr(pmid, "attributes", {}).get("Version", "1"))
    return _number(version, "version") if version.isdecimal() else 1


def _number(digits: str, what: str) -> int:
    """Read a number that fits an integer column."""
    if len(digits.lstrip("0")) > _MOST_DIGITS:
        raise Unreadable(f"it holds a {what} of {len(digits)} digits")
    return int(digits)


def record_of(element: Any) -> SourceRecord | None:
    """Turn an article or book chapter into a record; None where it carries no PMID.

    Raises:
        Unreadable: for numbers and markup that no article has.
    """
    pmid = pmid_of(element)
    if pmid is None:
        return None
    try:
        return _article(element, pmid) if element.get("MedlineCitation") else _book(element, pmid)
    except RecursionError:
        raise Unreadable(f"the markup of PMID {pmid} is nested too deep") from None


def _article(element: Any, pmid: str) -> SourceRecord:
    citation = element["MedlineCitation"]
    article = citation.get("Article") or {}
    journal = article.get("Journal") or {}
    issue = journal.get("JournalIssue") or {}
    types = article.get("PublicationTypeList") or []
    standing = {c.attributes.get("RefType") for c in citation.get("CommentsCorrectionsList") or []}
    title = _title(article)
    notices = [name for kind, name in NOTICE_TYPES.items() if kind in standing]
    retracts = "RetractionOf" in standing or any(t.attributes.get("UI") == "D016440" for t in types)
    retracted = (
        any(t.attributes.get("UI") == "D016441" or t == "Retracted Publication" for t in types)
        or not standing.isdisjoint(_RETRACTED)
        # Some publishers title the notice as they title the article.
        or (is_marked_retracted(title) and not retracts)
    )
    listed = (element.get("PubmedData") or {}).get("ArticleIdList") or []
    locations = [i for i in article.get("ELocationID") or [] if i.attributes.get("ValidYN", "Y") == "Y"]
    return SourceRecord(
        source_id=f"pmid:{pmid}",
        title=title,
        sections=(*_sections(article.get("Abstract")), *_other_abstracts(citation)),
        year=_year(issue.get("PubDate"), *(article.get("ArticleDate") or [])),
        journal=plain(journal.get("Title") or journal.get("ISOAbbreviation") or "") or None,
        # A notice is one by what it does, whether or not its type is listed too.
        publication_types=tuple(dict.fromkeys([*(plain(t) for t in types), *notices])),
        url=page_of(f"pmid:{pmid}"),
        retracted=_flag(retracted),
        concern=_flag(not standing.isdisjoint(_CONCERN)),
        erratum=_flag(not standing.isdisjoint(_ERRATUM)),
        identifiers=_identifiers(pmid, listed, locations),
    )


def _title(article: Any) -> str | None:
    """Read the title, in its own language where PubMed has no other."""
    title, own = (plain(article.get(name) or "") for name in ("ArticleTitle", "VernacularTitle"))
    return (own if own and _NO_TITLE.fullmatch(title) else title or own) or None


def _book(element: Any, pmid: str) -> SourceRecord:
    """Read a chapter; PubMed keeps no comments and corrections for books, so two flags stay unchecked."""
    chapter = element["BookDocument"]
    book = chapter.get("Book") or {}
    types = chapter.get("PublicationType") or []
    title = plain(chapter.get("ArticleTitle") or "") or plain(book.get("BookTitle") or "")
    held = element.get("PubmedBookData") or {}
    listed = [*(chapter.get("ArticleIdList") or []), *(held.get("ArticleIdList") or [])]
    return SourceRecord(
        source_id=f"pmid:{pmid}",
        title=title or None,
        sections=_sections(chapter.get("Abstract")),
        year=_year(chapter.get("DateRevised"), chapter.get("ContributionDate"), book.get("PubDate")),
        journal=plain(book.get("BookTitle") or "") or None,
        publication_types=tuple(plain(t) for t in types),
        url=page_of(f"pmid:{pmid}"),
        retracted=_flag(
            any(t.attributes.get("UI") == "D016441" for t in types) or is_marked_retracted(title)
        ),
        identifiers=_identifiers(pmid, listed, []),
    )


def _sections(abstract: Any) -> tuple[Section, ...]:
    """Read all parts of an abstract; a part without a label of its own takes NLM's category."""
    sections = []
    for part in (abstract or {}).get("AbstractText") or []:
        category = part.attributes.get("NlmCategory", "")
        label = part.attributes.get("Label") or ("" if category == "UNASSIGNED" else category)
        if text := plain(part):
            sections.append(Section(plain(label), text))
    return tuple(sections)


def _other_abstracts(citation: Any) -> tuple[Section, ...]:
    """Read further abstracts in English, such as the plain-language summary, under their type."""
    found = []
    for abstract in citation.get("OtherAbstract") or []:
        if abstract.attributes.get("Language", "eng") == "eng":
            kind = abstract.attributes.get("Type", "").replace("-", " ").upper()
            for part in _sections(abstract):
                found.append(Section(f"{kind}: {part.label}" if part.label else kind, part.text))
    return tuple(found)


def _year(*dates: Any) -> int | None:
    for date in dates:
        if date:
            year = re.search(r"(?:1[5-9]|20|21)\d\d", str(date.get("Year") or date.get("MedlineDate") or ""))
            if year:
                return int(year[0])
    return None


def _flag(raised: bool) -> Flag:
    return "yes" if raised else "no"


def _identifiers(pmid: str, listed: Any, locations: Any) -> tuple[str, ...]:
    names = [f"pmid:{pmid}"]
    for entry, kind in [
        *((i, i.attributes.get("IdType")) for i in listed),
        *((i, i.attributes.get("EIdType")) for i in locations),
    ]:
        scheme = {"doi": "doi", "pmc": "pmcid", "pmcid": "pmcid"}.get(kind or "")
        if scheme == "doi" or scheme == "pmcid":
            try:
                names.append(format_source_id(scheme, unescaped(str(entry))))  # type: ignore[arg-type]  # narrowed above
            except ValueError:
                continue
    return tuple(dict.fromkeys(names))
