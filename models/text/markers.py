"""Citation markers: every way in which an answer points to a source, and the lookalikes that do not."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from models.records import Span
from models.text.identifiers import Atom, atoms, pmid_id, trim_tail, url_source_id
from models.text.lookalikes import is_interval, is_superscript_of_its_word

MarkerKind = Literal["identifier", "link", "bracket", "superscript", "author_year", "document", "named"]

_BRACKETS = re.compile(r"[()\[\]【】\n]|</?sup>|\^", re.IGNORECASE)
_OPENERS = {")": "(", "]": "[", "】": "【", "</sup>": "<sup>"}
_LONGEST_GROUP = 600
_LONGEST_LABEL = 200
_DEEPEST = 4
_RANGE = r"(?P<low>\d{1,4})\s?(?:-|–|—|−|‑|‒|\bto\b|\.\.)\s?(?P<high>\d{1,4})(?![\w.])"
_ITEM = re.compile(
    rf"(?P<separator>[\s,;:&+/|]+|\\)|(?P<range>{_RANGE})|(?P<number>\^?\d{{1,9}}(?![\w.%]))(?P<dagger>†[^,;\]】]*)?"
    r"|(?P<named>(?:doc(?:ument)?|source|ref(?:erence)?|citation|cite|passage|context|snippet)s?\.?[\s:_#-]{0,3}(?P<n>\d{1,4}))(?![\w.])"
    r"|(?P<page>\bpp?\.\s?\d+(?:[-–]\d+)?|\b(?:Table|Fig(?:ure|\.)?|Section|Chapter)\s\d+\w?)"
    r"|(?P<filler>(?:and|und|et|see|also|see also|cf|refs?|references?|citations?|cited in|sources?|reviewed in|available at|"
    r"e\.g|i\.e|from|via|at|pubmed|pmids?|pmcid|doi|url|link|clinicaltrials\.gov|identifier|trial|registration|number|no|article|free)\b\.?)"
    r"|(?P<dash>[-–—]\s)"
    r"|(?P<label>[^\s,;\[\]()]+(?:[ ][^\s,;\[\]()]+){0,3})",
    re.IGNORECASE,
)
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴-⁹]{1,12}(?:[\s,;˒’،⸴‚·–—‐‑⁻-]{1,2}[⁰¹²³⁴-⁹]{1,12}){0,60}")
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NAME = r"(?:[A-ZÀ-ÖØ-Þ](?:[^\W\d_]|['’-])+|[A-Z]{2,})"
_NAMES = rf"(?P<names>(?:(?:de|van|von|der|den|la|le|di|du|al|el|the)\s)*{_NAME}(?:\s(?:de\s|of\s|for\s|van\s)?{_NAME}){{0,5}}"
_AUTHOR_YEAR = re.compile(
    rf"(?:\s*(?:see|see also|e\.g\.,?|cf\.|reviewed in|as in|source:|adapted from)\s)?\s*{_NAMES}"
    rf"(?P<more>(?:,\s{_NAME}){{0,6}},?\s(?:and|&|und|et)\s{_NAME}(?:\s{_NAME})?|,?\s(?:et|ET)\s(?:al|AL)\.?(?:’s|'s)?|\sand\scolleagues)?)"
    r"(?P<comma>,)?\s?(?P<year>(?:19|20)\d\d[a-h]?|n\.d\.|in press)(?P<years>(?:,\s?(?:(?:19|20)\d\d)?[a-h]?)*)"
    r"(?:,?\s?(?:pp?\.\s?)?\d+(?:[-–]\d+)?)?\s*\Z"
)
_NARRATIVE = re.compile(
    rf"(?<!\w)(?P<names>{_NAME}(?P<more>(?:,\s{_NAME}){{0,5}},?\s(?:and|&)\s{_NAME}|,?\set\sal\.?(?:’s|'s)?|\sand\scolleagues)?)"
    r"\s[(\[](?P<year>(?:19|20)\d\d[a-h]?)[)\]]"
)
_NOT_AUTHORS = re.compile(
    r"^(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|"
    r"Nov|Dec|Spring|Summer|Fall|Autumn|Winter|Table|Figure|Fig|Version|Since|Until|In|From|Year|Phase|COVID|Updated|Approved|Published|"
    r"Accessed|Edition|Volume|USA?|UK|EU|China|India|Japan|Germany|France|Paris|London|Chicago)\b"
)
_NAMED_SOURCE = re.compile(
    r"\s*(?:sources?|ref(?:erence)?s?|quelle|source of information)\s*:\s*(?P<name>[^\n]{2,200}?)\s*\Z",
    re.IGNORECASE,
)
_GOVERNED = re.compile(
    r"(?:^|[\s(])(?:according to|in|by|from|per|of|on|at|with|under|via|see|the|an?|and|or|to|as|visit|study|trial|trials?|article)\s\Z",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s?[a-zà-ÿ]")
_GOES_ON_AFTER_LINK = re.compile(
    r"\s(?!(?:and|or|but|while|whereas|so|which|although|because|if|when|as|with|in|for|to|by|on|at|than|but|that)\b)[a-zà-ÿ]"
)
_LINK_TAIL = re.compile(
    r"\]\(<?(?P<url>(?:https?://|www\.|/|doi:|mailto:|#)[^\s()<>]*(?:\([^\s()]{0,200}\)[^\s()<>]*)*)>?(?:\s+\"[^\"\n]{0,200}\")?\)"
)


@dataclass(frozen=True, slots=True)
class Target:
    """One thing a marker points to: an identifier (`source_id`), or a `label` to look up in the reference list."""

    written: str
    source_id: str | None = None
    label: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker; `words` is the part of it that the sentence cannot do without, such as a link's title."""

    start: int
    end: int
    kind: MarkerKind
    targets: tuple[Target, ...]
    words: Span | None = None


