"""What the markers of an answer lead to: its references, given as data or read from its text, looked up by label."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from models.keys import content_key
from models.records import CitedSource, Reference
from models.text.identifiers import atoms, pmid_id, url_source_id
from models.text.marks import normalise_label
from models.text.reference_entries import ListedReference, authors_and_year

_AGGREGATORS = re.compile(
    r"\b(?:perplexity|chatgpt|chat\.openai|openai|copilot|bing|google|gemini|you\.com|consensus|elicit"
    r"|openevidence|phind|duckduckgo|scispace|semantic ?scholar)\b",
    re.IGNORECASE,
)


class ReferenceIndex:
    """Resolves what markers point to: given references first (data wins), then the list read from the text."""

    def __init__(
        self, given: Sequence[Reference], listed: Sequence[ListedReference], documents: Iterable[str] = ()
    ) -> None:
        self.sources: dict[str, CitedSource] = {}
        self._by_label: dict[str, str | None] = {}
        self._by_title: dict[str, str] = {}
        self._documents = {name.casefold(): name for name in documents}
        written: dict[str, ListedReference] = {}
        for entry in listed:
            if entry.reference.marker:
                written.setdefault(normalise_label(entry.reference.marker), entry)
        for position, data in enumerate(given, start=1):
            label = normalise_label(data.marker) if data.marker else str(position)
            beside = written.get(label)
            self._add(label, _merged(data, beside.reference) if beside else data, beside)
        for entry in listed:
            self._add(
                normalise_label(entry.reference.marker) if entry.reference.marker else None,
                entry.reference,
                entry,
            )

    @property
    def labels(self) -> frozenset[str]:
        """All labels a marker may use."""
        return frozenset(self._by_label)

    @property
    def traceable(self) -> bool:
        """Whether any entry leads somewhere."""
        return any(source_id is not None for source_id in self._by_label.values()) or bool(self.sources)

    def _add(self, label: str | None, reference: Reference, entry: ListedReference | None) -> None:
        source_id = self.source_of(reference)
        if label and label not in self._by_label:
            self._by_label[label] = source_id
        surnames, year = (
            (entry.surnames, entry.year)
            if entry
            else authors_and_year(reference.title or reference.content or "")
        )
        if year:
            for name in (*surnames[:1], *(entry.short_names if entry else ())):
                for key in (f"{name} {year}", f"{name} {year[:4]}"):
                    self._by_label.setdefault(key, source_id)
        if source_id and reference.title:
            self._by_title.setdefault(reference.title.casefold(), source_id)
        if source_id and reference.source:
            self._by_title.setdefault(reference.source.casefold(), source_id)

    def source_of(self, reference: Reference) -> str | None:
        """Name the source of an entry and keep what the answer says about it.

        An aggregator counts as what it points to: an identifier or address anywhere in its entry.
        """
        source_id = _identified(reference, self._documents)
        aggregator = _is_aggregator(reference)
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
        if source_id is not None:
            self._keep(source_id, reference)
        return source_id

    def _keep(self, source_id: str, reference: Reference) -> None:
        known = self.sources.get(source_id)
        self.sources[source_id] = CitedSource(
            source_id,
            title=(known and known.title) or reference.title,
            url=(known and known.url) or reference.url,
            content=(known and known.content) or reference.content,
            origin=(known and known.origin) or reference.source,
        )

    def resolve(self, label: str) -> str | None:
        """Look up a marker's label; None if nothing stands behind it."""
        if label.startswith("named:"):
            return self._resolve_name(label.removeprefix("named:"))
        return self._by_label.get(label)

    def _resolve_name(self, name: str) -> str | None:
        if (normalised := normalise_label(name)) in self._by_label:
            return self._by_label[normalised]
        if found := self._by_title.get(name.casefold()):
            return found
        return self.source_of(Reference(source=name)) if not re.fullmatch(r"[\d\W]*", name) else None

    def cite(self, written: str) -> str | None:
        """Resolve a citation given as data: `PMID:1`, `doi:…`, `NCT…`, an address, a document's id or a label."""
        raw = written.strip()
        if name := self._documents.get(raw.casefold()):
            return f"document:{name}"
        if (label := normalise_label(raw)) in self._by_label:
            return self._by_label[label]
        if name := self._documents.get(label):
            return f"document:{name}"
        if found := atoms(raw):
            return found[0].source_id
        if re.fullmatch(r"\d{4,8}", label):
            return pmid_id(label)
        if raw.startswith("/") or re.match(r"[a-z]+://", raw):
            return url_source_id(raw)
        return None


def _merged(data: Reference, text: Reference) -> Reference:
    fields = ("pmid", "pmcid", "doi", "nct", "url", "title", "content", "source", "document")
    return replace(data, **{name: getattr(text, name) for name in fields if getattr(data, name) is None})


def _is_aggregator(reference: Reference) -> bool:
    host = re.match(r"(?:https?://)?([^/]+)", reference.url or "")
    return bool(_AGGREGATORS.search(reference.source or "") or (host and _AGGREGATORS.search(host[1])))


def _identified(reference: Reference, documents: dict[str, str]) -> str | None:
    """Name the source by the strongest identifier of an entry, None if it has none."""
    for scheme, value in (
        ("pmid", reference.pmid),
        ("pmcid", reference.pmcid),
        ("doi", reference.doi),
        ("nct", reference.nct),
    ):
        if not value:
            continue
        if scheme == "pmid" and (digits := re.search(r"\d{1,8}", value)):
            return pmid_id(digits[0])
        text = value if scheme != "pmcid" or value.upper().startswith("PMC") else f"PMC{value}"
        if found := [a for a in atoms(text) if a.scheme in (scheme, "url")]:
            return found[0].source_id
    if reference.document:
        return f"document:{documents.get(reference.document.casefold(), reference.document)}"
    if reference.url:
        source_id = url_source_id(reference.url)
        if not source_id.startswith("url:"):
            return source_id
    return None
