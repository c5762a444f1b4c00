"""Crossref resolver: existence, metadata and notices of a DOI."""

import html
import os
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from medassay.models.records import Flag, Section, SourceRecord
from medassay.models.sources.asking import read_answer, refuse_address, refuse_name
from medassay.models.sources.identifiers import is_marked_retracted, page_of, values_of
from medassay.models.sources.markup import plain
from medassay.models.sources.resolver import Progress, RawBody, Resolution
from medassay.models.sources.transport import NoAnswer, Transport
from medassay.models.text.identifiers.reading import normalise_doi

_RETRACTED = {"retraction", "withdrawal", "removal"}
_CONCERN = {"expression_of_concern", "partial_retraction"}
_ERRATUM = {"correction", "erratum", "corrigendum", "clarification", "addendum"}
_DATES = ("issued", "published", "published-print", "published-online")

_NOT_FOUND = "Crossref answered, and no registration agency it knows has this DOI"


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


@dataclass(frozen=True, slots=True)
class CrossrefSettings:
    """How Crossref is asked.

    Attributes:
        email: Whom Crossref may write to (its "polite" pool).
        base_url: Crossref's REST API, or a mirror of it.
        timeout_s: Longest wait for one whole answer, in seconds.
        requests_per_second: Most requests a second; a DOI is a request.
    """

    email: str = ""
    base_url: str = "https://api.crossref.org"
    timeout_s: float = 30.0
    longest_wait_s: float = 60.0
    requests_per_second: float = 5.0

    def __post_init__(self) -> None:
        """Refuse an address and a name that no request can be sent with.

        Raises:
            UsageError: naming the setting and what it may be.
        """
        refuse_address("MEDASSAY_CROSSREF_URL", self.base_url)
        refuse_name("NCBI_EMAIL", self.email)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "CrossrefSettings | None":
        """Read MEDASSAY_CROSSREF (1 allows it), MEDASSAY_CROSSREF_URL and NCBI_EMAIL; None where not allowed."""
        env = os.environ if environment is None else environment
        url = env.get("MEDASSAY_CROSSREF_URL", "").strip().rstrip("/")
        allowed = env.get("MEDASSAY_CROSSREF", "").strip().lower() in ("1", "yes", "on", "true")
        if not allowed:
            return None
        return cls(email=env.get("NCBI_EMAIL", "").strip(), base_url=url or "https://api.crossref.org")


class Crossref:
    """Resolves DOIs, one request each; a DOI of another agency exists, but nothing is known of it."""

    name = "crossref"

    def __init__(
        self,
        settings: CrossrefSettings,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._who = {"mailto": settings.email} if settings.email else {}
        self._transport = Transport(
            settings.requests_per_second,
            settings.timeout_s,
            settings.longest_wait_s,
            clock=clock,
            sleep=sleep,
        )

    def retry_unavailable(self) -> None:
        """Ask Crossref again where it had stopped answering."""
        self._transport.retry_unavailable()

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Ask for all DOIs among the ids."""
        before = self._transport.requests
        result = Resolution()
        for doi in values_of(source_ids, "doi"):
            name = f"doi:{doi}"
            try:
                self._settle(doi, name, result)
            except NoAnswer as none:
                result.unresolved[name] = f"Crossref gave no answer: {none}"
            if on_progress is not None:
                on_progress(1)
        for name in (*result.found, *result.not_found, *result.unresolved):
            result.origins[name] = self.name
        return replace(result, requests=self._transport.requests - before)

    def _settle(self, doi: str, name: str, result: Resolution) -> None:
        path = f"{self._settings.base_url}/works/{urllib.parse.quote(doi, safe='')}"
        try:
            raw = self._transport.ask(path, {}, self._who)
        except NoAnswer as none:
            if not _is_absence(none):
                raise
            self._settle_elsewhere(path, name, result)
            return
        work = _message(raw)
        told = normalise_doi(str(work.get("DOI") or doi))
        if told != normalise_doi(doi):
            raise NoAnswer(f"it was asked for {doi} and told of {told}", 200, raw.body[:2000])
        result.found[name] = _record(name, work, raw)
        result.bodies[name] = raw.digest
        result.raw.append(raw)

    def _settle_elsewhere(self, path: str, name: str, result: Resolution) -> None:
        """Ask which agency registered the DOI: only a DOI of none does not exist."""
        try:
            answer = _message(self._transport.ask(f"{path}/agency", {}, self._who))
        except NoAnswer as none:
            if not _is_absence(none):
                raise
            result.not_found[name] = _NOT_FOUND
            return
        told = answer.get("agency")
        agency = told.get("id") if isinstance(told, dict) else None
        if agency == self.name:
            raise NoAnswer("it registered this DOI and has no record of it")
        result.unresolved[name] = (
            f"the DOI is registered with {agency or 'another agency'}, which is not asked"
        )
        result.final.add(name)


def record_in(raw: RawBody, name: str) -> SourceRecord:
    """Read the record of a DOI from Crossref's answer.

    Raises:
        NoAnswer: when it cannot be read.
    """
    return _record(name, _message(raw), raw)


def _is_absence(none: NoAnswer) -> bool:
    """Tell Crossref's own "no such DOI" from the 404 of a proxy or of a wrong address."""
    return none.status == 404 and none.body.startswith(b"Resource not found")


def _record(name: str, work: dict[str, Any], raw: RawBody) -> SourceRecord:
    try:
        return record_of_work(name, work)
    except (RecursionError, ValueError):
        reason = "its answer cannot be read: markup nested too deep, or a number too long"
        raise NoAnswer(reason, 200, raw.body[:2000]) from None


def _message(raw: RawBody) -> dict[str, Any]:
    try:
        message = read_answer(raw.body)["message"]
    except (ValueError, KeyError, TypeError):
        raise NoAnswer("its answer cannot be read: it is not Crossref's JSON", 200, raw.body[:2000]) from None
    if not isinstance(message, dict):
        raise NoAnswer("its answer cannot be read: it is not Crossref's JSON", 200, raw.body[:2000])
    return message
