"""Reference lists: read from the end of an answer or given as data, and looked up by marker."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.keys import content_key
from models.records import CitedSource, Reference, Span
from models.text.blocks import Block
from models.text.clauses import has_finite_verb
from models.text.identifiers import Atom, atoms, pmid_id, url_source_id
from models.text.marks import author_label, normalise_label

_TITLE = (
    r"(?:references?(?: list)?|reference list|sources?(?: cited| used)?|bibliography|works cited"
    r"|literature(?: cited)?|citations?|cited (?:works|sources)"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:angaben|verzeichnis)?|r[ée]f[ée]rences"
    r"(?: bibliographiques)?|referencias|bibliograf[ií]a|footnotes|notes and references"
    r"|pmids?|key references|selected references|参考文献|参考资料)"
)
_HEADING = re.compile(rf"[#\s>*_]*(?:\d+[.)]\s*)?{_TITLE}[\s*_]*[:：]?[\s*_]*", re.IGNORECASE)
_INLINE_HEADING = re.compile(rf"[#\s>*_]*{_TITLE}[\s*_]*[:：][\s*_]*(?=\S)", re.IGNORECASE)
_LABEL = re.compile(
    r"[\s>*_-]*(?:\[\^?(?P<square>[\w.-]{1,20})\](?!\()[:.]?|(?P<plain>\d{1,3})[.)](?=\s)|\("
    r"(?P<round>\d{1,3})\)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>(?P<sup>\d{1,3})</sup>|\^"
    r"(?P<caret>\d{1,3})\^?|(?P<bare>\d{1,3})(?=\s+[A-Z]))\s*"
)
_INLINE_LABEL = re.compile(r"(?:(?<=\s)|(?<=[;,.]))\[\^?\d{1,3}\](?=[\s:])")
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d[a-h]?)(?![\d/-])")
_BIBLIOGRAPHIC = re.compile(
    r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}\b[^.;]{0,10})?;\s?\d+|\bet al\b"
    r"|\b\d{1,4}\(\d{1,4}\)\s?[:,]\s?\w?\d|\((?:19|20)\d\d[a-h]?\)\.|\bJournal\b|\bLancet\b"
    r"|\bN Engl J\b"
)
_SURNAME = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]+)?),?\s(?:[A-Z]{1,3}\b|[A-Z]\.)")
_AGGREGATORS = re.compile(
    r"\b(?:perplexity|chatgpt|chat\.openai|openai|copilot|bing|google|gemini|you\.com|consensus|elicit"
    r"|openevidence|phind|duckduckgo|scispace|semantic ?scholar)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a reference list with what author-year markers look for."""

    reference: Reference
    surnames: tuple[str, ...] = ()
    year: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """The reference list of an answer's text: where it stands, and its entries."""

    start: int
    end: int
    entries: tuple[ListedReference, ...]


def find_reference_list(text: str, found: Sequence[Block]) -> ReferenceList | None:
    """Find the reference list: under a heading such as *References*, or a run of labelled entries at the end."""
    for number in range(len(found) - 1, -1, -1):
        block = found[number]
        head = text[block.start : min(block.end, block.start + 80)]
        if block.end - block.start <= 80 and _HEADING.fullmatch(head):
            return _read(text, found, number, number + 1, block.end)
        if (inline := _INLINE_HEADING.match(head)) and _lists(text[block.start + inline.end() : block.end]):
            return _read(text, found, number, number, block.start + inline.end())
    first = len(found)
    while first > 0 and _is_entry(text, found[first - 1]):
        first -= 1
    while first < len(found) and found[first].kind == "rule":
        first += 1
    if 0 < first < len(found) and _LABEL.match(text, found[first].start, found[first].end):
        return _read(text, found, first, first, found[first].start)
    return None


def _lists(words: str) -> bool:
    return bool(
        len(words) < 5000
        and (
            atoms(words)
            or _LABEL.match(words)
            or re.fullmatch(r"[\s\d,;.]+", words)
            or _BIBLIOGRAPHIC.search(words)
            or len(words) < 120
        )
    )


