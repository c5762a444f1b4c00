"""Points that a sentence numbers, each with its own source: "Take (a) aspirin [1]; (b) a statin [2]"."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.marked_clauses import Clause
from medassay.models.text.language.verbs import IMPERATIVES, has_finite_verb
from medassay.models.text.markers.marks import Marker

_POINT = re.compile(
    r"(?<!\S)(?:\((?P<held>[a-h]|\d|[ivx]{1,4})\)|(?P<bare>[a-h]|\d|[ivx]{1,4})[.)])\s+(?=[^\W_])"
)
_COUNTS = ("abcdefgh", "123456789", ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii"))
_JOINS = re.compile(r"[\s,;]+(?:(?:and|or|und|oder|et|ou|y|o|e)\s+)?\Z")
_ENDS = re.compile(r"[\s,;.]*(?:(?:and|or|und|oder|et|ou|y|o|e)\s+)?")
_FEWEST = 2


def numbered_points(text: str, sentence: Span, markers: Sequence[Marker]) -> list[Clause]:
    """Cut a sentence at its points, each with the words before the first; empty unless every point ends in its source.

    What is cited behind the last alone speaks for all of them, so that such a sentence stays whole.
    """
    first = bisect_left(markers, sentence.start, key=lambda m: m.end)
    own = [m for m in markers[first:] if m.start < sentence.end and m.targets and m.words is None]
    if len(own) < _FEWEST:
        return []
    points = _counted([p for p in _POINT.finditer(text, sentence.start, sentence.end) if not _cites(p, own)])
    if len(points) < _FEWEST:
        return []
    lead = Span(sentence.start, _before(text, sentence.start, points[0].start()))
    starts = [sentence.start, *(_before(text, sentence.start, point.start()) for point in points[1:])]
    ends = [*starts[1:], sentence.end]
    if not all(
        _ends_in_its_source(text, point.end(), end, own) for point, end in zip(points, ends, strict=True)
    ):
        return []
    words = text[lead.start : lead.end]
    introduces = any(sign.isalnum() for sign in words)
    return [
        Clause(
            _trim(text, start, end),
            point.end(),
            lead
            if introduces and (start == sentence.start or _needs_lead(words, text[point.end() : end]))
            else None,
        )
        for start, point, end in zip(starts, points, ends, strict=True)
    ]


def _needs_lead(lead: str, said: str) -> bool:
    """Tell whether a point says nothing without the words before the first: it is no clause behind a colon."""
    words = said.split()
    commands = bool(words) and words[0].casefold().strip("*_") in IMPERATIVES
    return commands or not (lead.endswith(":") and has_finite_verb(said))


def _counted(points: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return the points if they count up from the first sign of their kind, else none."""
    signs = [point["held"] or point["bare"] for point in points]
    counts = any(signs == list(series[: len(signs)]) for series in _COUNTS)
    return points if counts and len({bool(point["held"]) for point in points}) == 1 else []


def _cites(point: re.Match[str], markers: Sequence[Marker]) -> bool:
    return any(m.start < point.end() and point.start() < m.end for m in markers)


def _before(text: str, start: int, point: int) -> int:
    """Return where the words before a point end, without the comma and the connective that lead to it."""
    joined = _JOINS.search(text, max(start, point - 12), point)
    return joined.start() if joined else point


def _ends_in_its_source(text: str, start: int, end: int, markers: Sequence[Marker]) -> bool:
    """Tell whether all that text[start:end] cites stands behind its words."""
    inside = [m for m in markers if start <= m.start < end]
    if not inside or not any(sign.isalpha() for sign in text[start : inside[0].start]):
        return False
    at = inside[0].start
    for marker in inside:
        if text[at : marker.start].strip(" ,;"):
            return False
        at = marker.end
    return _ENDS.fullmatch(text, at, end) is not None


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
