"""Signs of a table's notes: `| Moderate¹ |` over a line `¹ Downgraded for imprecision.` cites no reference 1."""

import re
from collections.abc import Iterator, Sequence

from medassay.models.text.labels.forms import PLAIN_DIGITS
from medassay.models.text.layout.blocks import Block
from medassay.models.text.markers.marks import Marker

_SIGN = r"(?:[⁰¹²³⁴-⁹]{1,2}|<sup>\d{1,2}</sup>)"
_SIGNS = re.compile(rf"{_SIGN}(?:[ ]?[,;˒][ ]?{_SIGN}){{0,9}}")
_OPENS = rf"(?P<sign>{_SIGN})[ \t]*[*_]{{0,3}}(?=[^\W_])"
_FIRST = re.compile(rf"[ \t>*_]*{_OPENS}")
_NEXT = re.compile(rf"(?:^[ \t>*_]*|(?<=[.;])[ \t]+){_OPENS}", re.MULTILINE)


def note_signs(text: str, body: Sequence[Block]) -> Iterator[Marker]:
    """Find the raised numbers that the lines right below a table explain, there and in its rows: they point nowhere.

    Args:
        text: The answer.
        body: Its blocks outside reference lists, in order.
    """
    rows: list[Block] = []
    notes: list[re.Match[str]] = []
    for block in body:
        if block.kind in ("row", "header_row"):
            if notes:
                yield from _signs(text, rows, notes)
                rows, notes = [], []
            rows.append(block)
        elif block.kind != "rule" and rows:
            if first := _FIRST.match(text, block.content, block.end):
                notes += [first, *_NEXT.finditer(text, first.end(), block.end)]
            else:
                yield from _signs(text, rows, notes)
                rows, notes = [], []
    yield from _signs(text, rows, notes)


def _signs(text: str, rows: Sequence[Block], notes: Sequence[re.Match[str]]) -> Iterator[Marker]:
    explained = {sign for note in notes for sign in _numbers(note["sign"])}
    for row in rows if explained else ():
        for found in _SIGNS.finditer(text, row.start, row.end):
            if explained.issuperset(_numbers(found[0])):
                yield Marker(found.start(), found.end(), "superscript", ())
    for note in notes:
        yield Marker(*note.span("sign"), "superscript", ())


def _numbers(signs: str) -> list[str]:
    return re.findall(r"\d+", signs.translate(PLAIN_DIGITS))
