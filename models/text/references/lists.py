"""Reference lists in the text of an answer: under a heading, as footnotes, or numbered without a heading."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.records import Reference, Span
from medassay.models.text.authors import DATED, INITIALS, NAME
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.markers.named_sources import names_a_work
from medassay.models.text.references.entries import ListedReference, read_entries
from medassay.models.text.supplied_names import NOBODY, SuppliedNames
from medassay.models.text.verbs import has_finite_verb

_NAME = (
    r"(?:references?|refs?\.?|bibliograph(?:y|ie)|(?:works|literature) cited|sources?"
    r"(?: documents?)?|citations?|footnotes?|endnotes?"
    r"|further reading|literatur(?:verzeichnis|angaben)?|quellen(?:angaben|verzeichnis)?"
    r"|einzelnachweise|r[ée]f[ée]rences(?: bibliographiques)?|referencias"
    r"|bibliograf[ií]a|fuentes|riferimenti|fonti|参考文献|参考资料|来源)"
)
_LEAD = r"(?:(?:here are|the|my|our|list of|key|selected|main|supporting|relevant|full|additional|verwendete)\s){0,3}"
_TAIL = (
    r"(?:\s(?:list|cited|used|consulted|below|section|and|&|further|reading|sources?|references?"
    r"|notes?|in|for|this|the|answer|response|above)){0,6}"
)
_DECORATION = r"(?:\\section\*?\{)?(?:[^\w\n(\[|¶<]|_)*(?:\d{1,2}[.)]\s*)?[*_]*"
_HEADING = re.compile(
    rf"{_DECORATION}{_LEAD}(?P<name>{_NAME}){_TAIL}(?:\[\d+\])?[\s*_#=:：>}}—–-]*", re.IGNORECASE
)
_SECTION = re.compile(
    rf"{_DECORATION}(?:{_NAME}\s(?:for|on|zu|[–—-])\s\w[^.:;!?\n]{{1,40}}|\w[^.:;!?\n]{{1,40}}\s"
    rf"(?:references|sources))[*_]*[:：]?[*_]*\s*",
    re.IGNORECASE,
)
_INLINE = re.compile(rf"[\s>*_#(-]*{_LEAD}{_NAME}{_TAIL}[\s*_]*[:：][\s*_]*(?=\S)", re.IGNORECASE)
_LABELS_INLINE = re.compile(
    r"(?:(?<=\s)|(?<=[;,.]))(?:\[\^?(\w{1,8})\][:.]?|\(?(\d{1,3})[.)])\s(?=[A-Z\[(“\"h\d])"
)
LABEL = re.compile(
    r"[ \t>*•·_–-]*(?:\[\^?(?P<square>[\w.:+-]{1,20})\](?:\([^()\s]*\))?(?P<colon>[:.]?)[*_]*|"
    r"(?P<number>\d{1,3})[.)](?=[\s*])[*_]*"
    r"|\((?P<round>\d{1,3})\)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>(?P<sup>\d{1,3})</sup>|(?i:(?:refs?|sources?|references?)\.?\s?)"
    r"(?P<spelled>\d{1,3})[*_]*[:.)]|"
    r"(?P<bare>\d{1,3})(?=[ \t]+(?:[A-Z]|https?:)))[ \t]*"
)
_LABELS = ("square", "number", "round", "raised", "sup", "bare", "spelled")
BULLET = re.compile(r"[ \t>]*[-*+•·–][ \t]+")
_TITLE_LINE = re.compile(r"[ \t]{0,3}#{1,6}\s|[ \t]*(?:\*\*|__)[^*_\n]{2,80}(?:\*\*|__):?[ \t]*\Z")
_AUTHOR_AND_YEAR = re.compile(rf"[\W_]*{NAME}(?:[\s,]+{INITIALS}|,?\set\s?al|[^.\n]{{0,80}}\({DATED})")
_DATED = re.compile(rf"(?<!\d){DATED}(?!\d)")
_PLACE = re.compile(
    r"\d{4};\s?\d+|\d+\(\w+\):|\b(?:J|Med|Lancet|BMJ|JAMA|NEJM|Cochrane|Guidelines?|Journal|WHO|CDC|NICE)\b"
)
_LONGEST_HEADING = 110
_ONLY_LABELS = re.compile(r"[\W\d]*(?:(?:and|doc|source|ref)s?[\W\d]*)*")


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """A reference list of an answer's text: where it stands, and its entries."""

    start: int
    end: int
    entries: tuple[ListedReference, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    blank: bool


def find_reference_lists(text: str, supplied: SuppliedNames = NOBODY) -> tuple[ReferenceList, ...]:
    """Find every reference list, in order; `supplied` are the documents that entries may name."""
    lines: list[_Line] = []
    for found in re.finditer(r"[^\n]*[^\s][^\n]*", text):
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        blank = not lines or text.count("\n", lines[-1].end, start) > 1
        lines.append(_Line(found.start(), found.start() + len(found[0].rstrip()), blank))
    return tuple(_Finder(text, lines, supplied).lists())


class _Finder:
    def __init__(self, text: str, lines: Sequence[_Line], supplied: SuppliedNames) -> None:
        self.text, self.lines, self.supplied = text, lines, supplied

    def lists(self) -> list[ReferenceList]:
        """Walk over the lines once; lists with nothing between them are one."""
        found: list[ReferenceList] = []
        at = 0
        while at < len(self.lines):
            listed, after = self._headed(at) or self._inline(at) or self._numbered(at) or (None, at + 1)
            if listed and found and not self.text[found[-1].end : listed.start].strip(" \n-*_=#"):
                listed = ReferenceList(found[-1].start, listed.end, (*found.pop().entries, *listed.entries))
            if listed:
                found.append(listed)
            at = after
        return found

    def _said(self, at: int) -> str:
        return self.text[self.lines[at].start : self.lines[at].end]

    def _headed(self, at: int) -> tuple[ReferenceList, int] | None:
        """Read the list below a heading, up to the next heading or a line that is no entry."""
        said = self._said(at)
        if len(said) > _LONGEST_HEADING:
            return None
        sure = _HEADING.fullmatch(said)
        if not (sure or (_SECTION.fullmatch(said) and not has_finite_verb(said))) or at + 1 == len(
            self.lines
        ):
            return None
        after, pieces = self._gathered(at + 1)
        entries = self._read(pieces)
        if not entries or not all(
            self._is_entry(self.text[s.start : s.end], bool(sure)) for s, _, _ in pieces[:1]
        ):
            return None
        return ReferenceList(self.lines[at].start, pieces[-1][0].end, entries), after

    def _gathered(self, at: int) -> tuple[int, list[tuple[Span, int, str | None]]]:
        """Gather entries: (their span, where the words begin, their label), and say which line is behind them."""
        pieces: list[tuple[Span, int, str | None]] = []
        indent = 0
        while at < len(self.lines):
            line, said = self.lines[at], self._said(at)
            label, bullet = LABEL.match(said), BULLET.match(said)
            deeper = len(said) - len(said.lstrip()) > indent and bool(pieces)
            if (
                (len(said) <= _LONGEST_HEADING and _HEADING.fullmatch(said))
                or _TITLE_LINE.match(said)
                and not (label and atoms(said))
            ):
                break
            begins = label if label and label.end() < len(said) else bullet
            if pieces and (deeper or (not line.blank and not begins and pieces[-1][2] is not None)):
                pieces[-1] = (Span(pieces[-1][0].start, line.end), *pieces[-1][1:])
            elif begins or not self._is_farewell(said, bool(pieces) and line.blank):
                name = (
                    next(
                        filter(None, (label[g] for g in _LABELS)),
                        None,
                    )
                    if begins is label and label
                    else None
                )
                indent = len(said) - len(said.lstrip())
                pieces.append(
                    (Span(line.start, line.end), line.start + (begins.end() if begins else 0), name)
                )
            else:
                break
            at += 1
        return at, pieces

    def _is_farewell(self, said: str, apart: bool) -> bool:
        """Tell whether a line below a list is none of it: it names no source and states or asks something."""
        if atoms(said) or self.supplied.knows(said.strip(" -*•")):
            return False
        return (apart and not _AUTHOR_AND_YEAR.match(said) and not _DATED.search(said)) or (
            has_finite_verb(said) and said.endswith((".", "!", "?")) and not _DATED.search(said)
        )

    def _is_entry(self, said: str, headed: bool = False) -> bool:
        """Tell whether a line names a source: by an identifier, an address, author and year, or a supplied document."""
        label = LABEL.match(said)
        body = said[label.end() if label else 0 :].strip()
        if atoms(body) or self.supplied.knows(body.strip(" -*•.")) or self.supplied.begins(body):
            return True
        if re.fullmatch(r"[\W_]*(?:PMID\W*)?\d{5,8}\W*", body, re.IGNORECASE):
            return True
        known = (
            bool(_AUTHOR_AND_YEAR.match(body) and _DATED.search(body))
            or names_a_work(body)
            or (bool(_PLACE.search(body)) and not has_finite_verb(body))
        )
        return known or (
            headed
            and bool(body)
            and not _ONLY_LABELS.fullmatch(body)
            and not (has_finite_verb(body) and body.endswith(".") and not _DATED.search(body))
        )

    def _inline(self, at: int) -> tuple[ReferenceList, int] | None:
        """Read `Sources: [1] Smith J. … [2] Lee K. …`, a list that was flattened to one line."""
        line = self.lines[at]
        opened = _INLINE.match(self.text, line.start, min(line.end, line.start + _LONGEST_HEADING))
        labels = list(_LABELS_INLINE.finditer(self.text, opened.end(), line.end)) if opened else []
        if not (opened and len(labels) > 1 and labels[0].start() == opened.end()):
            return None
        ends = [*(label.start() for label in labels[1:]), line.end]
        pieces: list[tuple[Span, int, str | None]] = [
            (Span(label.start(), end), label.end(), label[1] or label[2])
            for label, end in zip(labels, ends, strict=True)
        ]
        if not all(self._is_entry(self.text[body : span.end]) for span, body, _ in pieces):
            return None
        return ReferenceList(line.start, line.end, self._read(pieces)), at + 1

    def _numbered(self, at: int) -> tuple[ReferenceList, int] | None:
        """Read entries without a heading: footnotes `[^1]: …`, or labelled lines that each name a source."""
        pieces: list[tuple[Span, int, str | None]] = []
        after = at
        forms = set()
        while after < len(self.lines):
            said = self._said(after)
            label = LABEL.match(said)
            if label is None or label.end() >= len(said):
                break
            defined = label["square"] is not None and label["colon"] == ":"
            if not defined and not self._is_entry(said):
                break
            if label["number"] and (
                has_finite_verb(re.split(r"https?:|PMID|doi", said)[0])
                and not _AUTHOR_AND_YEAR.match(said[label.end() :])
            ):
                break
            forms.add("defined" if defined else "square" if label["square"] else "number")
            line = self.lines[after]
            name = next(filter(None, (label[g] for g in _LABELS)), None)
            pieces.append((Span(line.start, line.end), line.start + label.end(), name))
            after += 1
        bare = forms == {"number"} or (
            forms == {"square"} and not all(self._ends_or_names(p) for p in pieces)
        )
        if not pieces or (bare and len(pieces) < 2):
            return None
        entries = self._read(pieces)
        return (ReferenceList(pieces[0][0].start, pieces[-1][0].end, entries), after) if entries else None

    def _ends_or_names(self, piece: tuple[Span, int, str | None]) -> bool:
        """Tell whether a line `[1] …` states nothing, so that it is no sentence behind its marker."""
        words = self.text[piece[1] : piece[0].end]
        return (
            not has_finite_verb(re.split(r"https?:|PMID|doi", words)[0])
            or _AUTHOR_AND_YEAR.match(words) is not None
        )

    def _read(self, pieces: Sequence[tuple[Span, int, str | None]]) -> tuple[ListedReference, ...]:
        """Read entries; one that is a supplied document's name leads to that."""
        read: list[ListedReference] = []
        for span, body, label in pieces:
            named = self.supplied.begins(self.text[body : span.end].strip(" -*•[]"))
            document = self.supplied.find(named[0]) if named else None
            if document:
                read.append(ListedReference(Reference(marker=label, document=document), span=span))
            else:
                read += read_entries(self.text, span, body, label)
        return tuple(read)
