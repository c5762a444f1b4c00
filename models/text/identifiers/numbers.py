"""The number of an identifier: whole where people or programs wrote it in groups, none where it goes on.

`18 765 432`, `18.765.432` and `1.8765432E7` are 18765432; `1.8E+07` lost digits, `1876543O` has a letter, `1876 5432`
may be two. Cut where its first digits end, each would be the number of another article.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from medassay.models.text.identifiers.ends import UNSEEN, trim_tail

NumberScheme = Literal["pmid", "pmcid", "nct", "isrctn", "drks", "umin", "nbk"]

_LENGTHS: dict[NumberScheme, tuple[int, int]] = {
    "pmid": (1, 8), "pmcid": (1, 9), "nct": (8, 8), "isrctn": (8, 8), "drks": (8, 8), "umin": (9, 9), "nbk": (4, 7),
}  # fmt: skip
"""The fewest and most digits of a number; zeros before a PMID or PMCID are not counted."""
_THIN = r"[\u00a0\u2000-\u200a\u202f\u205f~]|&(?:nbsp|thinsp|ensp|emsp|#160|#8201|#8239);|\\,"
_BLANK = rf"(?: |{_THIN})"
_GROUPED = (
    rf"[1-9]\d{{0,2}}(?:(?:,\d{{3}}){{2,}}|(?:\.\d{{3}})+|(?:['’‘`´]\d{{3}})+|(?:[·˙]\d{{3}})+|(?:_\d{{3}})+"
    rf"|(?:{_BLANK}\d{{3}}){{2,}}|(?:{_THIN})\d{{3}})"
)
"""Groups of thousands. Two with a comma or a plain blank between them may be two short numbers: `222,333`."""
_PLAIN = re.compile(rf"\d(?:[{UNSEEN}]*\d)*")
_SCIENTIFIC = re.compile(r"(\d+(?:[.,]\d+)?)(?:[eE]|\s?[x×*]\s?10\s?\^?)([+-]?\d{1,3})")
_OF_ANY_LENGTH = (re.compile(_GROUPED), _SCIENTIFIC, _PLAIN)
_ALONE = (re.compile(rf"{_GROUPED}|[1-9]\d{{0,2}}(?:,|{_BLANK})\d{{3}}"), _SCIENTIFIC, _PLAIN)
"""Of the schemes that have no short numbers, and so no lists of them."""
_OF_ONE_LENGTH = (re.compile(rf"\d{{2,}}(?:(?:{_BLANK}|[,.'’‘`´·-])\d{{2,}})+"), _PLAIN)
_NO_FRACTION = re.compile(r"[.,]0{1,6}(?![\d.,])")
_VERSION = re.compile(r"(?:\.\d{1,2}|v\d{1,2})(?![\d.,])", re.IGNORECASE)
_LETTER = r"[^\W\d_\u0e00-\u1fff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uffdc⁰¹²³⁴-⁹₀-₉ªº]"
"""Of a script with blanks between words; a letter of another script begins the next word."""
_NEXT_WORD = re.compile(
    r"(?:PMC\s?IDs?|PMIDs?|PMC\s?\d|NCT\d|doi\b|https?:|www\.|pubmed|epub|free\b|full\b|review\b|accessed|retrieved"
    r"|published|available|and\b)",
    re.IGNORECASE,
)
"""What stands right behind an identifier where the fields of a page were copied without blanks."""
_NEXT_NUMBER = re.compile(r"(?:[,/‐‑–−-]|\.(?=\d{7,8}))\d{5,8}(?!\d)|\.\d{1,3}\.\s")
"""Another number, or that of the next entry: `12345678,23456789`, `12345678.2. Lee K`."""
_CONTINUED = re.compile(
    rf"{_LETTER}|(?:[{UNSEEN}]+|[.'’‘`´·˙_+/‐‑–−-]|…|\.\.\.|\s?[x×*]\s?(?=10))[{UNSEEN}]*\d|\d|%|\?\?|#\B|\*{{4}}"
)
_SHORT_CONTINUED = re.compile(r"…|\.\.\.|,\d")
"""What cuts off a number that has not all digits, or goes on with the next group."""
_NEXT_GROUP = re.compile(
    rf"(?P<comma>{_BLANK}?,{_BLANK}?)?{_BLANK}?(?P<digits>\d+)(?P<last>\W{{0,2}}(?:\Z|[)\]\n]))?"
)
_TOKEN = re.compile(
    rf"[^\s()\[\]{{}}<>\"“”;|]{{1,40}}(?:\s[x×*]\s?10\S{{0,4}})?(?:{_BLANK}?,?{_BLANK}?\d[\d.,]*){{0,4}}"
)
_SURE = 7
"""Digits of a number that is whole even if a blank and digits follow."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text: where it ends, and its digits; None where what stands there is not the whole of one."""

    end: int
    digits: str | None


def number_at(text: str, at: int, stop: int, scheme: NumberScheme, *, alone: bool = False) -> Number:
    """Read the number whose first digit stands at a position.

    `alone` says that no list of numbers can stand there, so that `765,432` is one.
    """
    fewest, most = _LENGTHS[scheme]
    fixed = fewest == most
    for reading in _OF_ONE_LENGTH if fixed else _ALONE if alone else _OF_ANY_LENGTH:
        found = reading.match(text, at, stop)
        digits = _all_digits(found) if found else ""
        counted = digits if fixed else digits.lstrip("0")
        if found is None or not fewest <= len(counted) <= most or len(digits) > most + 4:
            continue
        end = found.end()
        tail = _NO_FRACTION.match(text, end, stop) or (scheme == "pmcid" and _VERSION.match(text, end, stop))
        end = tail.end() if tail else end
        if is_ended(text, end, stop, len(digits)):
            return Number(end, digits)
    token = _TOKEN.match(text, at, stop)
    return Number(at + len(trim_tail(token[0])) if token else at + 1, None)


def is_ended(text: str, at: int, stop: int, n_digits: int) -> bool:
    """Tell whether a number of so many digits ends here: nothing there continues a number or a word."""
    if _NEXT_WORD.match(text, at, stop) or (n_digits > 3 and _NEXT_NUMBER.match(text, at, stop)):
        return True
    if _CONTINUED.match(text, at, stop) or (n_digits < _SURE and _SHORT_CONTINUED.match(text, at, stop)):
        return False
    group = _NEXT_GROUP.match(text, at, stop)
    if group is None:
        return True
    if group["comma"]:
        return n_digits > 3 or len(group["digits"]) != 3
    if n_digits == _SURE:
        return len(group["digits"]) > 1 or group["last"] is None
    return n_digits > _SURE or n_digits + len(group["digits"]) > 9


def _all_digits(found: re.Match[str]) -> str:
    """Return the digits of a number; none of `1.8E+07`, whose last ones were rounded away."""
    if found.re is not _SCIENTIFIC:
        return re.sub(r"\D", "", re.sub(r"&#?\w+;", "", found[0]))
    value = Decimal(f"{found[1].replace(',', '.')}E{found[2]}")
    exponent = value.as_tuple().exponent
    whole = isinstance(exponent, int) and exponent <= 0 and value == value.to_integral_value()
    return str(int(value)) if whole else ""
