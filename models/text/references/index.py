"""What the markers of an answer lead to: its references, given as data or read from its text, looked up by label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from medassay.models.keys import content_key
from medassay.models.records import AuthoredReference, CitedSource, Reference, Span
from medassay.models.text.identifiers.fields import pmids_listed
from medassay.models.text.identifiers.reading import atoms, pmid_id, url_source_id
from medassay.models.text.labels.author_patterns import label_of_authors
from medassay.models.text.labels.forms import WORK, normalise_label
from medassay.models.text.labels.supplied_names import NOBODY, SuppliedNames
from medassay.models.text.references.body_works import label_of_body, may_be
from medassay.models.text.references.entries.author_choice import (
    AuthoredWork,
    first_initial,
    meant,
    shortens_authors,
)
from medassay.models.text.references.entries.authors import authors_and_year
from medassay.models.text.references.entries.ids import entry_for_content, identified, named_in_words
from medassay.models.text.references.entries.reading import ListedReference
from medassay.models.text.references.entries.years import year_of
from medassay.models.text.references.lists.reference_list import ReferenceList
from medassay.models.text.references.placeholders import without_placeholders

_AGGREGATORS = re.compile(
    r"\b(?:perplexity|chatgpt|chat\.openai|openai|copilot|bing|google|gemini|you\.com|consensus|elicit"
    r"|openevidence|phind|duckduckgo|scispace|semantic ?scholar)\b",
    re.IGNORECASE,
)
_MOST_WORKS = 50  # of one body and year
_QUOTED = re.compile(r"[“\"„«]([^“”\"„«»]{12,250})[”\"“»]")
_SHORTEST_PMID = 4  # digits; a shorter number is a label


@dataclass
class _ReadList:
    """A list as it is looked up: by labels, or by the order of its entries if they have no numbers."""

    start: int
    section: Span | None = None
    labels: dict[str, str | None] = field(default_factory=dict)
    in_order: list[str | None] = field(default_factory=list)
    authored: dict[str, list[AuthoredWork]] = field(default_factory=dict)
    """The works behind each label of a name and a year."""

    def find(self, label: str, written: str) -> str | None:
        """Return what a label that the list has leads to, given how the marker is written."""
        works = self.authored.get(label, ())
        return meant(works, written) if len(works) > 1 else self.labels[label]

    @property
    def is_numbered(self) -> bool:
        return any(label.isdecimal() and len(label) < _SHORTEST_PMID for label in self.labels)


class ReferenceIndex:
    """Resolves what markers point to: given references first (data wins), then the lists read from the text.

    Where sections have lists of their own, a marker belongs to the next one below it that has its label.
    """

    def __init__(
        self, given: Sequence[Reference], lists: Sequence[ReferenceList], documents: SuppliedNames = NOBODY
    ) -> None:
        self.sources: dict[str, CitedSource] = {}
        self._given = _ReadList(0)
        self._outdone: set[str] = set()
        self._beside: dict[str, tuple[str, ...]] = {}
        self._lists: list[_ReadList] = []
        self._by_title: dict[str, str] = {}
        self._documents = documents
        written: dict[str, ListedReference] = {}
        for entry in (entry for listed in lists for entry in listed.entries):
            if entry.reference.marker:
                written.setdefault(normalise_label(entry.reference.marker), entry)
        for position, data in enumerate(given, start=1):
            label = normalise_label(data.marker) if data.marker else str(position)
            beside = written.get(label)
            if label not in self._given.labels and (further := pmids_listed(data.pmid or "")[1:]):
                self._beside[label] = further
            self._add(self._given, label, _merged(data, beside.reference) if beside else data, beside)
            for source_id in self._beside.get(label, ()):
                self._keep(source_id, Reference(marker=data.marker, source=data.source))
        for data in given:
            if data.document and (label := normalise_label(data.document)) not in self._given.labels:
                self._given.labels[label] = self.source_of(data)
        for listed in lists:
            self._add_list(listed)

    @cached_property
    def labels(self) -> frozenset[str]:
        """All labels a marker may use."""
        return frozenset(self._given.labels).union(*(listed.labels for listed in self._lists))

    @property
    def listed(self) -> tuple[str, ...]:
        """What the entries lead to, given ones first, but for those in whose place others are given as data."""
        return tuple(source_id for source_id in self.sources if source_id not in self._outdone)

    @property
    def traceable(self) -> bool:
        """Whether any entry leads somewhere."""
        return bool(self.sources)

    def _add_list(self, listed: ReferenceList) -> None:
        read = _ReadList(listed.start, listed.section)
        self._lists.append(read)
        for entry in listed.entries:
            label = normalise_label(entry.reference.marker) if entry.reference.marker else None
            known = set(self.sources)
            source_id = self._add(read, label, entry.reference, entry)
            read.in_order.append(source_id)
            if source_id and label in self._given.labels and source_id not in known:
                self._outdone.add(source_id)

    def _add(
        self,
        read: _ReadList,
        label: str | None,
        reference: Reference,
        entry: ListedReference | None,
    ) -> str | None:
        source_id = self.source_of(reference)
        labels = read.labels
        if label:
            labels.setdefault(label, source_id)
        if cited_as := label_of_authors(reference.marker or ""):
            labels.setdefault(cited_as, source_id)
        said = _said_of(reference)
        if isinstance(reference, AuthoredReference) or entry is None:
            surnames, year = authors_and_year(said)
            year = getattr(reference, "year", None) or year
            shortened, initial = shortens_authors(said), first_initial(said)
        else:
            surnames, year, shortened, initial = entry.surnames, entry.year, entry.shortened, entry.initial
        if year:
            for rank, name in enumerate((*surnames[:1], *(entry.short_names if entry else ()))):
                work = AuthoredWork(source_id, surnames, shortened, rank, initial)
                for key in {f"{name} {year}", f"{name} {year[:4]}"}:
                    labels.setdefault(key, source_id)
                    read.authored.setdefault(key, []).append(work)
        if source_id and reference.title:
            self._by_title.setdefault(reference.title.casefold(), source_id)
        if source_id and reference.source:
            self._by_title.setdefault(reference.source.casefold(), source_id)
        return source_id

    def source_of(self, reference: Reference) -> str | None:
        """Name the source of an entry and keep what the answer says about it.

        An aggregator counts as what it points to: an identifier or address anywhere in its entry. Placeholders lead
        nowhere, and neither does the name of a collection that does not say which record of it is meant.
        """
        aggregator = _is_aggregator(reference)
        origin = reference.source
        reference = without_placeholders(reference)
        source_id = (
            identified(reference, self._documents)
            or named_in_words(reference)
            or entry_for_content(reference)
        )
        if source_id is None and aggregator:
            inside = atoms(" ".join(filter(None, (reference.url, reference.title, reference.content))))
            better = [a.source_id for a in inside if not _AGGREGATORS.search(a.source_id)]
            source_id = better[0] if better else None
        if source_id is None and reference.content:
            key = content_key({"content": reference.content, "title": reference.title, "url": reference.url})
            source_id = f"reference:{key}"
        if source_id is None and reference.url:
            source_id = url_source_id(reference.url)
        if source_id is None and (reference.title or (reference.source and not aggregator)):
            source_id = f"reference:{content_key({'title': reference.title, 'source': reference.source})}"
        if source_id is None and reference.document:
            source_id = f"document:{reference.document}"
        if source_id is not None:
            self._keep(source_id, replace(reference, source=origin))
        return source_id

    def _keep(self, source_id: str, reference: Reference) -> None:
        known = self.sources.get(source_id)
        self.sources[source_id] = CitedSource(
            source_id,
            title=(known and known.title) or reference.title,
            url=(known and known.url) or reference.url,
            content=_together(known.content if known else None, reference.content),
            origin=(known and known.origin) or reference.source,
        )

    def resolve(self, label: str, at: int = 0, written: str = "") -> str | None:
        """Look up the label of a marker that stands at a position; None if nothing stands behind it.

        What is written tells apart works of one first author and year; where it does not, none is taken.
        """
        if label.startswith("named:"):
            return self._resolve_name(label.removeprefix("named:"), at)
        if label.startswith(WORK):
            return self._resolve_work(label.removeprefix(WORK), at)
        if label in self._given.labels:
            return self._given.find(label, written)
        nearest = self._nearest(at)
        for listed in nearest:
            if label in listed.labels:
                return listed.find(label, written)
        for listed in nearest:
            if not listed.is_numbered and label.isdecimal() and 0 < int(label) <= len(listed.in_order):
                return listed.in_order[int(label) - 1]
        return None

    def _nearest(self, at: int) -> list[_ReadList]:
        """Order lists as a marker at a position looks them up: its section's, those below it, those above."""
        own = [
            listed
            for listed in self._lists
            if listed.section and listed.section.start <= at < listed.section.end
        ]
        below = [listed for listed in self._lists if listed.start >= at]
        return own + below + [listed for listed in reversed(self._lists) if listed.start < at]

    def _resolve_name(self, name: str, at: int) -> str | None:
        if (normalised := normalise_label(name)) in self.labels:
            return self.resolve(normalised, at)
        if found := self._by_title.get(name.casefold()):
            return found
        return self.source_of(Reference(source=name)) if not re.fullmatch(r"[\d\W]*", name) else None

    def _resolve_work(self, name: str, at: int) -> str | None:
        """Look up a work by title, or by author and year; one that no list has is a source by its name."""
        if found := self._by_title.get(name.casefold()):
            return found
        if quoted := _QUOTED.match(name):
            title = quoted[1].rstrip(" .,")
            return self._titled(title) or self.source_of(Reference(title=title))
        surnames, year = authors_and_year(name)
        if surnames and (label := f"{surnames[0]} {year}") in self.labels:
            return self.resolve(label, at, name)
        return self._of_a_body(name) or self.source_of(Reference(title=name))

    def _titled(self, words: str) -> str | None:
        """Look up a title as a citation quotes it: whole, or the beginning of one entry's alone."""
        begun = words.casefold()
        found = {
            source_id for title, source_id in self._by_title.items() if title.lstrip('“"„').startswith(begun)
        }
        return found.pop() if len(found) == 1 else None

    def _of_a_body(self, name: str) -> str | None:
        """Look up `ADA Standards of Care 2024`, where the list has one paper of the body that may be it."""
        label = label_of_body(name)
        works = [work for read in (self._given, *self._lists) for work in read.authored.get(label or "", ())]
        ids = {work.source_id for work in works[:_MOST_WORKS] if work.source_id}
        found = [i for i in ids if may_be(name, self.sources[i].title)]
        return found[0] if len(found) == 1 else None

    def beside(self, label: str) -> tuple[str, ...]:
        """Return what else the given entry of a label names: more PMIDs in the field of one."""
        return self._beside.get(normalise_label(label), ())

    def cite(self, written: str) -> str | None:
        """Resolve a citation given as data: `PMID:1`, `doi:…`, `NCT…`, an address, a document's id or a label."""
        raw = written.strip()
        if name := self._documents.find(raw):
            return f"document:{name}"
        if (label := normalise_label(raw)) in self.labels:
            return self.resolve(label)
        if name := self._documents.find(label):
            return f"document:{name}"
        if found := atoms(raw):
            return found[0].source_id
        if re.fullmatch(r"\d{4,8}", label):
            return pmid_id(label)
        if raw.startswith("/") or re.match(r"[a-z]+://", raw):
            return url_source_id(raw)
        return None


def _said_of(reference: Reference) -> str:
    """Return what an entry says of its work: authors and year as their own fields give them, else its words."""
    said = reference.title or reference.content or reference.source or ""
    if not isinstance(reference, AuthoredReference):
        return said
    year = reference.year or year_of(said)
    return f"{reference.authors or said}. {year}" if year else said


def _merged(data: Reference, text: Reference) -> Reference:
    fields = ("pmid", "pmcid", "doi", "nct", "url", "title", "content", "source", "document")
    return replace(data, **{name: getattr(text, name) for name in fields if getattr(data, name) is None})


def _together(before: str | None, content: str | None) -> str | None:
    """Keep every excerpt of a source: what was retrieved is often several of one article."""
    if not before or not content or content in before:
        return before or content
    return f"{before}\n\n{content}"


def _is_aggregator(reference: Reference) -> bool:
    host = re.match(r"(?:https?://)?([^/]+)", reference.url or "")
    return bool(_AGGREGATORS.search(reference.source or "") or (host and _AGGREGATORS.search(host[1])))
