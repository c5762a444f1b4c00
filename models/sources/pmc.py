"""PMC: which PMCIDs exist, by the id converter; their full text where it is open; their standing from PubMed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.entrez import Entrez
from medassay.models.sources.identifiers import batches, page_of, values_of
from medassay.models.sources.jats import FullText, read_articles
from medassay.models.sources.medline import Unreadable
from medassay.models.sources.pubmed import PubMed
from medassay.models.sources.pubmed_records import (
    Fetched,
    asked_in_halves,
    concerns_ids,
    fetch_surely,
    may_be_of_one,
)
from medassay.models.sources.resolver import Progress, RawBody, Resolution
from medassay.models.sources.transport import NoAnswer

_TEXTS_AT_ONCE = 20
_MOST_OUTAGES = 12
"""Lists that failed for no reason that names an id, after which the server is taken to be down."""

_NOT_FOUND = "PMC answered, and has no article with this PMCID"
Names = dict[str, str]


@dataclass(slots=True)
class Texts:
    """What PMC sent by PMCID, and why it sent none; one in neither is not to be had as XML."""

    found: dict[str, tuple[FullText, RawBody]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    raw: list[RawBody] = field(default_factory=list)
    outages: int = 0
    """How many lists failed for no reason that names an id."""


def fetch_texts(entrez: Entrez, pmcids: Sequence[str], on_progress: Progress | None = None) -> Texts:
    """Ask for texts, and once more for those of which only an outage was heard, or nothing."""
    texts = Texts()
    _ask(entrez, pmcids, texts, on_progress)
    again = [pmcid for pmcid in pmcids if pmcid not in texts.found]
    _ask(entrez, again, texts, None)
    return texts


def _ask(entrez: Entrez, pmcids: Sequence[str], texts: Texts, on_progress: Progress | None) -> None:
    for batch in batches(pmcids, _TEXTS_AT_ONCE):
        try:
            _fetch_batch(entrez, batch, texts)
        except (NoAnswer, Unreadable) as error:
            reason = f"PMC gave no text: {error}"
            texts.failed.update((pmcid, reason) for pmcid in batch if pmcid not in texts.found)
        if on_progress is not None:
            on_progress(len(batch))


def _fetch_batch(entrez: Entrez, pmcids: Sequence[str], texts: Texts) -> None:
    """Fetch one batch; one that a single id or article spoils is halved until that is alone."""
    raw: RawBody | None = None
    try:
        raw = entrez.fetch("pmc", [pmcid.removeprefix("PMC") for pmcid in pmcids])
        read = {text.pmcid: (text, raw) for text in read_articles(raw.body)}
    except (NoAnswer, Unreadable) as error:
        outage = isinstance(error, NoAnswer) and not concerns_ids(error)
        texts.outages += outage
        if len(pmcids) == 1 or not _spoilt_by_one(error, raw) or texts.outages > _MOST_OUTAGES:
            raise
        middle = len(pmcids) // 2
        for half in (pmcids[:middle], pmcids[middle:]):
            try:
                _fetch_batch(entrez, half, texts)
            except (NoAnswer, Unreadable) as inner:
                texts.failed.update(
                    (pmcid, f"PMC gave no text: {inner}") for pmcid in half if pmcid not in texts.found
                )
        return
    texts.raw.append(raw)
    for pmcid in pmcids:
        texts.failed.pop(pmcid, None)
        if pmcid in read:
            texts.found[pmcid] = read[pmcid]


def _spoilt_by_one(error: NoAnswer | Unreadable, raw: RawBody | None) -> bool:
    """Tell what one id or one bad article may have caused from a server that is silent or turns us away."""
    if isinstance(error, NoAnswer):
        return concerns_ids(error) or may_be_of_one(error)
    return raw is not None and raw.body.rstrip().endswith(b"</pmc-articleset>")


class Pmc:
    """Resolves PMCIDs; an article whose text is not to be had comes with PubMed's abstract instead."""

    name = "pmc"

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def retry_unavailable(self) -> None:
        """Ask NCBI again where it had stopped answering."""
        self._entrez.transport.retry_unavailable()

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Ask for all PMCIDs among the ids.

        An abstract that stands in for a text which PMC failed to send has PubMed as its origin, and a note.
        """
        before = self._entrez.requests
        pmcids = values_of(source_ids, "pmcid")
        result = Resolution()
        known = self._known(pmcids, result)
        again = max(0, self._entrez.requests - before - len(batches(pmcids, self._entrez.settings.batch)))
        texts = fetch_texts(self._entrez, [pmcid for pmcid in pmcids if pmcid in known], on_progress)
        pmids = dict.fromkeys(names["pmid"] for names in known.values() if "pmid" in names)
        articles = fetch_surely(self._entrez, list(pmids))
        result.raw.extend([*texts.raw, *articles.raw])
        for pmcid, names in known.items():
            self._settle(pmcid, names, texts, articles, result)
        for name in (*result.found, *result.not_found, *result.unresolved):
            result.origins.setdefault(name, self.name)
        return replace(
            result,
            requests=self._entrez.requests - before,
            requests_again=again + articles.requests_again,
        )

    def _known(self, pmcids: Sequence[str], result: Resolution) -> dict[str, Names]:
        """Ask which articles these are, and once more about those that the first answer does not know."""
        known: dict[str, Names] = {}

        def convert(some: Sequence[str]) -> None:
            answer = self._entrez.convert(some, "pmcid")
            known.update((pmcid, answer[pmcid]) for pmcid in some if answer.get(pmcid))

        def convert_again(some: Sequence[str]) -> None:
            answer = self._entrez.convert(some, "pmcid")
            for pmcid in some:
                if pmcid not in answer:
                    result.unresolved[f"pmcid:{pmcid}"] = "the PMC id converter said nothing about it"
                elif not answer[pmcid]:
                    result.not_found[f"pmcid:{pmcid}"] = _NOT_FOUND
                else:
                    known[pmcid] = answer[pmcid]

        for batch in batches(pmcids, self._entrez.settings.batch):
            failed = asked_in_halves(batch, convert)
            waiting = [pmcid for pmcid in batch if pmcid not in known and pmcid not in failed]
            failed |= asked_in_halves(waiting, convert_again)
            for pmcid, none in failed.items():
                result.unresolved[f"pmcid:{pmcid}"] = f"the PMC id converter gave no answer: {none}"
        return known

    def _settle(self, pmcid: str, names: Names, texts: Texts, articles: Fetched, result: Resolution) -> None:
        """Put together what PMC and PubMed said; an outage of either is asked about again if text is at stake."""
        name = f"pmcid:{pmcid}"
        pmid = names.get("pmid", "")
        if pmcid in texts.found and (stranger := _stranger(pmid, texts.found[pmcid][0])):
            result.unresolved[name] = stranger
            return
        if pmid in articles.missing:
            names = {kind: value for kind, value in names.items() if kind != "pmid"}
        text, failure = texts.found.get(pmcid), texts.failed.get(pmcid)
        article, outage = articles.found.get(pmid), articles.unanswered.get(pmid)
        if text is not None and (text[0].has_body or not (article or outage)):
            result.found[name] = _with_text(name, names, text[0], article[0] if article else None)
            result.bodies[name] = text[1].digest
            if outage:
                result.notes[name] = f"its standing could not be checked: {outage}"
        elif article is not None:
            result.found[name] = _with_text(name, names, text[0] if text else None, article[0])
            result.bodies[name] = article[1]
            if failure:
                result.origins[name] = PubMed.name
                result.notes[name] = f"its full text could not be had: {failure}"
        elif reason := failure or outage:
            result.unresolved[name] = reason
        else:
            result.found[name] = SourceRecord(name, None, (), url=page_of(name), identifiers=_names(names))


def _stranger(pmid: str, text: FullText) -> str | None:
    """Return a line where a text names itself another article than the one that the id converter means."""
    if not pmid or text.pmid in (None, pmid):
        return None
    return (
        f"PMC's text is of PMID {text.pmid}, and its id converter says PMID {pmid}: neither can be relied on"
    )


def _with_text(name: str, names: Names, text: FullText | None, article: SourceRecord | None) -> SourceRecord:
    """Join what PMC has of an article with what PubMed says of it; PubMed's abstract stands where PMC has none."""
    base = article or SourceRecord(name, None, ())
    if text is not None and article is None:
        base = replace(base, title=text.title, year=text.year, journal=text.journal)
    if text is not None and text.retracted:
        base = replace(base, retracted="yes")
    sections = base.sections
    if text is not None and text.has_body:
        sections = (*(text.abstract or _as_abstract(base.sections)), *text.body, *text.behind)
    elif text is not None and not sections:
        sections = text.abstract
    return replace(
        base,
        source_id=name,
        sections=sections,
        url=page_of(name),
        identifiers=tuple(dict.fromkeys([*base.identifiers, *_names(names)])),
        full_text=text is not None and text.has_body,
    )


def with_text_of(record: SourceRecord, text: FullText) -> SourceRecord:
    """Give a record whose full text was read before that text as it is read now."""
    abstract = text.abstract or tuple(
        section for section in record.sections if section.label.partition(" › ")[0] == "Abstract"
    )
    return replace(record, sections=(*abstract, *text.body, *text.behind))


def _as_abstract(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    return tuple(
        replace(section, label=" › ".join(filter(None, ("Abstract", section.label)))) for section in sections
    )


def _names(names: Names) -> tuple[str, ...]:
    return tuple(f"{scheme}:{value}" for scheme, value in names.items())
