"""What the markers of an answer lead to: its references, given as data or read from its text, looked up by label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from medassay.models.keys import content_key
from medassay.models.records import AuthoredReference, CitedSource, Reference
from medassay.models.text.authors import first_author_and_year, normalise_label
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, named_in_field, number_in, pmids_listed
from medassay.models.text.identifiers.reading import atoms, pmid_id, url_source_id
from medassay.models.text.references.entries import ListedReference
from medassay.models.text.references.lists import ReferenceList
from medassay.models.text.references.placeholders import leads_nowhere, without_placeholders
from medassay.models.text.supplied_names import NOBODY, SuppliedNames

_AGGREGATORS = re.compile(
    r"\b(?:perplexity|chatgpt|chat\.openai|openai|copilot|bing|google|gemini|you\.com|consensus|elicit"
    r"|openevidence|phind|duckduckgo|scispace|semantic ?scholar)\b",
    re.IGNORECASE,
)
_SHORTEST_PMID = 4  # digits; a shorter number is a label
_LONGEST_ENTRY = 400


@dataclass
class _ReadList:
    """A list as it is looked up: by labels, or by the order of its entries if they have no numbers."""

    start: int
    labels: dict[str, str | None] = field(default_factory=dict)
    in_order: list[str | None] = field(default_factory=list)

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
        self._by_title: dict[str, str] = {}
        self._beside: dict[str, tuple[str, ...]] = {}
        self._lists: list[_ReadList] = []
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
        read = _ReadList(listed.start)
        self._lists.append(read)
        for entry in listed.entries:
            label = normalise_label(entry.reference.marker) if entry.reference.marker else None
            known = set(self.sources)
            source_id = self._add(read, label, entry.reference, entry)
            read.in_order.append(source_id)
            if source_id and label in self._given.labels and source_id not in known:
                self._outdone.add(source_id)

    def _add(
        self, read: _ReadList, label: str | None, reference: Reference, entry: ListedReference | None
    ) -> str | None:
        source_id = self.source_of(reference)
        labels = read.labels
        if label:
            labels.setdefault(label, source_id)
        said = reference.title or reference.content or reference.source or ""
        author, year = first_author_and_year(said)
        names: tuple[str, ...] = (author,)
        if isinstance(reference, AuthoredReference):
            author, _ = first_author_and_year(reference.authors or said)
            names, year = (author,), reference.year or year
        elif entry is not None:
            names, year = (entry.author, *entry.short_names), entry.year
        in_full = [name.rpartition(" ")[2] for name in names]  # "John Smith"
        for name in dict.fromkeys(filter(None, (*names, *in_full))) if year else ():
            for key in {f"{name} {year}", f"{name} {year[:4]}"}:
                # Which of two works of one author and year is meant, a citation does not say.
                labels[key] = source_id if labels.get(key, source_id) == source_id else None
        for said in filter(None, (reference.title, reference.source)):
            self._by_title.setdefault(said.casefold(), source_id or "")
        return source_id

    def source_of(self, reference: Reference) -> str | None:
        """Name the source of an entry and keep what the answer says about it.

        An aggregator counts as what it points to: an identifier or address anywhere in its entry. Placeholders lead
        nowhere, and neither does the name of a collection that does not say which record of it is meant.
        """
        aggregator = _is_aggregator(reference)
        origin = reference.source
        reference = without_placeholders(reference)
        source_id = self._identified(reference) or _named_in_words(reference) or _entry_for_content(reference)
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

    def _identified(self, reference: Reference) -> str | None:
        """Name the source by the strongest identifier of an entry, None if it has none."""
        fields = ((scheme, getattr(reference, scheme)) for scheme in FIELD_SCHEMES)
        named = [name for scheme, value in fields if value and (name := named_in_field(scheme, value))]
        named[:0] = pmids_listed(reference.pmid or "")[:1]
        said = reference.document or ""
        name = self._documents.find(said) or (None if said else self._supplied(reference))
        own = [] if name else [atom.source_id for atom in atoms(said)]
        if records := [one for one in named if not one.startswith("url:")]:
            return records[0]
        if name:
            return f"document:{name}"
        if reference.url:
            own.append(url_source_id(reference.url))
        elif re.fullmatch(r"\d{7,8}", said):
            own.append(pmid_id(said))
        records = [one for one in own if not one.startswith("url:")]
        return next(iter([*records, *named, *([] if reference.url else own)]), None)

    def _supplied(self, reference: Reference) -> str | None:
        """Find the supplied document that an entry names by its id or title: `1. SOP-101: Anticoagulation`."""
        for words in (
            (reference.title, reference.source, reference.content, reference.marker)
            if self._documents
            else ()
        ):
            if not words or len(words) > _LONGEST_ENTRY:
                continue
            if (found := self._documents.find(words)) or (words == reference.marker):
                return found
            begun = self._documents.begins(words)
            if begun and any(sign.isdigit() for sign in begun[0]) and not begun[1][:1].isalnum():
                return self._documents.find(begun[0])
        return None

    def _keep(self, source_id: str, reference: Reference) -> None:
        known = self.sources.get(source_id)
        self.sources[source_id] = CitedSource(
            source_id,
            title=(known and known.title) or reference.title,
            url=(known and known.url) or reference.url,
            content=_together(known.content if known else None, reference.content),
            origin=(known and known.origin) or reference.source,
        )

    def resolve(self, label: str, at: int = 0) -> str | None:
        """Look up the label of a marker that stands at a position; None if nothing stands behind it."""
        if label in self._given.labels:
            return self._given.labels[label]
        nearest = [listed for listed in self._lists if listed.start >= at]
        nearest += [listed for listed in reversed(self._lists) if listed.start < at]
        for listed in nearest:
            if label in listed.labels:
                return listed.labels[label]
        for listed in nearest:
            if not listed.is_numbered and label.isdecimal() and 0 < int(label) <= len(listed.in_order):
                return listed.in_order[int(label) - 1]
        return None

    def work(self, name: str) -> str | None:
        """Return the source of that title; a work that no list has is a source by its name."""
        return self._by_title.get(name.casefold()) or self.source_of(Reference(title=name))

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
        if not raw.isdigit() and (number := number_in("pmid", raw)):
            return number
        if raw.startswith("/") or re.match(r"[a-z]+://", raw):
            return url_source_id(raw)
        return None


def _named_in_words(reference: Reference) -> str | None:
    """Name the source by what stands in an entry's title: `Smith J. Metformin. JAMA 2020. PMID: 123`.

    Of two identifiers of one kind none says which is meant; a trial's number or an address beside an address of the
    entry's own may be what the source is about.
    """
    named = [a for a in atoms(reference.title or reference.source or "") if not _is_nowhere(a.source_id)]
    schemes = [atom.scheme for atom in named]
    if len(set(schemes)) < len(schemes):
        return None
    for scheme in ("pmid", "pmcid", "doi", *(() if reference.url else ("nct", "url"))):
        if scheme in schemes:
            return named[schemes.index(scheme)].source_id
    return None


def _entry_for_content(reference: Reference) -> str | None:
    """Name the source of an entry that came as a content, as `{"text": "Smith J. Metformin. … PMID: 123"}` does."""
    said = reference.content or ""
    alone = reference.title is None and reference.url is None and reference.source is None
    author, year = first_author_and_year(said)
    if not alone or len(said) > _LONGEST_ENTRY or not (author and year):
        return None
    return _named_in_words(replace(reference, title=said))


def _is_nowhere(source_id: str) -> bool:
    return source_id.startswith("url:") and leads_nowhere(source_id.removeprefix("url:"))


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
