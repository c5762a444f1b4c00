"""Inline markup of bibliographic XML as plain text that says the same: 10<sup>-3</sup> becomes 10⁻³.

What Unicode cannot raise or lower keeps its place in writing, 10^(5.5) and x_(2k): glued to its base it would
be another number.
"""

import html
import html.entities
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable

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
_SILENT_ELEMENTS = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_BELOW = frozenset(("msub", "munder"))
_ABOVE = frozenset(("msup", "mover"))
_BOTH = frozenset(("msubsup", "munderover"))

LeftOut = Callable[[ET.Element, str], bool]
_TAG = re.compile(
    r"<!--.*?-->|<(?P<end>/)?(?P<name>[A-Za-z][\w.:-]*)"
    r"(?P<attributes>(?:\s+[\w.:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?P<empty>/)?>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*[\"']([^\"']*)[\"']")
# With its semicolon: in R&D and a&notion nothing is escaped.
_ENTITY = re.compile(r"&(#\d{1,9}|#[xX][0-9a-fA-F]{1,9}|\w+);")
_SPACE = re.compile(r"\s+")
_APART = frozenset(
    "boxed-text br break caption def def-item def-list disp-formula disp-formula-group DispFormula disp-quote fig "
    "fig-group fn label li list list-item p sec statement supplementary-material table-wrap table-wrap-group td "
    "term th title tr verse-group".split()
)
_SILENT = frozenset("graphic inline-graphic media object-id label-alternatives permissions".split())
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


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
    if name in _SILENT_ELEMENTS or not name:
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


def plain(escaped: str) -> str:
    """Return the text of an XML fragment: exponents, indices and formulas kept, tags gone, entities resolved."""
    return squeezed(gathered(_tree(escaped)) if "<" in escaped else unescaped(escaped))


def unescaped(text: str) -> str:
    """Resolve entities, also those that a depositor escaped twice."""
    return _ENTITY.sub(_character, _ENTITY.sub(_character, text)) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    known = entity[1].startswith("#") or f"{entity[1]};" in html.entities.html5
    return html.unescape(entity[0]) if known else entity[0]


def squeezed(text: str) -> str:
    """Bring every run of white space to one blank, and none at the ends."""
    return _SPACE.sub(" ", text).strip()


def gathered(element: ET.Element, left_out: LeftOut = lambda child, name: False) -> str:
    """Return the text of an element and all in it, save the children that are left out."""
    text = element.text or ""
    for child in element:
        name = local_name(child)
        if name and name not in _SILENT and not left_out(child, name):
            text += _written(child, name, text[-1:], element, left_out)
        text += child.tail or ""
    return text


def _written(child: ET.Element, name: str, before: str, parent: ET.Element, left_out: LeftOut) -> str:
    if name == "math":
        return math_text(child)
    if name == "tex-math":
        return "" if any(local_name(other) == "math" for other in parent) else _tex(child)
    inner = gathered(child, left_out)
    if name == "sup":
        return raised(inner)
    if name == "sub":
        return lowered(inner, before)
    return f" {inner} " if name in _APART else inner


def _tex(element: ET.Element) -> str:
    whole = "".join(element.itertext())
    body = _TEX_BODY.search(whole)
    return squeezed((body[1] if body else whole).replace("$", ""))


def _tree(fragment: str) -> ET.Element:
    """Build the tree of a fragment whose tags need not match: one without its other half holds nothing."""
    tags = list(_TAG.finditer(fragment))
    ended = _ended(tags)
    builder = ET.TreeBuilder()
    builder.start("fragment", {})
    at = 0
    for number, tag in enumerate(tags):
        builder.data(unescaped(fragment[at : tag.start()]))
        at = tag.end()
        if tag["name"] and not tag["end"]:
            builder.start(tag["name"], dict(_ATTRIBUTE.findall(tag["attributes"])))
            if number not in ended:
                builder.end(tag["name"])
        elif tag["name"] and number in ended:
            builder.end(tag["name"])
    builder.data(unescaped(fragment[at:]))
    builder.end("fragment")
    return builder.close()


def _ended(tags: list[re.Match[str]]) -> set[int]:
    """Return the numbers of the start and end tags that belong to each other."""
    pairs: set[int] = set()
    still_open: list[int] = []
    open_names: Counter[str] = Counter()
    for number, tag in enumerate(tags):
        if not tag["name"] or tag["empty"]:
            continue
        if not tag["end"]:
            still_open.append(number)
            open_names[tag["name"]] += 1
        elif open_names[tag["name"]]:
            start = still_open.pop()
            while tags[start]["name"] != tag["name"]:
                open_names[tags[start]["name"]] -= 1
                start = still_open.pop()
            open_names[tag["name"]] -= 1
            pairs |= {start, number}
    return pairs
