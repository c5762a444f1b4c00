"""Sentences of medical prose, as spans of the text; a citation behind the full stop stays with what it follows."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.layout.blocks import blocks
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.markers.finding import find_markers
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.sentences.abbreviations import is_abbreviation

_STOP = re.compile(r"[.!?…]+|[。！？｡]+")
_CLOSERS = re.compile(r"[\"'”’»)\]*_~」』）†‡§]*")
_WIDE = "。！？｡"
_INNER_CAPITAL = re.compile(r"(?:[a-z]{1,2}[A-Z]|[α-ω][-\s\d]|p\d|[a-z]-[A-Z])")
_AFTER_MARKER = re.compile(r"[.!?…]+(?=\s|$)|[,;](?=\s+[A-Z])|[*_]{1,3}(?=\s|$)")
# Words that a stop ends in mid-sentence as often as at its end.
_SHORT = re.compile(r"\betc\Z|\d[ -]?(?:wks?|yrs?|mos?|hrs?|mins?|secs?|tabs?|caps?|lbs?)\Z")
_REST_OF_LINE = re.compile(r"[ \t.*_]*(?:\n|\Z)")
_GOES_ON = re.compile(r"[,;]\s|\s[a-z]{2,}\b|\s?[—–]")
_ASIDE = re.compile(r"[ \t]+\((?:[^()\n]|\([^()\n]*\)){1,300}(?<![.!?])\)[ \t]*[.;]")
_GRADE = re.compile(
    r"[ \t]*[*_]*[(\[](?:Grades?|GRADE|Levels?|Class|LOE|COR|(?:Strength|Quality|Certainty|Level) of"
    r"|(?:Strength|Quality|Certainty)(?=:)"
    r"|Strong|Weak|Conditional"
    r"|(?:Very )?[Ll]ow(?:er)?[ -](?:certainty|quality)|(?:Moderate|High)[ -](?:certainty|quality)"
    r"|(?:strong|weak|conditional|moderate|high|low)[ -](?:recommendation|certainty|quality|evidence)|[12][A-C]\b"
    r"|(?:Evidence|Recommendation)[ -](?:level|grade|class)?)\b[^()\[\].!?\n]{0,80}[)\]](?!\()[*_]*[.;]?"
)
_LEADS = re.compile(r"[\s*_>]*+(?:[A-Z][\w\s]{1,40}:[*_]*\s)?[*_]*+")
_NEXT = re.compile(r"[*_]*\s+[\"“'*_(]*[A-Z]")
_SENTENCE = re.compile(r"[*_]*:?\s+[\"“'*_(]*[A-Z\d]")
# Superscripts that lost their height when they were copied: "no difference.1,2 However …".
_FLATTENED = re.compile(
    r"(?<=[a-z)\]%][.])\d{1,3}(?:[ ]?[,–-][ ]?\d{1,3}){0,20}(?=\s+[A-Z(“\"*]|[ \t]*(?:\n|\Z))"
)
_NUMBERS = re.compile(r"\[\d{1,3}(?:\s?[,;–—-]\s?\d{1,3}){0,12}\]|[¹²³⁰⁴-⁹](?:[¹²³⁰⁴-⁹,–⁻˒]{0,20}[¹²³⁰⁴-⁹])?")
_FEWEST_LEADING = 2
_LONGEST_BRACKET = 1500
_MOST_MARKERS = 12


def sentences(text: str) -> list[Span]:
    """Split a text into sentences; spans leave out bullets and hashes, white space and nothing else.

    Table rows, headings and list items end a sentence whether or not a full stop does.
    """
    text = with_line_breaks(text)
    return _of_blocks(text, find_markers(text))


def passage_sentences(text: str) -> list[Span]:
    """Split a passage into sentences; spans leave out bullets and hashes, white space and nothing else.

    An answer's markers are looked for in all their shapes, which takes ten times as long as the splitting. Of a
    passage only numbers behind a full stop are kept with what they follow: `… less often.[12,13] They also …`.
    """
    text = with_line_breaks(text)
    markers = [
        Marker(found.start(), found.end(), "number", (Target(found[0]),)) for found in _NUMBERS.finditer(text)
    ]
    return _of_blocks(text, markers)


def _of_blocks(text: str, markers: Sequence[Marker]) -> list[Span]:
    return [
        span
        for block in blocks(text)
        if block.kind != "rule"
        for span in split_block(text, block.content, block.end, markers)
    ]


def split_block(text: str, start: int, end: int, markers: Sequence[Marker]) -> list[Span]:
    """Split text[start:end], one block, whose citation markers are known."""
    near = markers[
        bisect_left(markers, start, key=lambda m: m.end) : bisect_left(markers, end, key=lambda m: m.start)
    ]
    closed = _bracketed(text, start, end)
    leading = _markers_lead(text, start, end, near)
    spans: list[Span] = []
    begin, marker_at, bracket_at = start, 0, 0
    for stop in _STOP.finditer(text, start, end):
        at, after = stop.span()
        if at < begin:
            continue
        while marker_at < len(near) and near[marker_at].end <= at:
            marker_at += 1
        if marker_at < len(near) and near[marker_at].start <= at:
            link = near[marker_at]
            if link.kind == "link" and link.words is not None and link.words.end == after:
                if _NEXT.match(text, link.end, end) and not is_abbreviation(text, begin, at, "Next"):
                    spans += _trimmed(text, begin, link.end)  # "[It helps.](https://…) It is safe."
                    begin = link.end
            continue
        while bracket_at < len(closed) and closed[bracket_at].end <= at:
            bracket_at += 1
        if bracket_at < len(closed) and closed[bracket_at].start < at:
            closes = closed[bracket_at].end
            whole = (
                not text[begin : closed[bracket_at].start].strip()
                and closes <= _past(after, near, marker_at) + 2
            )
            if not whole:  # "(It is cheap.)" is a sentence, "(it is cheap. It is safe)" a part of one
                continue
        else:
            closes = begin
        limit = _ends_at(text, begin, at, after, end, () if leading else near, 0 if leading else marker_at)
        if limit is not None:
            limit = max(limit, closes)
            spans += _trimmed(text, begin, limit)
            begin = limit
    spans += _trimmed(text, begin, end)
    return spans


def _past(position: int, near: Sequence[Marker], marker_at: int) -> int:
    """Step over the markers in a bracket that directly follow a stop: `(It helps.[1][2])`."""
    for marker in near[marker_at : marker_at + _MOST_MARKERS]:
        if marker.start - position > 1:
            break
        position = max(position, marker.end)
    return position


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if start < end else []


def _bracketed(text: str, start: int, end: int) -> list[Span]:
    """Find the outermost matched brackets; an unclosed one hides nothing."""
    pairs: list[Span] = []
    stack: list[tuple[str, int]] = []
    for match in re.finditer(r"[()\[\]（）]", text[start:end]):
        sign, at = match[0], start + match.start()
        if sign in "([（":
            stack.append((sign, at))
        elif stack and "([（".index(stack[-1][0]) == ")]）".index(sign):
            first = stack.pop()[1]
            while pairs and pairs[-1].start > first:
                pairs.pop()
            if at - first <= _LONGEST_BRACKET:
                pairs.append(Span(first, at + 1))
    return pairs


def _ends_at(
    text: str, begin: int, at: int, after: int, end: int, near: Sequence[Marker], marker_at: int
) -> int | None:
    """Return where the sentence ends that has a stop at text[at:after], None if it goes on."""
    closers = _CLOSERS.match(text, after, end)
    close = closers.end() if closers else after
    while close > after and any(m.start < close <= m.end for m in near[marker_at : marker_at + 2]):
        close -= 1
    followed = _behind(text, close, end, near, marker_at)
    if followed > close:
        return None if _goes_on_behind_markers(text, begin, at, close, followed) else followed
    if close >= end or text[at] in _WIDE:
        return close
    if graded := _GRADE.match(text, close, end):
        return _behind(text, graded.end(), end, near, marker_at)
    if not text[close].isspace():
        pasted = _FLATTENED.match(text, close, end)
        if pasted and re.search(r"(?:[a-z]{3}|[)\]%])\Z", text[max(begin, at - 4) : at]):
            behind = text[pasted.end() : pasted.end() + 40].strip().partition(" ")[0]
            return None if is_abbreviation(text, begin, at, behind or "The") else pasted.end()
        return close if _runs_on(text, begin, at, close) else None
    if _goes_on_in_brackets(text, close, end):
        return None
    following = text[close : close + 80].split(maxsplit=1)
    word = following[0] if following else ""
    if text[at] != "." or after - at > 1:
        asked = text[at] == "?" and close == after  # but '"Is it safe?" she asked'
        return close if asked or not word[:1].islower() else None
    if marker_at and near[marker_at - 1].end == at and text[at - 1].isdigit() and word[:1].isupper():
        return close  # "risk ^1,2. It": no number of a list
    if word[:1].islower() and not _INNER_CAPITAL.match(word + " "):
        return None
    return None if is_abbreviation(text, begin, at, word) else close


def _goes_on_behind_markers(text: str, begin: int, at: int, close: int, followed: int) -> bool:
    """See "the U.S. [1] and the U.K. [2], use fell" as one sentence, but not "It helps. [1] mTOR"."""
    if _GOES_ON.match(text, followed):
        shortened = _SHORT.search(text, max(begin, at - 12), at) or is_abbreviation(text, begin, at, "goes")
        return bool(shortened) or text[at] == "." and text[followed] == ","
    return text[close : close + 1] == " " and is_abbreviation(text, begin, at, "Next")


def _goes_on_in_brackets(text: str, close: int, end: int) -> bool:
    """See "5.4 mo. (HR, 0.46)." as one sentence, but not "It helps. (It is cheap.)"."""
    return _ASIDE.match(text, close, end) is not None


def _behind(text: str, position: int, end: int, near: Sequence[Marker], marker_at: int) -> int:
    """Step over the markers that directly follow a full stop, or take the line below, and belong to what is before."""
    last = position
    for number in range(marker_at, len(near)):
        marker = near[number]
        gap = text[last : marker.start] if marker.start - last <= 4 else "no"
        if (
            marker.start < last
            or gap.strip(" \t,;\u00a0\u200b\u200c\u200d\u2060\ufeff")
            and not (gap.isspace() and _REST_OF_LINE.match(text, marker.end, end))
            or (not marker.targets and text[marker.start : marker.start + 5].lower() == "<cite")
            or (marker.words is not None and marker.words.end == marker.end)
        ):
            break
        if marker.kind == "link" and marker.words is not None:
            break
        last = marker.end
        tail = _AFTER_MARKER.match(text, last, end)
        last = tail.end() if tail else last
    return last


def _markers_lead(text: str, start: int, end: int, near: Sequence[Marker]) -> bool:
    """Tell whether a block has each marker before its sentence, as in `[1] It helps. [2] It is safe`."""
    if len(near) < _FEWEST_LEADING or near[0].words is not None or not near[0].targets:
        return False
    if not _LEADS.fullmatch(text, start, near[0].start) or not _SENTENCE.match(text, near[0].end, end):
        return False
    return bool(text[near[-1].end : end].strip(" *_"))


def _runs_on(text: str, begin: int, at: int, close: int) -> bool:
    """See a missing space: `it helps.The drug`, but not `p.Val600Glu` or `example.Com`."""
    if text[at] in "!?":
        return text[close].isupper()
    before = text[max(begin, at - 4) : at]
    known_end = re.search(r"(?:[a-z]{3}|\d ?(?:[a-z]{1,2}|%)|°[CF]|\)|\]|\s)\Z", before)
    return (
        bool(known_end and re.match(r"[A-Z][a-z]{0,20}[\s,:]", text[close : close + 24])) and close - at <= 2
    )
