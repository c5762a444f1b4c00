"""The words of a claim as models read them: markers out, white space and emphasis tidied, nothing added."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from models.text.markers.marks import Marker

_BETWEEN_MARKERS = re.compile(r"[\s,;&/–-]*(?:and)?[\s,;]*")
_EMPTY = re.compile(
    r"[(\[]\s*(?:see(?:\s+also)?|e\.g\.,?|cf\.|ref(?:erence)?s?:?|sources?:?)?[\s,;:]*[)\]]", re.IGNORECASE
)
# A star allele, as in "CYP2C19 *2/*17", is no emphasis unless a star closes it: "*2 mg*".
_ALLELE = r"(?<![*\w])\*(?=\d{1,3}(?::\d{2,3})?[A-Zx]?(?:[\s/,;:.)*×]|$))(?![^*\n]*[^\s*/,(]\*(?![\w*]))"
_EMPHASIS = re.compile(
    rf"(?!(?<=[A-Za-z0-9])\*\d)(?!{_ALLELE})(?:\*{{1,3}}(?=\S)|(?<=\S)\*{{1,3}})|(?<!\w)_{{1,3}}(?=\w)|(?<=[\w.!?])_{{1,3}}(?!\w)|`+"
    r"|</?(?:b|i|em|strong|u|p|li|ul|br|span)\b[^<>]{0,100}>"
)
_LEFT_IN_BRACKET = re.compile(r"(?:\s*[,;:]\s*|\s+)\)")
_STOP_THEN_COMMA = re.compile(r"([.!?])[,;]\Z")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+(?=[^\d>=])")
_SPACE = re.compile(r"\s+")
_ENUMERATOR = re.compile(r"\A\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})\)\s+(?=\S)")
_SPACE_BEFORE_STOP = re.compile(r" +(\.{3}|[.,;:!?…])(?=[\s)\"'”’]|$)")
_DOUBLED_STOP = re.compile(
    r"([,;:])(?:\s*[,;])+|([,;:])\s*(?=[.!?](?:\s|$))|(?<![.])\.(?:\s*\.|(?:\s+\.)+)(?=\s|$)"
)


def words_of(text: str, start: int, end: int, markers: Sequence[Marker]) -> str:
    """Read text[start:end] without its citation markers; a marker the sentence needs keeps its words."""
    kept: list[str] = []
    position = start
    removed_at: int | None = None
    for marker in markers[bisect_left(markers, start, key=lambda m: m.end) :]:
        if marker.start >= end:
            break
        if marker.start < position:
            continue
        gap = text[position : marker.start]
        if removed_at != position or not _BETWEEN_MARKERS.fullmatch(gap):
            kept.append(gap)
        else:
            kept.append(" ")
        if marker.words is not None:
            kept.append(text[marker.words.start : marker.words.end])
        position = marker.end
        removed_at = None if marker.words is not None else position
    kept.append(text[position:end])
    raw = "".join(kept)
    if ">" in raw and not text[text.rfind("\n", 0, start) + 1 : start].strip():
        raw = _QUOTED_LINE.sub("", raw)
    return tidy(raw)


def tidy(raw: str) -> str:
    """Collapse white space, drop emphasis, empty brackets and stops that lost their words."""
    raw = raw.replace("&nbsp;", " ")
    words = _EMPHASIS.sub("", raw) if any(sign in raw for sign in "*_`<") else raw
    words = _SPACE.sub(
        " ",
        _EMPTY.sub(" ", words.replace("\x00", " "))
        if "(" in words or "[" in words
        else words.replace("\x00", " "),
    )
    words = _LEFT_IN_BRACKET.sub(")", words) if ")" in words else words
    words = _SPACE_BEFORE_STOP.sub(r"\1", words)
    words = _DOUBLED_STOP.sub(lambda m: m[1] or ("" if m[2] else "."), words)
    return _ENUMERATOR.sub("", _STOP_THEN_COMMA.sub(r"\1", words.strip()).removeprefix(": "))