def normalise_label(raw: str) -> str:
    """Bring a label of a reference list to one form: `[01]`, `1.`, `¹` and `ref 1` are all `1`."""
    label = raw.translate(_PLAIN_DIGITS).strip(" \t\r\n[](){}【】.:†^").casefold()
    if len(label) > _LONGEST_LABEL:
        return label
    if named := re.fullmatch(
        r"(?:ref(?:erence)?|source|citation|cite|doc(?:ument)?)?s?\.?[\s:_#-]*(\d+)", label
    ):
        return str(int(named[1]))
    return label


def find_markers(
    text: str,
    labels: Collection[str] = (),
    documents: Collection[str] = (),
    start: int = 0,
    end: int | None = None,
) -> list[Marker]:
    """Find all markers of text[start:end], in order, not overlapping.

    Args:
        text: The answer.
        labels: Normalised labels of its reference list (`normalise_label`, and `surname year` for authors).
        documents: Ids of supplied documents.
        start: Where to begin.
        end: Where to stop.

    Work is linear in the length of the text: groups are at most 600 characters long and four deep.
    """
    reader = _Reader(text, frozenset(labels), {name.casefold(): name for name in documents})
    stop = len(text) if end is None else end
    links = list(_links(text, start, stop, reader))
    found = [atom for atom in atoms(text, start, stop) if not _inside(links, atom.start)]
    groups = _groups(reader, found, links, start, stop)
    singles = [
        Marker(
            a.start, a.end, "identifier", (Target(text[a.start : a.end], a.source_id, None, a.start, a.end),)
        )
        for a in found
    ]
    markers = _outermost(
        [*groups, *links, *singles, *_superscripts(reader, start, stop), *_narratives(reader, start, stop)]
    )
    return [_with_words(text, marker) for marker in markers]


def _outermost(markers: list[Marker]) -> list[Marker]:
    kept: list[Marker] = []
    for marker in sorted(markers, key=lambda m: (m.start, -m.end)):
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return kept


