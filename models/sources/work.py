"""A work as Crossref describes it, turned into a source record; no field of it can be relied on to be there."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from medassay.models.records import Flag, Section, SourceRecord
from medassay.models.sources.identifiers import page_of
from medassay.models.sources.markup import plain
from medassay.models.sources.notices import is_marked_retracted

_RETRACTED = {"retraction", "withdrawal", "removal"}
_CONCERN = {"expression_of_concern", "partial_retraction"}
_ERRATUM = {"correction", "erratum", "corrigendum", "clarification", "addendum"}
_DATES = ("issued", "published", "published-print", "published-online")


def record_of_work(name: str, work: Mapping[str, Any]) -> SourceRecord:
    """Turn Crossref's metadata into a record.

    Notices are in `updated-by`, the Retraction Watch data among them, so that their absence answers the
    question of retraction; of concerns and errata publishers register too few for absence to mean "no".
    """
    title = _first(work.get("title"))
    notices = {
        re.sub(r"[\s-]+", "_", str(notice.get("type", "")).strip().lower())
        for notice in _listed(work.get("updated-by"))
        if isinstance(notice, dict)
    }
    retracts = any(
        isinstance(notice, dict)
        and str(notice.get("type", "")).strip().lower() in _RETRACTED
        and f"doi:{str(notice.get('DOI', '')).strip().lower()}" != name
        for notice in _listed(work.get("update-to"))
    )
    concern: Flag = "unchecked" if notices.isdisjoint(_CONCERN) else "yes"
    erratum: Flag = "unchecked" if notices.isdisjoint(_ERRATUM) else "yes"
    return SourceRecord(
        source_id=name,
        title=title,
        sections=_sections(str(work.get("abstract") or "")),
        year=next((year for date in _DATES for year in _years(work.get(date))), None),
        journal=_first(work.get("container-title")),
        publication_types=(str(work["type"]),) if work.get("type") else (),
        url=page_of(name),
        retracted="yes"
        if (is_marked_retracted(title) and not retracts) or not notices.isdisjoint(_RETRACTED)
        else "no",
        concern=concern,
        erratum=erratum,
        identifiers=(name,),
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _first(value: Any) -> str | None:
    return next(
        (text for part in _listed(value) if isinstance(part, str) and (text := plain(_marked_up(part)))), None
    )


def _marked_up(text: str) -> str:
    """Return the markup of a text that a depositor escaped once more, `&lt;i&gt;b&lt;/i&gt;`."""
    escaped = "<" not in text and re.search(r"&lt;/(?:jats:)?\w+&gt;", text)
    return html.unescape(text) if escaped else text


def _years(date: Any) -> Iterator[int]:
    """Yield the year of `{"date-parts": [[2020, 1]]}`, with as many brackets as there are."""
    parts = date.get("date-parts") if isinstance(date, dict) else date
    while isinstance(parts, list) and parts:
        parts = parts[0]
    if isinstance(parts, int | str) and re.fullmatch(r"(?:1[5-9]|20|21)\d\d", str(parts)):
        yield int(parts)


def _sections(abstract: str) -> tuple[Section, ...]:
    """Cut an abstract in JATS at its titles."""
    sections = []
    for part in re.split(r"(?=<(?:jats:)?title\b)", _marked_up(abstract)):
        titled = re.match(r"<(?:jats:)?title\b[^<>]*>(.*?)</(?:jats:)?title>", part, re.DOTALL)
        label = plain(titled[1]).rstrip(":") if titled else ""
        if text := plain(part[titled.end() :] if titled else part):
            sections.append(Section("" if label.lower() == "abstract" else label, text))
    return tuple(sections)
