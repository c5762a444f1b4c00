"""Which sources a run asks and in which order: documents that came with the data first."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

from medassay.models.records import Document, Section, SeveralDocuments, SourceRecord
from medassay.models.sources.crossref import Crossref, CrossrefSettings
from medassay.models.sources.entrez import Entrez, EntrezSettings
from medassay.models.sources.identifiers import page_of, parse_source_id, recognised
from medassay.models.sources.passages import LIMIT, breaks_of
from medassay.models.sources.pmc import Pmc
from medassay.models.sources.pubmed import PubMed
from medassay.models.sources.resolver import Closed, Progress, Resolution, Resolver
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, named_in_field
from medassay.models.text.identifiers.reading import url_source_id

_LONGEST_ABSTRACT = 5000
_BLANK_LINE = re.compile(r"\S\s*\n[^\S\n]*\n\s*\S")

OFFLINE = "this run is offline, and what is kept here does not hold it: run without --offline to ask PubMed"
OFFLINE_AND_NO_EMAIL = (
    "this run is offline, and what is kept here does not hold it: set NCBI_EMAIL and run without --offline"
    " to ask PubMed"
)
NO_EMAIL = "PubMed was not asked: NCBI wants to know whom to write to, so set NCBI_EMAIL and run again"
_NO_CROSSREF = (
    "PubMed does not hold this DOI, and Crossref was not asked: set MEDASSAY_CROSSREF=1 to allow it"
)
_NO_TRIALS = "trial registries are not asked: supply the trial's results as a document"
_NO_PAGES = "web pages are not fetched: supply the page as a document"
_NO_NAME = "the reference carries no identifier to look it up by: add its PMID or DOI, or supply its text"


class Supplied:
    """Resolves `document:<id>`, and any identifier or address that a supplied document goes by.

    A document without text answers for its own id only: another source may have the text. Several that carry one
    identifier answer for it together.
    """

    name = "supplied"

    def __init__(self, documents: Iterable[Document]) -> None:
        self._records: dict[str, list[SourceRecord]] = {}
        for document in documents:
            record = record_of_document(document)
            for name in record.identifiers if record.sections else (record.source_id,):
                self._records.setdefault(name, []).append(record)

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Answer from memory; what is not supplied is left alone, save document ids, of which all are known."""
        found = {
            name: replace(in_parts(self._records[name]), source_id=name)
            for name in source_ids
            if name in self._records
        }
        unknown = {
            name: "the data holds no document of this id"
            for name in source_ids
            if name.startswith("document:") and name not in found
        }
        if on_progress is not None and found:
            on_progress(len(found))
        return Resolution(
            found=found, not_found=unknown, origins=dict.fromkeys((*found, *unknown), self.name)
        )


def record_of_document(document: Document) -> SourceRecord:
    """Turn a supplied document into a record; nobody has checked its standing."""
    names = [f"document:{document.document_id}"]
    for raw in (*document.identifiers, *([document.url] if document.url else ())):
        names.append(_name(raw))
    sections = tuple(section for section in document.sections if section.text.strip())
    pages = (page_of(name) for name in names[1:])
    return SourceRecord(
        source_id=names[0],
        title=document.title,
        sections=sections,
        url=document.url or next((page for page in pages if page), None),
        identifiers=tuple(dict.fromkeys(names)),
        full_text=_is_long(sections),
    )


def in_parts(records: Sequence[SourceRecord]) -> SourceRecord:
    """Read documents that carry one identifier as one source: the first one's name and title, the words of all once.

    What one document says is no part of another's passages, so that one may support and another contradict.
    """
    if len(records) == 1:
        return records[0]
    sections: list[Section] = []
    breaks: list[int] = []
    for record in records:
        new = [s for s in record.sections if not any(s.text in earlier.text for earlier in sections)]
        if new and sections:
            breaks.append(len(sections))
        breaks += [len(sections) + at for at in breaks_of(record)]
        sections += new
    first = {field.name: getattr(records[0], field.name) for field in fields(SourceRecord)}
    return SeveralDocuments(
        **{**first, "sections": tuple(sections), "full_text": _is_long(sections)}, breaks=tuple(breaks)
    )


def _is_long(sections: Sequence[Section]) -> bool:
    """Tell whether a text is read paragraph by paragraph: no abstract is as long, or has paragraphs in its sections."""
    length = sum(len(section.text) for section in sections)
    return length > _LONGEST_ABSTRACT or (
        length > LIMIT and any(_BLANK_LINE.search(section.text) for section in sections)
    )


def _name(raw: str) -> str:
    if raw.startswith(("http://", "https://")):
        return url_source_id(raw)
    try:
        scheme, value = parse_source_id(raw)
    except ValueError:
        return recognised(raw) or f"document:{raw}"
    if scheme in FIELD_SCHEMES:
        return named_in_field(scheme, value) or f"document:{raw}"
    return raw if scheme in ("document", "reference") else recognised(raw) or raw


def choose_resolvers(
    documents: Iterable[Document],
    *,
    offline: bool = False,
    local: Sequence[Resolver] = (),
    environment: Mapping[str, str] | None = None,
) -> list[Resolver]:
    """List the resolvers of a run in order: supplied documents, what is kept here, PMC, PubMed, Crossref.

    Args:
        documents: what came with the data.
        offline: ask nothing outside this machine.
        local: the caller's own stores, such as a cache and PubMed's files.
        environment: in place of the process's own.

    Raises:
        UsageError: when a setting in the environment cannot be meant.
    """
    chosen: list[Resolver] = [Supplied(documents), *local]
    reason = why_pubmed_is_closed(offline=offline, environment=environment)
    settings = EntrezSettings.from_environment(environment)
    if reason is None:
        entrez = Entrez(settings)
        chosen += [Pmc(entrez), PubMed(entrez)]
    crossref = None if offline else CrossrefSettings.from_environment(environment)
    if crossref is not None:
        chosen.append(Crossref(crossref))
    elif reason is None:
        chosen.append(Closed(("doi",), _NO_CROSSREF))
    if reason is not None:
        chosen.append(Closed(("pmid", "pmcid", "doi"), reason))
    return [
        *chosen,
        Closed(("nct",), _NO_TRIALS),
        Closed(("url",), _NO_PAGES),
        Closed(("reference",), _NO_NAME),
    ]


def why_pubmed_is_closed(
    *, offline: bool = False, environment: Mapping[str, str] | None = None
) -> str | None:
    """Return why PubMed is not asked and how to change that; None where it is asked."""
    email = EntrezSettings.from_environment(environment).email
    if offline:
        return OFFLINE if email else OFFLINE_AND_NO_EMAIL
    return None if email else NO_EMAIL