def _is_entry(text: str, block: Block) -> bool:
    """Tell whether a block is an entry of a list without heading: labelled, with an identifier or bibliographic."""
    if block.kind == "rule":
        return True
    raw = text[block.start : min(block.end, block.start + 1000)]
    label = _LABEL.match(raw)
    if label is None or block.kind not in ("paragraph", "bullet"):
        return False
    if (
        label["square"]
        and raw.lstrip().startswith("[^")
        and raw[label.end() - 3 : label.end()].find(":") >= 0
    ):
        return True
    evidence = atoms(raw)
    if not label["square"] and has_finite_verb(_without(raw, evidence)) and not _BIBLIOGRAPHIC.search(raw):
        return False
    if evidence and sum(a.end - a.start for a in evidence) + label.end() > 0.6 * len(raw):
        return True
    return bool(_BIBLIOGRAPHIC.search(raw) or (label["square"] and evidence))


def _read(text: str, found: Sequence[Block], first: int, entries_from: int, start: int) -> ReferenceList:
    entries: list[ListedReference] = []
    end = start
    chunks: list[Span] = []
    for block in found[entries_from:]:
        if block.kind in ("heading", "header_row") and block.start >= start:
            break
        if block.kind == "rule":
            continue
        begin = max(block.start, start)
        raw = text[begin : block.end]
        if chunks and block.after_blank and _is_prose(raw) and not _HEADING.fullmatch(raw[:80]):
            break
        if (
            chunks
            and not _LABEL.match(raw)
            and block.kind == "paragraph"
            and _continues(text[chunks[-1].start : chunks[-1].end], raw, block.after_blank)
        ):
            chunks[-1] = Span(chunks[-1].start, block.end)
        else:
            chunks += _inline_entries(text, begin, block.end)
        end = block.end
    for chunk in chunks:
        entries += _entries(text, chunk)
    return ReferenceList(found[first].start, max(end, found[first].end), tuple(entries))


def _is_prose(raw: str) -> bool:
    """Tell whether a paragraph after the list is prose again, such as a disclaimer."""
    return (
        not (_LABEL.match(raw) or atoms(raw) or _YEAR.search(raw) or _BIBLIOGRAPHIC.search(raw))
        and len(raw.split()) > 7
    )


def _continues(entry: str, raw: str, after_blank: bool) -> bool:
    if re.match(r"\s*(?:https?://|doi|pmid|pmc|www\.|available|retrieved|url)", raw, re.IGNORECASE):
        return not any(True for _ in atoms(entry)) or not after_blank
    return not after_blank and not re.search(r"[.\d)/]\s*\Z", entry) and not _SURNAME.match(raw)


def _inline_entries(text: str, start: int, end: int) -> list[Span]:
    """Cut `[1] … ; [2] …` on one line, and the lines of an unlabelled block, into entries."""
    cuts = [start, *(m.start() for m in _INLINE_LABEL.finditer(text, start, end)), end]
    spans: list[Span] = []
    for low, high in zip(cuts, cuts[1:], strict=False):
        lines = [m.span() for m in re.compile(r"[^\r\n]+").finditer(text, low, high)]
        labelled = _LABEL.match(text, low, high) is not None
        for begin, stop in lines:
            raw = text[begin:stop]
            above = spans and spans[-1].start >= low and not _LABEL.match(raw)
            if above and (labelled or _continues(text[spans[-1].start : spans[-1].end], raw, False)):
                spans[-1] = Span(spans[-1].start, stop)
            elif raw.strip():
                spans.append(Span(begin, stop))
    return spans


