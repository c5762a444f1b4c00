"""Bracketed citations: what stands between brackets, read as a list of sources or left as prose."""

import re
from collections.abc import Iterator, Sequence

from models.text.authors import cited_authors
from models.text.identifiers import pmid_id
from models.text.lookalikes import is_interval, is_superscript_of_its_word
from models.text.marks import Marker, MarkerKind, Target, normalise_label

_BRACKETS = re.compile(r"[()\[\]【】（）［］{}\n]|</?(?:sup|cite)(?:\s[^<>\n]{0,100})?>|\^", re.IGNORECASE)
_OPENERS = {")": "(", "]": "[", "】": "【", "}": "{", "</sup>": "<sup>", "</cite>": "<cite>"}
_PLAIN = {"（": "(", "）": ")", "［": "[", "］": "]"}
_LONGEST_GROUP = 600
_DEEPEST = 4
_RANGE = r"(?P<low>\d{1,4})\s?(?:-|–|—|−|‑|‒|\bto\b|\.\.)\s?(?P<high>\d{1,4})(?![\w.])"
_ITEM = re.compile(
    rf"(?P<separator>[\s,;:&+/|，；：、]+|\\)|(?P<range>{_RANGE})|(?P<number>\^?\d{{1,9}}(?![\w.%]))"
    rf"(?P<dagger>†[^,;\]】]*)?"
    r"|(?P<named>(?:doc(?:ument)?|source|ref(?:erence)?|citation|cite|passage|context"
    r"|snippet)s?\.?[\s:_#-]{0,3}(?P<n>\d{1,4}))(?![\w.]|\s?[-–—−‑‒]\s?\d)"
    r"|(?P<page>\bpp?\.\s?\d+(?:[-–]\d+)?|\b(?:Table|Fig(?:ure|\.)?|Section|Chapter)\s\d+\w?)"
    r"|(?P<filler>(?:and|und|et|y|see|also|see also|cf|refs?|references?|citations?|cited in"
    r"|sources?|reviewed in|available at|"
    r"vgl|siehe|nr|см|cfr|voir|réfs?|références?|véase|ver|vedi|rif|zie|"
    r"e\.g|i\.e|from|via|at|pubmed|pmids?|pmcid|doi|url|link|clinicaltrials\.gov|identifier"
    r"|trial|registration|number|no|article|free)\b\.?)"
    r"|(?P<dash>[-–—]\s)"
    r"|(?P<label>[^\s,;\[\]()]+(?:[ ][^\s,;\[\]()]+){0,3})",
    re.IGNORECASE,
)
_NUMBERS_NAMED = re.compile(
    r"\s*(?:(?:see|siehe|s\.|vgl\.|voir|véase|ver|vedi|zie|cf\.)\s+)?"
    r"(?:refs?\b\.?|references?|citations?|sources?|nr\b\.?|nos?\b\.|réfs?\b\.?|références?|rif\b\.?|referencias?)\s*[:：]?\s*(?=\d)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s+for\s+(?:(?:an?|the|more|further|full|other)\s)?(?:details?|more|reviews?|reading|overview|discussion)\Z"
)
# Which file of which turn of a chat: nothing that a reference list could number.
_PLACE_IN_A_TURN = re.compile(r"(\d{1,3}:\d{1,3})†[^】\n]{0,80}")
_NAMED_SOURCE = re.compile(
    r"\s*(?:sources?|ref(?:erence)?s?|quelle|source of information)\s*:\s*(?P<name>[^\n]{2,200}?)\s*\Z",
    re.IGNORECASE,
)


class LabelReader:
    """Reads the inside of a bracket as a list of targets, or says that it is prose."""

    def __init__(self, text: str, labels: frozenset[str], documents: dict[str, str]) -> None:
        self.text, self.labels, self.documents = text, labels, documents
        self.authors = any(re.search(r" (?:19|20)\d\d[a-h]?$", label) for label in labels)

    def known(self, raw: str) -> bool:
        """Tell whether the reference list or the documents have this label."""
        return normalise_label(raw) in self.labels or raw.strip().casefold() in self.documents

    def number(self, raw: str, start: int, end: int, long_is_pmid: bool) -> Target:
        """Read a number: a label of the list, a document, a PubMed id (four digits or more), else a dangling label."""
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
            if low > high and self.known(item["low"]) and self.known(item["high"]):
                return [self.number(n, start, end, False) for n in (item["low"], item["high"])]
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


