"""Formulas as text that says the same: MathML, exponents and indices in one line of Unicode."""

import re
import xml.etree.ElementTree as ET

_SIGNS = "-−–‐‑－"
# A dash within may be a range, 10^(3–5), and no sign.
_EXPONENT = re.compile(rf"[{_SIGNS}]?[0-9+=()ni]*[{_SIGNS}]?")
_INDEX = re.compile(rf"[{_SIGNS}]?[0-9+=()]*[{_SIGNS}]?")
_RAISED = str.maketrans("0123456789+=()ni" + _SIGNS, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁼⁽⁾ⁿⁱ" + "⁻" * len(_SIGNS))
_LOWERED = str.maketrans("0123456789+=()" + _SIGNS, "₀₁₂₃₄₅₆₇₈₉₊₌₍₎" + "₋" * len(_SIGNS))
# Marks, ordinals and what is raised or lowered already.
_MARK = re.compile(r"[^\w]+|[⁰¹²³⁴-⁹₀-₉ⁿⁱ⁺⁻]+|st|nd|rd|th|tm", re.IGNORECASE)
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064\u200b")
_SINGLE = re.compile(r"[^\W\d_]+|[\d.,]+|\([^()]*\)|\W")
_TOKENS = frozenset(("mi", "mn", "mo", "ms", "mtext"))
_SILENT = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_BELOW = frozenset(("msub", "munder"))
_ABOVE = frozenset(("msup", "mover"))
_BOTH = frozenset(("msubsup", "munderover"))


def raised(text: str) -> str:
    """Write an exponent in superscript characters where all of it can be, else as ^(…); marks as they are."""
    bare = text.strip()
    if _EXPONENT.fullmatch(bare):
        bare = bare.translate(_RAISED)
    elif not _MARK.fullmatch(bare):
        bare = f"^({bare})"
    return bare + text[len(text.rstrip()) :]


def lowered(text: str, before: str) -> str:
    """Write an index in subscript characters where all of it can be, else as _(…).

    Letters under what is no number stay as people write them, Cmax and AUCinf.
    """
    bare = text.strip()
    if _INDEX.fullmatch(bare):
        bare = bare.translate(_LOWERED)
    elif not _MARK.fullmatch(bare) and not (bare.isalpha() and not before.isdigit()):
        bare = f"_({bare})"
    return bare + text[len(text.rstrip()) :]


def local_name(element: ET.Element) -> str:
    """Return a tag without namespace or prefix; nothing for a comment."""
    return re.split(r"[}:]", element.tag)[-1] if isinstance(element.tag, str) else ""


def math_text(element: ET.Element) -> str:
    """Return a formula in one line: 3×10⁵, (1/2), √(a+b)."""
    name = local_name(element)
    if name in _SILENT or not name:
        return ""
    if name in _TOKENS:
        return re.sub(r"\s+", " ", "".join(element.itertext()).strip()).translate(_INVISIBLE)
    if name == "mspace":
        return " "
    if name == "mmultiscripts":
        return _multiscripts(element)
    parts = [math_text(child) for child in element]
    if name in ("mtr", "mlabeledtr", "mtable"):
        return (" " if name != "mtable" else "; ").join(parts)
    if name == "mfenced":
        inside = ", ".join(parts)
        return f"{element.get('open', '(')}{inside}{element.get('close', ')')}"
    if name == "msqrt":
        return f"√({''.join(parts)})"
    return _placed(name, parts)


def _placed(name: str, parts: list[str]) -> str:
    """Put together what stands over, under or beside a base."""
    if name == "mfrac" and len(parts) == 2:
        return f"({_single(parts[0])}/{_single(parts[1])})"
    if name == "mroot" and len(parts) == 2:
        return f"{raised(parts[1])}√({parts[0]})"
    if name in _ABOVE and len(parts) == 2:
        return _single(parts[0]) + raised(parts[1])
    if name in _BELOW and len(parts) == 2:
        return _single(parts[0]) + _index(parts[1])
    if name in _BOTH and len(parts) == 3:
        return _single(parts[0]) + _index(parts[1]) + raised(parts[2])
    return "".join(parts)


def _multiscripts(element: ET.Element) -> str:
    """Write an index and an exponent in turn after the base, and those of `mprescripts` before it."""
    sides: list[list[str]] = [[]]
    for child in element[1:]:
        if local_name(child) == "mprescripts":
            sides.append([])
        else:
            sides[-1].append(math_text(child))
    base = math_text(element[0]) if len(element) else ""
    before = sides[1] if len(sides) > 1 else []
    return _scripts(before) + base + _scripts(sides[0])


def _scripts(parts: list[str]) -> str:
    return "".join(_index(part) if place % 2 == 0 else raised(part) for place, part in enumerate(parts))


def _index(text: str) -> str:
    return lowered(text, "0")


def _single(text: str) -> str:
    """Put brackets round what is more than one number, name or sign."""
    return text if not text or _SINGLE.fullmatch(text) else f"({text})"
