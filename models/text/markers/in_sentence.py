"""Which markers are words of their sentence: `according to [1]`, `[1] and [2] found that`."""

import re
from dataclasses import replace

from medassay.models.records import Span
from medassay.models.text.markers.marks import Marker

GOVERNS = re.compile(
    r"(?:\b(?:according to|in|by|from|per|of|see|at|via|than|between|both|visit|unlike|versus|vs\."
    r"|(?:compared|consistent|line|agreement) with)"
    r"|(?:\A|[.;:,(]\s|\b(?:the|this|that|in|see|from|of|by|to|per|both|a)\s)(?:stud(?:y|ies)"
    r"|trial|paper|review|article|refs?\.?|references?|sources?|documents?))\s[*_]?\Z",
    re.IGNORECASE,
)
OPENS = re.compile(r"(?:\A|[.!?:]\s|\n)[\s>*_•–-]*\Z")
_CLAUSE_BEGINS = re.compile(r"(?:,\s|\b(?:and|but|while|whereas|although|that)\s)\Z")
DOES = re.compile(
    r"\s(?:also\s|later\s|only\s|further\s)?(?:found|finds?|show(?:s|ed)?|report(?:s|ed)?|observed"
    r"|conclude[sd]?|suggest(?:s|ed)?|state[sd]?"
    r"|argue[sd]?|note[sd]?|describe[sd]?|demonstrate[sd]?|did|does|recommend(?:s|ed)?|confirm(?:s"
    r"|ed)?|indicate[sd]?|say(?:s)?|estimate[sd]?)\b"
)
_ALSO = re.compile(r"\s?(?:,\s?)?(?:and|or|&)?\s?\Z")
ENDS = re.compile(r"[)\]*_]*(?:[.,;:!?)]|\s*\n|\s*\Z|\s[\[(])")
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def with_words(text: str, markers: list[Marker]) -> list[Marker]:
    """Keep the words of a marker that its sentence needs: `according to [1]`, `[1] and [2] found that`."""
    kept: list[Marker] = []
    for marker in markers:
        if marker.words is None and marker.targets and _is_a_part(text, marker, kept[-1] if kept else None):
            marker = replace(marker, words=Span(marker.start, marker.end))
        kept.append(marker)
    return kept


def _is_a_part(text: str, marker: Marker, last: Marker | None) -> bool:
    opener = text[marker.start]
    if marker.kind == "link" or opener in "(【<" and marker.kind != "document" or opener in _SUPERSCRIPTS:
        return False
    before = text[max(0, marker.start - 24) : marker.start]
    if (
        last
        and last.words == Span(last.start, last.end)
        and _ALSO.fullmatch(text[last.end : marker.start][:15] or " ")
    ):
        return True
    if (
        marker.kind == "identifier"
        and opener not in "([<"
        and not (OPENS.search(before) or ENDS.match(text, marker.end))
    ):
        return True
    if opener == "(":
        return bool(OPENS.search(before) and DOES.match(text, marker.end))
    if OPENS.search(before) or _CLAUSE_BEGINS.search(before):
        return bool(
            DOES.match(text, marker.end)
            or (marker.kind != "identifier" and re.match(r"\sand \[\d", text[marker.end : marker.end + 8]))
        )
    return bool(GOVERNS.search(before))
