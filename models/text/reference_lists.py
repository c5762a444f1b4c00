"""Reference lists in the text of an answer: found at its end, and cut into entries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from models.records import Span
from models.text.blocks import Block
from models.text.clauses import has_finite_verb
from models.text.identifiers import atoms
from models.text.reference_entries import (
    BIBLIOGRAPHIC,
    LABEL,
    SURNAME,
    YEAR,
    ListedReference,
    read_entries,
    without_named,
)

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
_INLINE_LABEL = re.compile(r"(?:(?<=\s)|(?<=[;,.]))\[\^?\d{1,3}\](?=[\s:])")
_AUTHOR = re.compile(SURNAME.pattern + r"\s?[.,;]")


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
    if 0 < first < len(found) and LABEL.match(text, found[first].start, found[first].end):
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
            or LABEL.match(words)
            or re.fullmatch(r"[\s\d,;.]+", words)
            or BIBLIOGRAPHIC.search(words)
            or len(words) < 120
        )
    )


def _is_entry(text: str, block: Block) -> bool:
    """Tell whether a block is an entry of a list without heading: labelled, with an identifier or bibliographic."""
    if block.kind == "rule":
        return True
    raw = text[block.start : min(block.end, block.start + 1000)]
    label = LABEL.match(raw)
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
        and has_finite_verb(without_named(raw, evidence))
        and not BIBLIOGRAPHIC.search(raw)
    ):
        return False
    if evidence and sum(a.end - a.start for a in evidence) + label.end() > 0.6 * len(raw):
        return True
    authored = label["square"] or label["bib"] or _AUTHOR.match(raw, label.end())
    return bool(BIBLIOGRAPHIC.search(raw) or (authored and evidence))


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
            and not LABEL.match(raw)
            and block.kind == "paragraph"
            and _continues(text[chunks[-1].start : chunks[-1].end], raw, block.after_blank)
        ):
            chunks[-1] = Span(chunks[-1].start, block.end)
        else:
            chunks += _inline_entries(text, begin, block.end)
        end = block.end
    for chunk in chunks:
        entries += read_entries(text, chunk)
    return ReferenceList(found[first].start, max(end, found[first].end), tuple(entries))


def _is_prose(raw: str) -> bool:
    """Tell whether a paragraph after the list is prose again, such as a disclaimer."""
    return (
        not (LABEL.match(raw) or atoms(raw) or YEAR.search(raw) or BIBLIOGRAPHIC.search(raw))
        and len(raw.split()) > 7
    )


def _continues(entry: str, raw: str, after_blank: bool) -> bool:
    if re.match(r"\s*(?:https?://|doi|pmid|pmc|www\.|available|retrieved|url)", raw, re.IGNORECASE):
        return not any(True for _ in atoms(entry)) or not after_blank
    return not after_blank and not re.search(r"[.\d)/]\s*\Z", entry) and not SURNAME.match(raw)


def _inline_entries(text: str, start: int, end: int) -> list[Span]:
    """Cut `[1] … ; [2] …` on one line, and the lines of an unlabelled block, into entries."""
    cuts = [start, *(m.start() for m in _INLINE_LABEL.finditer(text, start, end)), end]
    spans: list[Span] = []
    for low, high in zip(cuts, cuts[1:], strict=False):
        lines = [m.span() for m in re.compile(r"[^\r\n]+").finditer(text, low, high)]
        labelled = LABEL.match(text, low, high) is not None
        for begin, stop in lines:
            raw = text[begin:stop]
            above = spans and spans[-1].start >= low and not LABEL.match(raw)
            if above and (labelled or _continues(text[spans[-1].start : spans[-1].end], raw, False)):
                spans[-1] = Span(spans[-1].start, stop)
            elif raw.strip():
                spans.append(Span(begin, stop))
    return spans
