"""Sources that a list at the end assigns: `Sources used: PMID 123 (claim 1), PMID 456 (claims 2 and 3)`."""

import re
from collections.abc import Sequence

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.sharing import Draft

_SAID = r"(?:claim|statement|sentence|point)s?"
_NUMBERS = r"\d{1,2}(?:(?:,\s?|,?\s(?:and|&)\s|\s?[-–]\s?)\d{1,2}){0,20}"
_BEHIND = re.compile(rf"[\s*_]*[(\[](?:for\s)?{_SAID}\s(?P<numbers>{_NUMBERS})[)\]]", re.IGNORECASE)
_BEFORE = re.compile(rf"\b{_SAID}\s(?P<numbers>{_NUMBERS})[*_]*\s?[:–-][\s*_]*\Z", re.IGNORECASE)
_ONE_OR_MORE = re.compile(r"(?P<low>\d{1,2})(?:\s?[-–]\s?(?P<high>\d{1,2}))?")
_FARTHEST = 60


def assign(text: str, drafts: Sequence[Draft], start: int, end: int) -> None:
    """Give each sentence the sources that name its number, if they count as many sentences as state something.

    Args:
        text: The answer.
        drafts: Its claims, none with a marker of its own.
        start: Where the list at its end begins.
        end: Where the list ends.
    """
    found = atoms(text, start, end)
    targets = (Target(text[a.start : a.end], a.source_id, None, a.start, a.end) for a in found)
    markers = [Marker(target.start, target.end, "identifier", (target,)) for target in targets]
    assigned = [(numbers, marker) for marker in markers if (numbers := _numbers(text, marker))]
    sentences = list(dict.fromkeys(draft.sentence for draft in drafts if draft.reason is None))
    if len(assigned) < len(markers) or max((max(n) for n, _ in assigned), default=0) != len(sentences):
        return
    for numbers, marker in assigned:
        for draft in drafts:
            if draft.reason is None and sentences.index(draft.sentence) + 1 in numbers:
                draft.markers.append(marker)


def _numbers(text: str, marker: Marker) -> set[int]:
    """Read the numbers of the claims that stand beside a source."""
    found = _BEHIND.match(text, marker.end) or _BEFORE.search(
        text, max(0, marker.start - _FARTHEST), marker.start
    )
    if found is None:
        return set()
    runs = ((int(n["low"]), int(n["high"] or n["low"])) for n in _ONE_OR_MORE.finditer(found["numbers"]))
    return {number for low, high in runs for number in range(low, high + 1)}
