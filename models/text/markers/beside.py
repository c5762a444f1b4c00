"""Numbers whose source stands beside them, with no list anywhere: `[1] (PMID: 123)`, `| [1] | It helps. | 123 |`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from medassay.models.text.markers.marks import Marker, Target

_BETWEEN = re.compile(r"[ \t]?[(\[]?[ \t]?")
_NUMBERED_LINK = re.compile(
    r"(?:\[{1,2}\^?|<a\s[^<>]{1,1400}>(?:<sup>)?\[?)(?P<number>\d{1,3})(?:\]{1,2}\(|\]?</)", re.IGNORECASE
)
_WIDEST = 4
_WIDEST_CELL = 40


def with_sources_beside(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Let numbers give way to as many identifiers behind them, and mean the same where they stand again.

    A number that stands beside two different sources means nothing elsewhere.

    Args:
        text: The answer, which has no reference list.
        markers: Its markers, in order, not overlapping.
    """
    behind = enumerate(zip(markers, markers[1:], strict=False))
    return _with_meanings(
        with_numbered_links(markers),
        [(at, sources) for at, (numbers, sources) in behind if _are_the_same(text, numbers, sources)],
    )


def with_numbered_links(markers: Sequence[Marker], labels: Collection[str] = ()) -> list[Marker]:
    """Let a bare `[1]` mean what the number `[[1]](https://…)` leads to, if all such links lead to the same.

    Args:
        markers: The markers of an answer.
        labels: Those of its reference list, which mean what stands there.
    """
    means: dict[str, Target | None] = {}
    for target in (target for marker in markers for target in marker.targets):
        if target.source_id and (number := _NUMBERED_LINK.match(target.written)):
            if number["number"] in labels:
                continue
            known = means.setdefault(number["number"], target)
            if known is None or known.source_id != target.source_id:
                means[number["number"]] = None
    if not means:
        return list(markers)
    return [replace(marker, targets=tuple(_meant(t, means) for t in marker.targets)) for marker in markers]


def with_sources_in_rows(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Let numbers alone in a cell of a table give way to as many identifiers alone in another cell of the row.

    Args:
        text: The answer, which has no reference list.
        markers: Its markers, in order, not overlapping.
    """
    rows: dict[int, list[int]] = {}
    for at, marker in enumerate(markers):
        if _fills_a_cell(text, marker):
            rows.setdefault(text.rfind("\n", 0, marker.start), []).append(at)
    pairs = [(row[0], markers[row[1]]) for row in rows.values() if len(row) == 2]
    return _with_meanings(markers, [(at, sources) for at, sources in pairs if _fit(markers[at], sources)])


def _with_meanings(markers: Sequence[Marker], pairs: Sequence[tuple[int, Marker]]) -> list[Marker]:
    """Let numbers, by their place, give way to the sources beside them, and mean the same wherever they stand."""
    means: dict[str, Target | None] = {}
    kept = list(markers)
    for at, sources in pairs:
        numbers = markers[at]
        for number, source in zip(numbers.targets, sources.targets, strict=True):
            label = number.label or ""
            known = means.setdefault(label, source)
            if known is None or known.source_id != source.source_id:
                means[label] = None
        kept[at] = replace(numbers, targets=())
    if not means:
        return kept
    return [replace(marker, targets=tuple(_meant(t, means) for t in marker.targets)) for marker in kept]


def _are_the_same(text: str, numbers: Marker, sources: Marker) -> bool:
    return (
        sources.kind in ("identifier", "link")
        and sources.start - numbers.end <= _WIDEST
        and _BETWEEN.fullmatch(text, numbers.end, sources.start) is not None
        and _fit(numbers, sources)
    )


def _fit(numbers: Marker, sources: Marker) -> bool:
    """Tell whether these are bare numbers and as many identifiers."""
    return (
        numbers.kind in ("bracket", "superscript")
        and len(numbers.targets) == len(sources.targets) > 0
        and all(t.source_id is None and (t.label or "").isdecimal() for t in numbers.targets)
        and all(t.source_id is not None for t in sources.targets)
    )


def _fills_a_cell(text: str, marker: Marker) -> bool:
    before = text[max(0, marker.start - _WIDEST_CELL) : marker.start].rstrip(" \t*_")
    after = text[marker.end : marker.end + _WIDEST_CELL].lstrip(" \t*_")
    return before.endswith("|") and after.startswith("|")


def _meant(target: Target, means: dict[str, Target | None]) -> Target:
    source = means.get(target.label or "") if target.source_id is None else None
    return replace(target, source_id=source.source_id, label=None) if source else target
