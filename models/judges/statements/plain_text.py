"""An answer without its typography, which a small model takes for a sign of quality."""

import re
import unicodedata

_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t].*$\n?", re.MULTILINE)
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*+•‣◦·▪]|\d{1,2}[.)])[ \t]+(?=\S)", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")
_SPELT_APART = re.compile(r"(?<!\w)(?:[^\W\d_][ \t]+){7,}[^\W\d_](?!\w)")
_CIPHER = re.compile(r"(?<!\S)(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/=_-]{28,}(?!\S)")
_LABEL = re.compile(
    r"((?<=[.!?])[ \t]+|^[ \t]*)(?:aim|answer|background|conclusions?|explanation|findings?|interpretation|key message|"
    r"methods?|note|objective|results?|summary)[ \t]*:[ \t]*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_OPENER = re.compile(
    r"(?P<before>(?<=[.!?])[ \t]+|^[ \t]*)(?P<frame>(?:[^\W\d]+[ '’-]){0,7}[^\W\d]+,[ \t]*)?"
    r"(?:yes|no)\b[ \t]*[.,:;!–—][ \t]*(?P<first>\S)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING_QUESTION = re.compile(r"(?<=[.!?\]\)])(?:\s+[^.!?]*\?)+\s*$")
_TAG_QUESTION = re.compile(
    r",\s+(?:you know|you see|right|okay|ok|no|yes|eh|huh|don['’]t you think|"
    r"(?:is|are|do|does|did|has|have|was|were|can|could|should|will|would)(?:n['’]t)?\s+(?:it|he|she|they|you|we|that|this))\?",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|(?<=[.!?])\s+|\n)\W*\w")
_FEWEST_LETTERS = 20
_MOST_CAPITALS = 0.7


def plain_text(text: str) -> str:
    """Return a text without headings, labels, list marks, emphasis, pictures, ciphers, and capitals throughout.

    An opening "Yes," or "No," of a sentence is left out, also behind "Undoubtedly," or "As for the dose,": the model
    would repeat it instead of answering the question. So is a question that the text ends with: the model would answer
    that one; "…, isn't it?" asks nothing.
    """
    text = _HEADING.sub("", text) or text
    text = _EMPHASIS.sub(r"\2", _LIST_MARK.sub("", text))
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("So", "Sk"))
    text = _LABEL.sub(r"\1", _CIPHER.sub("", _SPELT_APART.sub("", text)))
    letters = [c for c in text if c.isalpha()]
    if len(letters) >= _FEWEST_LETTERS and sum(c.isupper() for c in letters) > _MOST_CAPITALS * len(letters):
        text = _SENTENCE_START.sub(lambda start: start.group().upper(), text.lower())
    text = _TAG_QUESTION.sub(".", _OPENER.sub(_opened, text))
    return _CLOSING_QUESTION.sub("", text.strip())


def _opened(found: re.Match[str]) -> str:
    """Begin a sentence without its "Yes,"."""
    if found["frame"]:
        return f"{found['before']}{found['frame']}{found['first']}"
    return f"{found['before']}{found['first'].upper()}"
