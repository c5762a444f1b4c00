"""Bracketed citations: what stands between brackets, read as a list of sources or left as prose."""

import re
from collections.abc import Sequence

from models.text.authors import cited_authors
from models.text.label_reader import LabelReader, gaps
from models.text.lookalikes import is_interval, is_superscript_of_its_word
from models.text.marks import Marker, MarkerKind, Target

_BRACKETS = re.compile(r"[()\[\]【】（）［］{}\n]|</?(?:sup|cite)(?:\s[^<>\n]{0,100})?>|\^", re.IGNORECASE)
_OPENERS = {")": "(", "]": "[", "】": "【", "}": "{", "</sup>": "<sup>", "</cite>": "<cite>"}
_PLAIN = {"（": "(", "）": ")", "［": "[", "］": "]"}
_LONGEST_GROUP = 600
_DEEPEST = 4
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
    for gap_start, gap_end, marker in gaps(start, end, inner):
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
