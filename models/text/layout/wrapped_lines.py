"""Lines that were wrapped: where a line goes on with the one above it, and where it begins something of its own."""

import re

from medassay.models.records import Span
from medassay.models.text.layout.pictures import PICTURE

ENDED = re.compile(r"[.!?。！？…:;][\"'”’)\]*_»†‡§¶]*(?:[ \t]*(?:\[[^\]\n]{0,80}\]|[⁰¹²³⁴-⁹]+))*[ \t]*\Z")
"""How words end that nothing need follow."""
_NUMBERS = r"\d[\d,;\s–-]{0,40}"
_CITES = re.compile(
    rf"(?:\[\^?[\w][^\[\]\n]{{0,80}}\](?:\([^()\s]{{1,300}}\))?|【[^】\n]{{1,80}}】|\({_NUMBERS}\)|[⁰¹²³⁴-⁹]{{1,6}}"
    rf"|\((?:PMID|doi)\b[^()\n]{{1,80}}\)|<sup>{_NUMBERS}</sup>)[ \t*_]*\Z",
    re.IGNORECASE,
)
# "eGFR 30–60: …" and "p53 is …" begin something.
_CONTINUES = re.compile(r"[ \t]*(?![a-z]{1,2}[A-Z][\w-]|p\d\d)[a-zàâäéèêëîïôöùûüß(,;–—-]")
_BOLD = re.compile(r"[ \t]*(?:\*\*|__)[A-Z\d]")
_BOLD_LABEL = re.compile(r"[ \t]*(\*\*|__)[^*_\n]{1,80}(?::\1|\1:)")
_LABEL = re.compile(r"[ \t]*(?:[A-Z][\w/()-]*(?: [\w/()-]+){0,3}):[ \t]+\S")
_PICTURED = re.compile(rf"[ \t]*(?:{PICTURE})+[ \t]*")
_OPEN_BRACKET = re.compile(r"(?:[\[(][^\[\]()]{0,200})\Z")
_CLOSES_BRACKET = re.compile(r"[^\[\]()]{0,200}[\])]")
# "for at least" over "6–12 hours before surgery"
_LACKS_A_QUANTITY = re.compile(
    r"\b(?:at (?:least|most)|up to|(?:more|less|fewer|greater|lower|higher) than|by|of|at|every|within|for|after|about"
    r"|over|under|approximately|between|from|is|was|were|are)[ \t]*\Z"
)
_QUANTITY = re.compile(r"[ \t]*[<>≥≤~]?\d[\d.,]*(?:[ \t]?(?:[–-]|to)[ \t]?\d[\d.,]*)?[ \t]?(?:%|[a-zµ°])")
_WIDTH = 60


def alike(text: str, above: Span, line: Span) -> bool:
    """Tell whether two lines begin alike: both with a label, or both in bold type."""
    return any(
        shape.match(text, above.start, above.end) and shape.match(text, line.start, line.end)
        for shape in (_LABEL, _BOLD)
    )


def behind_picture(text: str, start: int, end: int) -> int:
    """Say where a line's words begin behind a picture such as 💊 or 1️⃣."""
    pictured = _PICTURED.match(text, start, end)
    return pictured.end() if pictured and pictured.end() < end else start


def continues(text: str, line: Span) -> bool:
    """Tell whether a line begins as only the middle of a sentence does: in lower case."""
    return _CONTINUES.match(text, line.start, line.end) is not None


def is_wrapped(text: str, above: Span, line: Span) -> bool:
    """Tell whether a line goes on with the paragraph above it.

    It does in lower case, within a bracket, with a quantity behind "at least", and where the last line is long and has
    no end: no full stop, and no citation before a capital. What begins with a picture or a bold label, or
    as the paragraph does, is no part of it.
    """
    last = max(above.start, text.rfind("\n", above.start, above.end) + 1)
    tail = text[max(last, above.end - 400) : above.end]
    if continues(text, line):
        return True
    if _OPEN_BRACKET.search(tail) and _CLOSES_BRACKET.match(text, line.start, line.end):
        return True
    if _LACKS_A_QUANTITY.search(tail) and _QUANTITY.match(text, line.start, line.end):
        return True
    if ENDED.search(tail):
        answers = tail.rstrip("*_ \t").endswith("?") and line.end - line.start < _WIDTH
        return not tail.rstrip().endswith(":") and not (
            answers and not ENDED.search(text, line.start, line.end)
        )
    if above.end - last < _WIDTH or _CITES.search(tail):
        return False
    begins = _PICTURED.match(text, line.start, line.end) or _BOLD_LABEL.match(text, line.start, line.end)
    return not begins and not alike(text, above, line)