def _gaps(start: int, end: int, inner: Sequence[Marker]) -> Iterator[tuple[int, int, Marker | None]]:
    for marker in inner:
        yield start, marker.start, marker
        start = marker.end
    yield start, end, None


def bracket_markers(reader: LabelReader, parts: Sequence[Marker], start: int, end: int) -> list[Marker]:
    """Read every bracket pair of text[start:end], innermost first; one that holds only citations is a marker.

    `parts` are the identifiers and links found already, in order.
    """
    text = reader.text
    groups: list[Marker] = []
    inner: list[Marker] = []  # markers in the open brackets, in order
    stack: list[tuple[str, int, int]] = []
    part = 0
    for match in _BRACKETS.finditer(text, start, end):
        at, sign = match.start(), _PLAIN.get(match[0], re.sub(r"\s[^>]*", "", match[0].lower()) or match[0])
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
        elif sign in ("(", "[", "【", "{", "<sup>", "<cite>"):
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
    reader: LabelReader, opener: str, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
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
    if opener == "{":
        return _braced(reader, first, start, end, last, inner)
    first -= opener == "[" and first > 0 and text[first - 1] == text[end - 1] == "\\"
    if (
        opener == "["
        and not inner
        and is_interval(text, first, text[start:end], reader.known(text[start:end]))
    ):
        return None
    if opener == "【" and not inner and (place := _PLACE_IN_A_TURN.fullmatch(text, start, end)):
        return Marker(
            first, last, "bracket", (Target(f"[{place[1]}]", None, f"turn {place[1]}", start, end),)
        )
    first -= opener == "[" and text[first - 1 : first] == "^"
    read = reader.items(start, end, inner, opener)
    if read is None and not inner:
        if opener == "(" and (named := _NUMBERS_NAMED.match(text, start, end)):
            aside = _ASIDE.search(text, named.end(), end)
            read = reader.items(named.end(), aside.start() if aside else end, (), "[")
    if read is None and not inner:
        if authors := cited_authors(reader.text, start, end, reader.labels):
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


def _braced(
    reader: LabelReader, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
) -> Marker | None:
    """Read `{1, 3}` where the list has every label; a brace behind a command, a raised or a template is none."""
    if inner or re.search(r"[\\^_$@{][\w*]*\Z", reader.text[max(0, first - 24) : first]):
        return None
    read = reader.items(start, end, (), "[")
    if read is None or not all(target.label in reader.labels for target in read[1]):
        return None
    return Marker(first, last, "bracket", tuple(read[1]))


def _mixed(
    reader: LabelReader, start: int, end: int, inner: Sequence[Marker]
) -> tuple[MarkerKind, list[Target]] | None:
    """Read `Smith et al., 2020; PMID: 123`: the identifier says which paper is meant."""
    targets: list[Target] = []
    for gap_start, gap_end, marker in _gaps(start, end, inner):
        gap = reader.text[gap_start:gap_end]
        bare = re.sub(
            r"(?:\b(?:pmid|doi|available at|see|and)\b|[\s,;:.])+\Z", "", gap, flags=re.IGNORECASE
        ).lstrip(" ,;.")
        if bare:
            at = gap_start + gap.find(bare)
            authors = cited_authors(reader.text, at, at + len(bare), reader.labels)
            if authors is None:
                return None
            targets += authors if marker is None else [a for a in authors if a.label in reader.labels]
        if marker is not None:
            targets += marker.targets
    return "identifier", targets


def _parenthesised_numbers(
    reader: LabelReader, first: int, start: int, end: int, last: int
) -> list[Target] | None:
    """Read `(1, 3-5)` as a citation only where the list has these labels and the clause ends here."""
    raw = reader.text[start:end]
    if not reader.labels or not re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*", raw):
        return None
    goes_on = (
        r"[*_]{0,2}\s*(?:[.,;:()]|$|\n)"
        if raw.isdecimal()
        else r"[*_]{0,2}\s*(?:[.,;:()]|$|\n|(?:and|or|but|while|whereas)\b)"
    )
    if not re.match(goes_on, reader.text[last : last + 10]) or not re.search(
        r"[\w.%)]\s?[*_]{0,2}\Z", reader.text[max(0, first - 4) : first]
    ):
        return None
    if is_interval(reader.text, first, raw, False):
        return None
    read = reader.items(start, end, (), "[")
    return read[1] if read and all(t.label in reader.labels for t in read[1]) else None
