"""The lines of a text as a reader of lists sees them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_LINE = re.compile(r"[^\r\n\x0b\x0c\x85\u2028\u2029]+")
_QUOTE = re.compile(r"(?:[ \t]{0,8}>[ \t]?)*")
_RULE = re.compile(
    r"(?:[-*_=–—~][ \t]?){3,}|(?:```|~~~)[\w-]*|</?(?:hr|br|div|p|ol|ul|details|section)\b[^<>]{0,80}>|&nbsp;"
    r"|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?|\\(?:begin|end)\{[a-z*]{1,40}\}(?:\{[^{}]{0,20}\})?"
)

# "It is cheap [2]. References: [1] Smith J. …": an answer that came in one paragraph.
_NAMES = r"(?:references?|sources?|citations?|bibliography|works cited|literature|quellen|literatur)"
_BEHIND = r"(?::|(?<=references)(?=\s\W?1[\].)]\s(?-i:[A-Z])))"
_NAMED = rf"[*_]{{0,3}}{_NAMES}[*_]{{0,3}}{_BEHIND}[*_\s]{{0,4}}(?:[*_]{{0,2}}[\[(]1[\])]|1[.)]\s|¹)"
_HEADING_WITHIN = re.compile(rf"(?<=[.!?\])⁰¹²³⁴-⁹])[ \t]+(?={_NAMED})", re.IGNORECASE)
# "(References: 1. Smith J. …; 2. …)", "[1: PMID 123; 2: PMID 456]", behind the last sentence or on its own line.
_IN_BRACKETS = re.compile(
    rf"(?:(?<=[.!?\])⁰¹²³⁴-⁹])[ \t]+)?(?P<bracket>[(\[])(?={_NAMED}|1:\s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank: where it stands, how far it is indented, whether a blank one is above it.

    `first` is where the marks of quotation before it begin, if there are any.
    """

    first: int
    start: int
    end: int
    indent: int
    after_blank: bool


def lines_of(text: str) -> list[Line]:
    """List the lines of a text that are not blank; quotation marks of Markdown count as white space."""
    found: list[Line] = []
    last = 0
    for match in _LINE.finditer(text):
        quote = _QUOTE.match(text, match.start(), match.end())
        body = quote.end() if quote and ">" in quote[0] else match.start()
        raw = text[body : match.end()]
        if not raw.strip():
            continue
        start = body + len(raw) - len(raw.lstrip())
        indent = len(raw[: start - body].expandtabs(4))
        between = text[last : match.start()]
        blank = between.replace("\r\n", "\n").count("\n") + between.count("\r\r") > 1 or not found
        first = start if body == match.start() else match.start()
        found.append(Line(first, start, body + len(raw.rstrip()), indent, blank))
        last = match.end()
    return found


def headings_apart(lines: Sequence[Line], text: str) -> list[Line]:
    """Cut the lines within which a reference list begins, as if its heading stood on a line of its own."""
    apart: list[Line] = []
    for line in lines:
        for heading in _HEADING_WITHIN.finditer(text, line.start, line.end):
            apart.append(replace(line, end=heading.start()))
            line = Line(heading.end(), heading.end(), line.end, 0, True)
        if text[line.end - 1] in ")]" and (opened := _last_in_brackets(text, line)):
            if opened.start() > line.start:
                apart.append(replace(line, end=opened.start()))
            line = Line(opened.start("bracket"), opened.end(), line.end, 0, True)
        apart.append(line)
    return apart


def _last_in_brackets(text: str, line: Line) -> re.Match[str] | None:
    """Find the list in brackets that a line ends with: at its start, or behind a sentence."""
    if found := _IN_BRACKETS.match(text, line.start, line.end):
        return found
    behind = [f for f in _IN_BRACKETS.finditer(text, line.start, line.end) if f.start() < f.start("bracket")]
    return behind[-1] if behind else None


def is_rule(raw: str) -> bool:
    """Tell whether a line only separates others: a rule, a fence, a tag, the line under a table's head."""
    return _RULE.fullmatch(raw) is not None
