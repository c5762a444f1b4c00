"""Numbers whose source stands right behind them: `[1] (PMID: 123)`, `[3-5] PMIDs: 1, 2, 3`, with no list anywhere."""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.text.markers.marks import Marker, Target

_BETWEEN = re.compile(r"[ \t]?[(\[]?[ \t]?")
_WIDEST = 4


def with_sources_beside(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Let numbers give way to as many identifiers behind them, and mean the same where they stand again.

    A number that stands beside two different sources means nothing elsewhere.

    Args:
        text: The answer, which has no reference list.
        markers: Its markers, in order, not overlapping.
    """
    means: dict[str, Target | None] = {}
    kept = list(markers)
    for at, (numbers, sources) in enumerate(zip(markers, markers[1:], strict=False)):
        if not _are_the_same(text, numbers, sources):
            continue
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
    gap = sources.start - numbers.end
    return (
        numbers.kind in ("bracket", "superscript")
        and sources.kind in ("identifier", "link")
        and len(numbers.targets) == len(sources.targets) > 0
        and all(t.source_id is None and (t.label or "").isdecimal() for t in numbers.targets)
        and all(t.source_id is not None for t in sources.targets)
        and gap <= _WIDEST
        and _BETWEEN.fullmatch(text, numbers.end, sources.start) is not None
    )


def _meant(target: Target, means: dict[str, Target | None]) -> Target:
    source = means.get(target.label or "") if target.source_id is None else None
    return replace(target, source_id=source.source_id, label=None) if source else target
