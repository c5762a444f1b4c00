"""Who a marker was written for: a line of markers, a sentence of several clauses, a list with one source."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medassay.models.text.language.reporting import REPORTS
from medassay.models.text.markers.marks import Marker

TAKEN_FROM = r"(?:adapted|modified|reproduced|reprinted|taken|data|figures|numbers) from"
"""How the note below a table leads to its source."""
_NAMES = (
    r"(?!.*\b(?:is|are|was|were|has|have|had|can|may|should|must|will|does?)\b)"
    r"(?-i:[A-Z\d])(?:[\w’'&/.-]+[\s,;]{0,2}){1,6}"
)
"""Up to six words that begin like a name and state nothing."""
# What is left of a line that says no more than where something comes from.
ONLY_MARKERS = re.compile(
    r"[\W_]*+(?:(?:sources?|references?|citations?|evidence|see(?: also)?|refs?|supporting evidence|pmids?"
    rf"|{TAKEN_FROM})"
    r"(?:\s(?:for|of|behind)\s(?:all|both|each|every|the|these|those|this)\b[\w\s-]{0,40})?"
    rf"|(?:(?:sources?|references?)\s?:\s?|{TAKEN_FROM}\s(?:the\s)?){_NAMES}"
    r"|(?:all|both)\s(?:items|points|statements|of (?:it|the|these|this))(?:\sabove)?)?[\W_]*+",
    re.IGNORECASE,
)

_GOES_ON = re.compile(r"[\s*_]*[,;](?!\s*(?:and|or)\s*\Z)\W*[^\W\d_]")
_POINTS = re.compile(r"(?:see|read|cf)\b", re.IGNORECASE)
_DASH = re.compile(r"\s*(?:[—–]|--)")
_A_STUDY = re.compile(
    r"\b(?:reviews?|trials?|stud(?:y|ies)|meta-analys[ei]s|analys[ei]s|RCTs?|cohorts?|guidelines?|surveys?|reports?)\Z",
    re.IGNORECASE,
)
_LONGEST_SUBJECT = 60
_LONGEST_CONNECTIVE = len("although in ")


@dataclass
class Draft:
    """A claim being made; `markers` are its own, `sentence` and `list` say whose markers it may share."""

    start: int
    end: int
    text: str
    reason: str | None = None
    sentence: int = 0
    of_list: int = 0
    fragment: bool = False
    markers: list[Marker] = field(default_factory=list)


def attach(
    markers: Sequence[Marker], added: Sequence[Draft], above: Sequence[Draft], done: Sequence[Draft]
) -> None:
    """Give a line of markers to what it stands under: the sentence before it, or all of the list or block above.

    What has markers of its own keeps to these, unless all of a list has.
    """
    if added:
        same = [d for d in added if d.sentence == added[-1].sentence and not d.markers]
        for draft in same or added[-1:]:
            draft.markers += markers
        return
    everything, lone = list(above), list(above[-1:])
    if above and above[-1].of_list:
        everything = lone = [d for d in done if d.of_list == above[-1].of_list and d.reason is None]
    for draft in [d for d in everything if not d.markers] or lone:
        draft.markers += markers


def share(
    text: str, done: Sequence[Draft], introducing: Mapping[int, Draft], around: Mapping[int, int]
) -> None:
    """Let clauses without a marker share the next one of their sentence, and items the one of their list.

    `introducing` holds the line that introduces each list, `around` the list that it is nested in, by its number.
    """
    for here, after in zip(done[-2::-1], done[:0:-1], strict=False):
        if here.sentence == after.sentence and not here.markers and not _is_the_subject(text, after):
            here.markers = _next_ones(text, after.markers)
    items: dict[int, list[Draft]] = {}
    for draft in done:
        if draft.of_list:
            items.setdefault(draft.of_list, []).append(draft)
    for number, members in items.items():
        given = _given(text, members, _introduced(number, introducing, around))
        for draft in members:
            if not draft.markers:
                draft.markers = list(given)


def _introduced(number: int, introducing: Mapping[int, Draft], around: Mapping[int, int]) -> list[Marker]:
    """Return the markers of the line that introduces a list, or else of the one that introduces the list around it."""
    while number:
        if number in introducing and introducing[number].markers:
            return introducing[number].markers
        number = around.get(number, 0)
    return []


def _next_ones(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Return the markers up to one with a comma and words behind it: "is higher [1], a finding of one trial [2]"."""
    for number, (marker, after) in enumerate(zip(markers, markers[1:], strict=False), start=1):
        if _GOES_ON.match(text, marker.end, after.start):
            return list(markers[:number])
    return list(markers)


def _is_the_subject(text: str, draft: Draft) -> bool:
    """Tell whether a clause speaks of its source: "whereas [2] found no effect" says nothing of what is before it."""
    if not draft.markers or _POINTS.match(draft.text):
        return False
    first = draft.markers[0]
    said = text[draft.start : first.start].rstrip()
    if len(said) <= _LONGEST_SUBJECT and _A_STUDY.search(said) and REPORTS.match(text, first.end):
        return True  # "a 2018 review [2] found no change"
    return first.words is not None and first.start - draft.start <= _LONGEST_CONNECTIVE


def _given(text: str, members: Sequence[Draft], introduced: Sequence[Marker]) -> Sequence[Marker]:
    """Return what a list's items without a marker are given: the introduction's, or those behind the last item.

    What stands behind a dash, `— Di Forti M, Lancet Psychiatry 2019`, says who found the last alone.
    """
    own = [d for d in members if d.markers]
    last_only = own == members[-1:] and members[-1].fragment and len(members) > 1
    last_only = last_only and not all(_DASH.match(text, marker.start) for marker in members[-1].markers)
    return members[-1].markers if last_only and not introduced else introduced