def _inside(markers: Sequence[Marker], position: int) -> bool:
    at = bisect_right(markers, position, key=lambda m: m.start) - 1
    return at >= 0 and position < markers[at].end


def _links(text: str, start: int, end: int, reader: "_Reader") -> Iterator[Marker]:
    """Find `[title](url)`; the title's bracket is looked for backwards, at most 400 characters."""
    last = start
    for tail in _LINK_TAIL.finditer(text, start, end):
        depth, at = 1, tail.start() - 1
        while at >= max(last, tail.start() - 400) and depth:
            depth += (text[at] == "]") - (text[at] == "[")
            at -= 1
        url = tail["url"]
        if depth or url.startswith(("mailto:", "#")):
            continue
        first = at + 1
        title = text[first + 1 : tail.start()]
        source_id = _link_source(url)
        written = text[first : tail.end()]
        span = Span(first + 1, tail.start())
        yield Marker(
            first,
            tail.end(),
            "link",
            (Target(written, source_id, None, first, tail.end()),),
            None if _is_bare_title(title) else span,
        )
        last = tail.end()


def _link_source(url: str) -> str:
    found = atoms(trim_tail(url))
    return found[0].source_id if found else url_source_id(url)


def _is_bare_title(title: str) -> bool:
    """Tell whether a link's title says nothing by itself: a number, an identifier, a host, `source`."""
    words = title.strip(" []()^*_")
    return bool(
        re.fullmatch(
            r"[\d,\s–-]*|(?:source|link|ref(?:erence)?|citation|here|pubmed|pmc|doi)s?\s*\d*",
            words,
            re.IGNORECASE,
        )
        or re.fullmatch(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?(?:\s?\+\d)?", words, re.IGNORECASE)
        or any(atom.start == 0 for atom in atoms(words))
    )


class _Reader:
    """Reads the inside of a bracket as a list of targets, or says that it is prose."""

    def __init__(self, text: str, labels: frozenset[str], documents: dict[str, str]) -> None:
        self.text, self.labels, self.documents = text, labels, documents
        self.authors = any(re.search(r" (?:19|20)\d\d[a-h]?$", label) for label in labels)

    def known(self, raw: str) -> bool:
        return normalise_label(raw) in self.labels or raw.strip().casefold() in self.documents

    def number(self, raw: str, start: int, end: int, long_is_pmid: bool) -> Target:
        written = f"[{raw.lstrip('^')}]"
        digits = raw.lstrip("^")
        if normalise_label(digits) in self.labels:
            return Target(written, None, normalise_label(digits), start, end)
        if digits.casefold() in self.documents:
            return Target(written, f"document:{self.documents[digits.casefold()]}", None, start, end)
        if long_is_pmid and len(digits) >= 4 and len(digits) <= 8:
            return Target(written, pmid_id(digits), None, start, end)
        return Target(written, None, normalise_label(digits), start, end)

    def items(
        self, start: int, end: int, inner: Sequence[Marker], opener: str
    ) -> tuple[MarkerKind, list[Target]] | None:
        """Read text[start:end], of which `inner` are identifiers or markers already; None if anything is left over."""
        targets: list[Target] = []
        kind: MarkerKind = "identifier"
        numbers = 0
        if not inner and (document := self._document(self.text[start:end], start, end)):
            return "document", [document]
        for gap_start, gap_end, marker in _gaps(start, end, inner):
            position = gap_start
            while position < gap_end:
                item = _ITEM.match(self.text, position, gap_end)
                if item is None or item.end() == position:
                    return None
                read = self._item(item, opener, bool(targets) or bool(inner))
                if read is None:
                    return None
                if read and item.lastgroup != "n" or item["named"]:
                    kind = (
                        "document"
                        if read[0].source_id and read[0].source_id.startswith("document:")
                        else "bracket"
                    )
                    numbers += item["number"] is not None or item["range"] is not None
                targets += read
                position = item.end()
            if marker is not None:
                targets += marker.targets
        if not targets or (opener == "(" and numbers and not inner):
            return None
        if len(targets) == 1 and numbers and re.fullmatch(r"\[(?:19|20)\d\d\]", targets[0].written):
            return (kind, targets) if targets[0].label in self.labels else None
        return kind, targets

    def _document(self, raw: str, start: int, end: int) -> Target | None:
        name = self.documents.get(raw.strip().casefold())
        if name is None or normalise_label(raw) in self.labels:
            return None
        return Target(f"[{raw.strip()}]", f"document:{name}", None, start, end)

    def _item(self, item: re.Match[str], opener: str, beside: bool) -> list[Target] | None:
        start, end = item.span()
        if item["range"]:
            low, high = int(item["low"]), int(item["high"])
            if not low <= high <= low + 200:
                return None
            return [self.number(str(n), start, end, False) for n in range(low, high + 1)]
        if item["number"]:
            if opener == "(" and not beside:
                return None
            return [self.number(item["number"], *item.span("number"), True)]
        if item["named"]:
            raw = item["named"]
            if name := self.documents.get(raw.casefold()):
                return [Target(f"[{raw}]", f"document:{name}", None, start, end)]
            if opener == "(" and not self.known(raw):
                return None
            return [Target(f"[{raw}]", None, normalise_label(raw), start, end)]
        if item["label"]:
            return self._labels(item["label"], start)
        return []

    def _labels(self, raw: str, start: int) -> list[Target] | None:
        trimmed = raw.strip(" .^")
        at = start + raw.find(trimmed)
        if name := self.documents.get(trimmed.casefold()):
            return [Target(f"[{trimmed}]", f"document:{name}", None, at, at + len(trimmed))]
        if trimmed and normalise_label(trimmed) in self.labels:
            return [Target(f"[{trimmed}]", None, normalise_label(trimmed), at, at + len(trimmed))]
        if " " in trimmed:
            parts = [self._labels(part[0], start + part.start()) for part in re.finditer(r"\S+", raw)]
            if all(parts):
                return [target for part in parts for target in part or []]
        return None

    def authors_of(self, start: int, end: int) -> list[Target] | None:
        """Read `Smith et al., 2020; Lee 2019` as targets."""
        targets: list[Target] = []
        position = start
        for piece in self.text[start:end].split(";"):
            match = _AUTHOR_YEAR.fullmatch(piece)
            if match is None:
                return None
            years = [
                match["year"],
                *re.findall(r"(?:(?:19|20)\d\d)?[a-h]?(?=,|$)", match["years"].strip(", ")),
            ]
            for year in filter(None, years):
                full = year if len(year) > 1 else match["year"][:4] + year
                label = author_label(match["names"], full)
                sure = (
                    match["more"] or label in self.labels or (match["comma"] and not match["names"].isupper())
                )
                if _NOT_AUTHORS.match(match["names"]) and label not in self.labels or not sure:
                    return None
                targets.append(Target(piece.strip(), None, label, position, position + len(piece)))
            position += len(piece) + 1
        return targets


def author_label(names: str, year: str) -> str:
    """Name an entry of a reference list by its first author's surname and year: `smith 2020`."""
    first = re.split(r",|\s(?:and|&|et|und)\s", names.strip(), maxsplit=1)[0]
    return f"{first.strip(' .').casefold()} {year.casefold()}"


def _gaps(start: int, end: int, inner: Sequence[Marker]) -> Iterator[tuple[int, int, Marker | None]]:
    for marker in inner:
        yield start, marker.start, marker
        start = marker.end
    yield start, end, None


def _groups(
    reader: _Reader, found: Sequence[Atom], links: Sequence[Marker], start: int, end: int
) -> list[Marker]:
    """Read every bracket pair, innermost first; one that holds only citations is a marker."""
    text = reader.text
    parts = sorted(
        [
            Marker(
                a.start,
                a.end,
                "identifier",
                (Target(text[a.start : a.end], a.source_id, None, a.start, a.end),),
            )
            for a in found
        ]
        + list(links),
        key=lambda m: m.start,
    )
    groups: list[Marker] = []
    inner: list[Marker] = []  # markers in the open brackets, in order
    stack: list[tuple[str, int, int]] = []
    part = 0
    for match in _BRACKETS.finditer(text, start, end):
        at, sign = match.start(), match[0].lower()
        while part < len(parts) and parts[part].start <= at:
            if parts[part].end > at and parts[part].start == at and sign != "[":
                break
            inner.append(parts[part])
            part += 1
        if inner and inner[-1].start <= at < inner[-1].end:
            continue
        if sign == "\n":
            stack.clear()
            inner.clear()
        elif sign == "^" and not (stack and stack[-1][0] == "^" and at - stack[-1][1] < 40):
            if text[at + 1 : at + 2].isdigit() or text[at + 1 : at + 2] == "[":
                if text[at - 1 : at] != "[":
                    stack.append(("^", at, at + 1))
        elif sign in ("(", "[", "【", "<sup>"):
            stack.append((sign, at, match.end()))
            if len(stack) > 64:
                del stack[:32]
        else:
            opener = "^" if sign == "^" else _OPENERS[sign]
            while stack and stack[-1][0] != opener and stack[-1][0] == "^":
                stack.pop()
            if not stack or stack[-1][0] != opener:
                continue
            _, first, content = stack.pop()
            if match.end() - first > _LONGEST_GROUP or len(stack) > _DEEPEST:
                continue
            count = 0
            while count < len(inner) and inner[-1 - count].start >= first:
                count += 1
            own = inner[len(inner) - count :]
            if marker := _read_group(reader, opener, first, content, at, match.end(), own):
                groups.append(marker)
                del inner[len(inner) - count :]
                inner.append(marker)
    return groups


def _read_group(
    reader: _Reader, opener: str, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
) -> Marker | None:
    text = reader.text
    if opener in ("<sup>", "^"):
        if not inner and is_superscript_of_its_word(
            text, first, last, text[start:end], reader.known(text[start:end])
        ):
            return None
        read = reader.items(start, end, inner, opener)
        return Marker(first, last, "superscript", tuple(read[1])) if read else None
    if opener == "(" and not inner and (targets := _parenthesised_numbers(reader, first, start, end, last)):
        return Marker(first, last, "bracket", tuple(targets))
    if (
        opener == "["
        and not inner
        and is_interval(text, first, text[start:end], reader.known(text[start:end]))
    ):
        return None
    read = reader.items(start, end, inner, opener)
    if read is None and not inner:
        if authors := reader.authors_of(start, end):
            return Marker(first, last, "author_year", tuple(authors))
        if named := _NAMED_SOURCE.fullmatch(text, start, end):
            return Marker(
                first, last, "named", (Target(text[first:last], None, f"named:{named['name']}", first, last),)
            )
    if read is None and opener in "([" and inner:
        read = _mixed(reader, start, end, inner)
    if read is None:
        return None
    if (
        opener == "["
        and len(inner) == 1
        and inner[0].start == start
        and inner[0].end == end
        and inner[0].kind == "link"
    ):
        return Marker(first, last, "link", tuple(read[1]))
    return Marker(first, last, read[0], tuple(read[1]))


def _mixed(
    reader: _Reader, start: int, end: int, inner: Sequence[Marker]
) -> tuple[MarkerKind, list[Target]] | None:
    """Read `Smith et al., 2020; PMID: 123` and `Smith et al. 2020, PMID: 123`: the identifier says which paper is meant."""
    targets: list[Target] = []
    for gap_start, gap_end, marker in _gaps(start, end, inner):
        gap = reader.text[gap_start:gap_end]
        bare = re.sub(
            r"(?:\b(?:pmid|doi|available at|see|and)\b|[\s,;:.])+\Z", "", gap, flags=re.IGNORECASE
        ).lstrip(" ,;.")
        if bare:
            at = gap_start + gap.find(bare)
            authors = reader.authors_of(at, at + len(bare))
            if authors is None:
                return None
            if gap.rstrip().endswith(";") or marker is None:
                targets += authors
        if marker is not None:
            targets += marker.targets
    return "identifier", targets


def _parenthesised_numbers(
    reader: _Reader, first: int, start: int, end: int, last: int
) -> list[Target] | None:
    """Read `(1, 3-5)` as a citation only where the list has these labels and the clause ends here."""
    raw = reader.text[start:end]
    if not reader.labels or not re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*", raw):
        return None
    if not re.match(r"\s*(?:[.,;:)]|$|\n)", reader.text[last : last + 3]) or not re.search(
        r"[\w.%)]\s?\Z", reader.text[max(0, first - 2) : first]
    ):
        return None
    read = reader.items(start, end, (), "[")
    return read[1] if read and all(t.label in reader.labels for t in read[1]) else None


def _superscripts(reader: _Reader, start: int, end: int) -> Iterator[Marker]:
    for match in _SUPERSCRIPT.finditer(reader.text, start, end):
        raw = match[0].translate(_PLAIN_DIGITS)
        if is_superscript_of_its_word(reader.text, match.start(), match.end(), raw, reader.known(raw)):
            continue
        targets: list[Target] = []
        for item in re.finditer(r"(\d+)(?:\s?[–—‐‑-]\s?(\d+))?", raw):
            at = (match.start() + item.start(), match.start() + item.end())
            low, high = int(item[1]), int(item[2] or item[1])
            if not low <= high <= low + 200:
                continue
            run = [str(n) for n in range(low, high + 1)]
            if (
                item[2] is None
                and item[1] not in reader.labels
                and len(item[1]) > 1
                and all(d in reader.labels for d in item[1])
            ):
                run = list(item[1])
            targets += [reader.number(n, *at, False) for n in run]
        if targets:
            yield Marker(match.start(), match.end(), "superscript", tuple(targets))


def _narratives(reader: _Reader, start: int, end: int) -> Iterator[Marker]:
    """Find `Smith et al. (2020)`; the names stay in the sentence."""
    for match in _NARRATIVE.finditer(reader.text, start, end):
        label = author_label(match["names"], match["year"])
        if (match["more"] or label in reader.labels) and not _NOT_AUTHORS.match(match["names"]):
            span = Span(*match.span())
            yield Marker(
                span.start,
                span.end,
                "author_year",
                (Target(match[0], None, label, span.start, span.end),),
                span,
            )


def _with_words(text: str, marker: Marker) -> Marker:
    """Say which part of a marker must stay so that the sentence still reads."""
    if marker.kind == "author_year":
        return marker
    before, after = text[max(0, marker.start - 24) : marker.start], text[marker.end : marker.end + 24]
    opens = not before.strip() or re.search(r"(?:[.!?:]\s|\n[\s>*•-]*)\Z", before) is not None
    if marker.kind == "link":
        if marker.words is None:
            return marker
        governed = (
            _GOVERNED.search(before)
            or _GOES_ON_AFTER_LINK.match(after)
            or (opens and re.match(r"\s?[a-z:–—]", after))
        )
        return marker if governed else replace(marker, words=None)
    bracketed = text[marker.start] in "([【"
    if bracketed and text[marker.start] != "[" or marker.kind in ("superscript", "named"):
        return marker
    if bracketed:
        stays = re.search(r"(?:according to|\bin|\bby|\bfrom|\bper|\bsee)\s\Z", before, re.IGNORECASE) or (
            opens and _GOES_ON.match(after)
        )
    else:
        stays = _GOVERNED.search(before) or (opens and _GOES_ON.match(after))
    return replace(marker, words=Span(marker.start, marker.end)) if stays else marker
