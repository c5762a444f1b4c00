"""The lines of an answer, each by itself: what its bullet, hashes, bars or bold type make of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from medassay.models.text.layout.pictures import PICTURE
from medassay.models.text.layout.wrapped_lines import behind_picture

BlockKind = Literal["heading", "paragraph", "bullet", "row", "header_row", "rule"]

_LINE = re.compile(r"[^\r\n\x0b\x0c\x85\u2028\u2029]*(?:\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]|\Z)")
_UNIT = (
    r"(?:kg|g|mg|m?mol|ml|cm|mm(?:Hg)?|years?|yrs?|y|months?|mos?|weeks?|wks?|days?|hours?|hrs?|h|minutes?|mins?|%|°"
    r"|Jahren?|Monaten?|ans|mois|años|meses)"
)
# ">30 kg: 400 mg" compares; so does "> 12 years: 10 mg", though a quotation may begin with a number.
_COMPARES = (
    rf"(?:=|\d(?!\d{{0,2}}[.)][ \t])|[ \t]\d[\d.,]*[ \t]?{_UNIT}(?![^\W\d_])"
    r"[^:\n]{0,30}(?::|[ \t][–—→][ \t]))"
)
QUOTED = re.compile(rf"^(?:[ \t]{{0,8}}>(?!{_COMPARES})[ \t]?)+", re.IGNORECASE | re.MULTILINE)
"""What a quoted line begins with."""
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_LATEX_HEADING = re.compile(r"[ \t]*\\(?:sub){0,2}section\*?\{[^{}\n]{1,120}\}[ \t]*")
_BULLET = re.compile(
    r"[ \t]*(?:\\item(?=[ \t])|[-*+•‣◦·▪▫●○■□✓✔✗✅☑❌✖⚠➢➤►▸▹ℹ→–—]\ufe0f?(?=[ \t])"
    r"|[•‣▪●](?=[A-Za-z\d(*_\"“])"
    r"|\(?\d{1,3}[.)](?=[ \t])|\d{1,3}[、．]|\((?:[a-z]{1,2}|[A-Z]|[ivx]{1,4}|[IVX]{1,4})\)(?=[ \t])"
    r"|[QA]\d{1,2}[.)](?=[ \t])|[a-hA-H]\)(?=[ \t])|(?<=[ \t]{2})[a-h]\.(?=[ \t]+\S)"
    r"|[a-h]\.(?=[ \t]+[A-Z][a-z]+[ \t])|[ivx]{1,4}[.)](?=[ \t]))[ \t]*(?:\[[ xX]\][ \t]+)?"
)
# "I. Diagnosis", "B. Treatment", where the one before is there, too: "A. Smith found" is a name.
OUTLINED = re.compile(r"[ \t]*(?:\*\*|__)?(?P<sign>[A-H]|[IVX]{1,4})\.[ \t]+(?=[A-Z])")
_OUTLINES = [
    [re.compile(rf"^[ \t>*_]*{sign}\.[ \t]+[A-Z]", re.MULTILINE) for sign in signs]
    for signs in ("AB", ("I", "II"))
]
_RULE = re.compile(
    r"[ \t]*(?:[-*_=–—~][ \t]?){3,}[ \t]*|[ \t]*(?:```|~~~)[\w-]*[ \t]*|[ \t]*<(?:hr|br) ?/?>[ \t]*"
    r"|[ \t]*\\(?:begin|end)\{\w{1,20}\*?\}(?:\[[^\]\n]{0,40}\])?[ \t]*"
)
# "[Doc: protocol.pdf | Section 2.1]"
_IN_BRACKETS = re.compile(r"\[[^\[\]\n]*\]|\([^()\n]*\)")
_SEPARATOR_ROW = re.compile(r"[ \t]*\|?(?:[ \t]*:?-++:?[ \t]*\|)*+[ \t]*(?::?-++:?)?[ \t]*")
# "**When it *is* needed**": a word of it may be in italics.
BOLD_LINE = re.compile(
    r"[ \t]*(?:\*\*|__)((?:[^*_\n]|(?<![*_])[*_][^\s*_][^*_\n]{0,40}[*_](?=[^*_])){1,120})(?:\*\*|__)[ \t]*:?[ \t]*"
    rf"(?:{PICTURE}[ \t]*)*"
)
BOLD_NUMBER = re.compile(r"[ \t]*(?:\*{1,3}|_{1,3})\d{1,2}[.)](?:\*{1,3}|_{1,3})?[ \t]+(?=\S)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without the white space around it; `content` is where its words begin behind bullet, hashes or `>`."""

    start: int
    end: int
    content: int
    kind: BlockKind | Literal["blank", "separator"]


def lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text in order, blank ones too."""
    outlined = any(all(sign.search(text) for sign in signs) for signs in _OUTLINES)
    for match in _LINE.finditer(text):
        raw = match[0]
        if not raw:
            continue
        stripped = raw.rstrip()
        start = match.start() + len(raw) - len(raw.lstrip())
        end = match.start() + len(stripped)
        if start >= end:
            yield Line(match.start(), match.start(), match.start(), "blank")
            continue
        body = start
        if quote := QUOTED.match(text, match.start(), end):
            body = min(quote.end(), end)
            if body == end and start < body:
                yield Line(start, end, start, "rule")
                continue
        outline = OUTLINED.match(text, body, end) if outlined else None
        if outline and text[body] not in "*_":
            yield Line(start, end, outline.end(), "bullet")
            continue
        yield _classify(text, start, body, end)


def _classify(text: str, start: int, body: int, end: int) -> Line:
    if (
        text.find("-", body, end) >= 0
        and text.find("|", body, end) >= 0
        and _SEPARATOR_ROW.fullmatch(text, body, end)
    ):
        return Line(start, end, body, "separator")
    if _RULE.fullmatch(text, body, end):
        return Line(start, end, body, "rule")
    if heading := _HEADING.match(text, body, end):
        return Line(start, end, heading.end() - 1, "heading")
    if _LATEX_HEADING.fullmatch(text, body, end):
        return Line(start, end, body, "heading")
    if text[body] == "|" and text.find("|", body + 1, end) > 0 or text.count("\t", body, end) >= 2:
        return Line(start, end, body, "row")
    if text.count(" | ", body, end) >= 2 and _IN_BRACKETS.sub("", text[body:end]).count(" | ") >= 2:
        return Line(start, end, body, "row")
    if (bullet := _BULLET.match(text, body, end)) and bullet.end() < end:
        return Line(start, end, bullet.end(), "bullet")
    numbered = BOLD_NUMBER.match(text, body, end)
    if bold := BOLD_LINE.fullmatch(text, behind_picture(text, body, end), end):
        if not re.search(r"[.!?]$", bold[1].strip()) and len(bold[1].split()) <= 14:
            return Line(start, end, body, "heading")
    return Line(start, end, numbered.end() if numbered and numbered.end() < end else body, "paragraph")
