"""`(ibid.)` and `(Smith et al., op. cit.)`: the sources of a citation before it, once more."""

import re
from collections.abc import Sequence
from dataclasses import replace

from medassay.models.text.markers.marks import Marker, Target

_IBID = re.compile(
    r"\^?[(\[](?:(?P<who>[^\W\d_][\w'’-]{1,40})(?:\set\sal\.?|\s(?:and|&)\s[^\W\d_][\w'’-]{1,40})?,?\s)?"
    r"[*_]{0,2}(?:ib[ií]d(?:em)?\b|idem\b|ebd\b|ebenda\b|(?:the\s)?same\s(?:review|trial|study|meta-analysis|analysis|paper|article|source|reference|guideline)\b"
    r"|(?P<place>(?:op|loc)\.?\s?cit\b))\.?[*_]{0,2}"
    r"(?:,?\s(?:(?:pp?|S)\.?\s?|§{1,2}\s?|(?:sect(?:ion)?|para|rec(?:ommendation)?|table|fig(?:ure)?|chap(?:ter)?)\.?\s)?"
    r"\d{1,5}(?:\.\d{1,3}){0,4}(?:[-–]\d{1,5})?)?(?:[)\]]|[;,]\s(?P<grade>(?:Class|COR|LOE|Level|Grade)\b[^()\[\]\n]{1,40}[)\]]))",
    re.IGNORECASE,
)
_FARTHEST = 50


def with_repeated(text: str, markers: Sequence[Marker], start: int, end: int) -> list[Marker]:
    """Add the markers that say *the same*, in order; one with nothing before it stays text."""
    found = list(_IBID.finditer(text, start, end))
    if not found:
        return list(markers)
    merged: list[Marker] = []
    rest = list(reversed(markers))
    last: Marker | None = None
    for ibid in [*found, None]:
        while rest and (ibid is None or rest[-1].start < ibid.end()):
            merged.append(rest.pop())
            last = merged[-1] if merged[-1].targets else last
        if ibid is not None and (same := _same(ibid, merged, last)):
            # Of "(ibid.; Class IIa, LOE C)" the grade stays.
            span = (ibid.start() + 1, ibid.start("grade")) if ibid["grade"] else ibid.span()
            targets = tuple(replace(t, start=span[0], end=span[1]) for t in same)
            merged.append(Marker(*span, "bracket", targets))
    return merged


def _same(ibid: re.Match[str], before: Sequence[Marker], last: Marker | None) -> tuple[Target, ...]:
    """Look up what is cited again: the last that names the author, else the last of all, unless it is another's."""
    if ibid["who"]:
        who = ibid["who"].casefold()
        for marker in reversed(before[-_FARTHEST:]):
            for target in marker.targets:
                if target.written.strip("([ ").casefold().startswith(who):
                    return (target,)
    return last.targets if last and not ibid["place"] else ()