def _entries(text: str, chunk: Span) -> list[ListedReference]:
    raw = text[chunk.start : chunk.end]
    label = _LABEL.match(raw)
    if label is None and re.fullmatch(r"[\s>*•·-]*\[?\d{4,8}\]?(?:[\s,;]+\[?\d{4,8}\]?)*[\s.]*", raw):
        return [ListedReference(Reference(marker=n, pmid=n), span=chunk) for n in re.findall(r"\d{4,8}", raw)]
    marker = next((g for g in label.groups() if g), None) if label else None
    body = raw[label.end() :] if label else re.sub(r"\A[\s>*•·–-]+", "", raw)
    named = atoms(body)
    bare = re.sub(r"(?:pmids?|doi|pmcid|and|[\s,;:.()*])+", "", _without(body, named), flags=re.IGNORECASE)
    if marker is None and len(named) > 1 and not bare:
        extra = (
            re.findall(r"(?<![\d./])\d{5,8}(?![\d/])", _without(body, named))
            if named[0].scheme == "pmid"
            else []
        )
        listed = [a.source_id for a in named] + [pmid_id(n) for n in extra]
        return [ListedReference(_with_ids(Reference(), [source_id]), span=chunk) for source_id in listed]
    digits = re.fullmatch(r"\s*(?:pmid:?\s*)?(\d{4,8})[\s.]*", body, re.IGNORECASE)
    reference = _with_ids(
        Reference(marker=marker, pmid=digits[1] if digits else None), [a.source_id for a in named]
    )
    surnames, year = _authors(body)
    title = _title(body, named)
    if not reference.pmid and not named and not title:
        return []
    return [ListedReference(replace(reference, title=title), surnames, year, chunk)]


def _without(body: str, named: Sequence[Atom]) -> str:
    for atom in reversed(named):
        body = body[: atom.start] + " " + body[atom.end :]
    return body


def _with_ids(reference: Reference, source_ids: Iterable[str]) -> Reference:
    for source_id in source_ids:
        scheme, _, value = source_id.partition(":")
        if scheme in ("pmid", "pmcid", "doi", "nct", "url") and getattr(reference, scheme) is None:
            reference = replace(reference, **{scheme: value})
    return reference


def _authors(body: str) -> tuple[tuple[str, ...], str | None]:
    """Read the authors' surnames and the year, wherever the style puts them."""
    year = _YEAR.search(re.sub(r"10\.\d{4,9}/\S+|https?://\S+", " ", body))
    lead = (
        body[: body.find("(", 0, 400)]
        if re.search(r"\((?:19|20)\d\d", body[:400])
        else body[:300].split(". ", 1)[0]
    )
    surnames = [name.casefold() for name in _SURNAME.findall(lead)]
    if not surnames and (
        first := re.match(
            r"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){0,5}?)(?=\s(?:and|&|et)\b|,|\.|\s\()", lead + "."
        )
    ):
        surnames = [first[1].casefold()]
    return tuple(surnames), year["year"] if year else None


def _title(body: str, named: Sequence[Atom]) -> str | None:
    """Read the title: quoted, a link's words, behind APA's (2020)., or Vancouver's second sentence."""
    if link := re.search(r"\[([^\]\n]{3,300})\]\(", body):
        return link[1].strip(" *_")
    if quoted := re.search(r"[“\"„]([^”\"“\n]{8,300})[”\"“]", body):
        return quoted[1].strip(" .,")
    prose = re.sub(
        r"\s+",
        " ",
        re.sub(
            r"\b(?:pmid|doi|pmcid|available (?:at|from)|retrieved from|url)\b:?",
            " ",
            _without(body, named),
            flags=re.IGNORECASE,
        ),
    )
    prose = re.sub(r"[*_]{1,2}|[<>]", "", prose).strip(" .,;:-–—()[]")
    if apa := re.search(r"\((?:19|20)\d\d[^)]{0,20}\)[.,:]?\s+([^.?]{4,400}[.?]?)", prose):
        return apa[1].strip(" .")
    parts = [
        part.strip(" .")
        for part in re.split(
            r"(?<=[^.\s][^.\sA-Z])[.?](?:\s|$)|(?<=\b[A-Z]{2})\.\s|(?<=\b[A-Z])\.\s(?=[A-Z][a-z]+\s[a-z])",
            prose,
        )
        if part.strip(" .")
    ]
    if not parts:
        return None
    if len(parts) > 1 and (_SURNAME.match(parts[0]) or re.search(r"\bet al\Z", parts[0])):
        return parts[1]
    return parts[0]


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
            (entry.surnames, entry.year) if entry else _authors(reference.title or reference.content or "")
        )
        if year:
            for name in surnames[:1]:
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


def author_labels(entry: ListedReference) -> tuple[str, ...]:
    """List the labels under which author-year markers find an entry."""
    return tuple(author_label(name, entry.year) for name in entry.surnames[:1]) if entry.year else ()
