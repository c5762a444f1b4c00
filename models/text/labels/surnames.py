"""How surnames are compared: without case, accents, particles or a possessive `'s`."""

import re
import unicodedata

_LETTERS = str.maketrans("’‘ʼ´`‐‑øØłŁđĐı", "'" * 5 + "--oOlLdDi")
_POSSESSIVE = re.compile(r"(?<=\w)'s?\Z")
_STATE = re.compile(r"^(?:u\.?\s?s\.?(?:\s?a\.?)?|u\.?\s?k\.?)\s(?=\w{3})")
_PARTICLES = re.compile(
    r"^(?:(?:de|van|von|der|den|ter|ten|dos|da|du|di|del|della|la|le|al|el|zu|vom)\s)+(?=\w)"
)


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
