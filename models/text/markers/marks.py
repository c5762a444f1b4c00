"""What a citation marker is, and how labels of reference lists are compared."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from models.records import Span

MarkerKind = Literal["identifier", "link", "bracket", "superscript", "author_year", "document", "named"]

# What a footnote is called where it has no number.
NOTE_SYMBOL = r"[†‡§¶]{1,3}"
WORK = "work:"
"""What a label begins with that is the name of a work."""
PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# Superscripts that lost their height when they were copied: "no difference.1,2 However …".
FLATTENED = re.compile(
    r"(?<=[a-z)\]%][.])\d{1,3}(?:[ ]?[,–-][ ]?\d{1,3}){0,20}(?=\s+[A-Z(“\"*]|[ \t]*(?:\n|\Z))"
)
_LONGEST_LABEL = 200
_LETTERS = str.maketrans("’‘ʼ´`‐‑øØłŁđĐı", "'" * 5 + "--oOlLdDi")
_POSSESSIVE = re.compile(r"(?<=\w)'s?\Z")
_STATE = re.compile(r"^(?:u\.?\s?s\.?(?:\s?a\.?)?|u\.?\s?k\.?)\s(?=\w{3})")
_PARTICLES = re.compile(
    r"^(?:(?:de|van|von|der|den|ter|ten|dos|da|du|di|del|della|la|le|al|el|zu|vom)\s)+(?=\w)"
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
    if symbol := re.fullmatch(rf"\s*({NOTE_SYMBOL})\s*", raw):
        return symbol[1]
    label = raw.translate(PLAIN_DIGITS).strip(" \t\r\n[](){}【】.:†^").casefold()
    if len(label) > _LONGEST_LABEL:
        return label
    if place := re.fullmatch(r"(\d{1,3}:\d{1,3})†.*", label):
        return place[1]
    if named := re.fullmatch(
        r"(?:ref(?:erence)?|source|citation|cite|doc(?:ument)?|passage|context|snippet|abstract|chunk|excerpt)?s?\.?[\s:_#-]*(\d+)",
        label,
    ):
        return str(int(named[1]))
    return label


def author_label(names: str, year: str) -> str:
    """Name an entry of a reference list by its first author's surname and year: `smith 2020`."""
    first = re.split(r",|\s(?:and|&|et|und|u\.)\s", names.strip(), maxsplit=1)[0]
    return f"{surname_of(first)} {year.casefold()}"


def folded(name: str) -> str:
    """Fold what people leave out of names: case, diacritics, the shape of apostrophes and hyphens."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS)).casefold()
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def surname_of(name: str) -> str:
    """Bring a surname to the form that all are compared in: lists and texts differ in whether they write `van der`."""
    plain = _STATE.sub("", _POSSESSIVE.sub("", folded(name).strip(" .")))
    return _PARTICLES.sub("", plain) or plain
