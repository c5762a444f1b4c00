"""Reference lists in the text of an answer: found at its end, read entry by entry."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.records import Reference, Span
from models.text.authors import short_names
from models.text.blocks import Block
from models.text.clauses import has_finite_verb
from models.text.identifiers import Atom, atoms, pmid_id
from models.text.marks import NOTE_SYMBOL, surname_of

_TITLE = (
    r"(?:references?(?: list)?|reference list|sources?(?: cited| used)?|bibliography|works cited"
    r"|literature(?: cited)?|citations?|cited (?:works|sources)"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:angaben|verzeichnis)?|r[ée]f[ée]rences"
    r"(?: bibliographiques)?|refer[eê]ncias|bibliograf[ií]a|литература|список литературы|footnotes|notes and references"
    r"|pmids?|key references|selected references|参考文献|参考资料)"
)
_HEADING = re.compile(rf"[#\s>*_]*(?:\d+[.)]\s*)?{_TITLE}[\s*_]*[:：]?[\s*_]*", re.IGNORECASE)
_INLINE_HEADING = re.compile(rf"[#\s>*_]*{_TITLE}[\s*_]*[:：][\s*_]*(?=\S)", re.IGNORECASE)
_LONGEST_LIST = 20_000
_ONLY_PMIDS = re.compile(
    r"[#\s>*_]*pmids?[\s*_:：]+\d{1,8}(?:[\s,;&*_]+(?:and\s)?(?:pmid[\s:]*)?\d{1,8}){0,50}[\s.*_]*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[\s>*_-]*(?:\[\^?@?(?P<square>[\w.:-]{1,40})\](?!\()[:.]?"
    r"|\\bibitem(?:\[[^\]\n]{0,80}\])?\{(?P<bib>[^{}\s]{1,60})\}|(?P<plain>\d{1,3})[.)](?=\s)|\("
    r"(?P<round>\d{1,3})\)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>(?P<sup>\d{1,3})</sup>|\^"
    rf"(?P<caret>\d{{1,3}})\^?|(?P<symbol>{NOTE_SYMBOL})(?=\s*\w)"
    r"|(?P<bare>\d{1,3})(?=\s+[A-Z]))\s*"
)
_INLINE_LABEL = re.compile(r"(?:(?<=\s)|(?<=[;,.]))\[\^?\d{1,3}\](?=[\s:])")
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d[a-h]?)(?![\d/-])")
_BIBLIOGRAPHIC = re.compile(
    r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}\b[^.;]{0,10})?;\s?\d+|\bet al\b"
    r"|\b\d{1,4}\(\d{1,4}\)\s?[:,]\s?\w?\d|\((?:19|20)\d\d[a-h]?\)\.|\bJournal\b|\bLancet\b"
    r"|\bN Engl J\b"
)
_SURNAME = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]+)?),?\s(?:[A-Z]{1,3}\b|[A-Z]\.)")


_AUTHOR = re.compile(_SURNAME.pattern + r"\s?[.,;]")


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a reference list with what author-year markers look for."""

    reference: Reference
    surnames: tuple[str, ...] = ()
    year: str | None = None
    span: Span | None = None
    short_names: tuple[str, ...] = ()


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
        inline = _INLINE_HEADING.match(head)
        if inline and _cites_the_list_above(text, found, number):
            continue
        if inline and _lists(text[block.start + inline.end() : block.end]):
            return _read(text, found, number, number, block.start + inline.end())
    first = len(found)
    while first > 0 and _is_entry(text, found[first - 1]):
        first -= 1
    while first < len(found) and found[first].kind == "rule":
        first += 1
    if 0 < first < len(found) and _LABEL.match(text, found[first].start, found[first].end):
        return _read(text, found, first, first, found[first].start)
    return None


def _cites_the_list_above(text: str, found: Sequence[Block], number: int) -> bool:
    """Tell whether a line `PMID: 1, 2` stands under a list whose items do not name these ids themselves."""
    line = text[found[number].start : found[number].end]
    if number == 0 or found[number - 1].kind != "bullet" or not _ONLY_PMIDS.fullmatch(line):
        return False
    above = text[max(0, found[number].start - _LONGEST_LIST) : found[number].start]
    return not all(n in above for n in re.findall(r"\d+", line))


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
    if (
        not (label["square"] or label["bib"])
        and has_finite_verb(_without(raw, evidence))
        and not _BIBLIOGRAPHIC.search(raw)
    ):
        return False
    if evidence and sum(a.end - a.start for a in evidence) + label.end() > 0.6 * len(raw):
        return True
    authored = label["square"] or label["bib"] or _AUTHOR.match(raw, label.end())
    return bool(_BIBLIOGRAPHIC.search(raw) or (authored and evidence))


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
    if marker is None and len(named) > 1 and not _says_more(body, named):
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
    surnames, year = authors_and_year(body)
    title = _title(body, named)
    if not reference.pmid and not named and not title:
        return []
    return [ListedReference(replace(reference, title=title), surnames, year, chunk, short_names(body))]


def entry_as_written(text: str, marker: str) -> Reference:
    """Read an entry that was given as one text: what identifies it, and all of it as the title if it says more."""
    if re.fullmatch(r"\d{1,8}", text):
        return Reference(marker=marker, pmid=text)
    named = atoms(text)
    reference = _with_ids(Reference(marker=marker), [atom.source_id for atom in named])
    return replace(reference, title=text) if not named or _says_more(text, named) else reference


def _says_more(body: str, named: Sequence[Atom]) -> bool:
    """Tell whether words stand beside the identifiers."""
    return bool(
        re.sub(r"(?:pmids?|doi|pmcid|and|[\s,;:.()*])+", "", _without(body, named), flags=re.IGNORECASE)
    )


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


def authors_and_year(body: str) -> tuple[tuple[str, ...], str | None]:
    """Read the authors' surnames and the year, wherever the style puts them."""
    year = _YEAR.search(re.sub(r"10\.\d{4,9}/\S+|https?://\S+", " ", body))
    lead = (
        body[: body.find("(", 0, 400)]
        if re.search(r"\((?:19|20)\d\d", body[:400])
        else body[:300].split(". ", 1)[0]
    )
    surnames = [surname_of(name) for name in _SURNAME.findall(lead)]
    if not surnames and (
        first := re.match(
            r"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){0,5}?)(?=\s(?:and|&|et)\b|,|\.|\s\()", lead + "."
        )
    ):
        surnames = [surname_of(first[1])]
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
