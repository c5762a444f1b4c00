"""Inline markup of bibliographic XML as plain text that says the same: 10<sup>-3</sup> becomes 10⁻³."""

import html
import re

_EXPONENT = re.compile(r"[0-9+\-−=()ni]+")
_INDEX = re.compile(r"[0-9+\-−=()]+")
_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SUP = re.compile(r"<sup\b[^<>]*>([^<>]*)</sup>")
_SUB = re.compile(r"<sub\b[^<>]*>([^<>]*)</sub>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPACE = re.compile(r"\s+")


def raised(text: str) -> str:
    """Write an exponent in superscript characters where all of it can be, else as it is."""
    bare = text.strip()
    return bare.translate(_RAISED) if _EXPONENT.fullmatch(bare) else text


def lowered(text: str) -> str:
    """Write an index in subscript characters where all of it can be, else as it is."""
    bare = text.strip()
    return bare.translate(_LOWERED) if _INDEX.fullmatch(bare) else text


def plain(escaped: str) -> str:
    """Return the text of an XML fragment: exponents and indices kept, tags gone, entities and spaces resolved."""
    if "<" in escaped:
        escaped = _SUP.sub(lambda m: raised(m[1]), escaped)
        escaped = _SUB.sub(lambda m: lowered(m[1]), escaped)
        escaped = _TAG.sub("", escaped)
    return squeezed(html.unescape(escaped) if "&" in escaped else escaped)


def squeezed(text: str) -> str:
    """Bring every run of white space to one blank, and none at the ends."""
    return _SPACE.sub(" ", text).strip()
