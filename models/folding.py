"""Texts as a keyboard would have them: what typesetting puts in the place of plain letters, hyphens and spaces.

The text of a PDF has "eﬃcacy" in one sign for three letters, words broken by hyphens that nobody sees, and spaces
of many widths. Superscripts, fractions, dashes, signs of units and accents say something, so they stay.
"""

import re
import unicodedata
from dataclasses import dataclass

from medassay.models.records import Span

_LIGATURES = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_LETTERS = _LIGATURES | {"ſ": "s"}
_HYPHENS = "\u2010-\u2012\ufe63\uff0d"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_FOLDED = re.compile(
    rf"(?P<unseen>\u00ad[ \t]*\r?\n[ \t]*|[{_UNSEEN}])|(?P<space>[{_SPACES}])|(?P<hyphen>[{_HYPHENS}])|"
    rf"(?P<letters>[{''.join(_LETTERS)}])|(?P<accented>[A-Za-z][\u0300-\u036f]+)"
)
_PLAIN = {"unseen": "", "space": " ", "hyphen": "-"}


@dataclass(frozen=True, slots=True)
class Folded:
    """A text that was folded, and where each of its characters stands in the original; None where nothing was."""

    text: str
    places: tuple[int, ...] | None = None

    def original(self, span: Span) -> Span:
        """Return where a span of the folded text, with something in it, stands in the original."""
        if self.places is None:
            return span
        return Span(self.places[span.start], self.places[span.end - 1] + 1)


def folded(text: str) -> Folded:
    """Fold ligatures, the long s, hyphens and spaces of all widths, join accents, and leave out what nobody sees.

    A text without any of these is returned as it is, byte for byte.
    """
    if text.isascii() or not _FOLDED.search(text):
        return Folded(text)
    parts: list[str] = []
    places: list[int] = []
    upto = 0
    for found in _FOLDED.finditer(text):
        plain = _plain(found)
        parts += [text[upto : found.start()], plain]
        places += [*range(upto, found.start()), *[found.start()] * len(plain)]
        upto = found.end()
    parts.append(text[upto:])
    places += range(upto, len(text))
    return Folded("".join(parts), tuple(places))


def _plain(found: re.Match[str]) -> str:
    if found.lastgroup == "letters":
        return _LETTERS[found[0]]
    return (
        unicodedata.normalize("NFC", found[0])
        if found.lastgroup == "accented"
        else _PLAIN[str(found.lastgroup)]
    )
