"""The words of a claim as models read them: markers out, white space and emphasis tidied, nothing added."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from html import unescape

from medassay.models.text.markers.marks import Marker

_BETWEEN_MARKERS = re.compile(r"[\s,;&/–-]*(?:and)?[\s,;]*")
_EMPTY = re.compile(
    r"[(\[]\s*(?:see(?:\s+also)?|e\.g\.,?|cf\.|ref(?:erence)?s?:?|sources?:?)?[\s,;:]*[)\]]", re.IGNORECASE
)
# A star allele, as in "CYP2C19 *2/*17", is no emphasis unless a star closes it: "*2 mg*".
_ALLELE = r"(?<![*\w])\*(?=\d{1,3}(?::\d{2,3})?[A-Zx]?(?:[\s/,;:.)*×]|$))(?![^*\n]*[^\s*/,(]\*(?![\w*]))"
_EMPHASIS = re.compile(
    rf"(?!(?<=[A-Za-z0-9])\*\d)(?!{_ALLELE})(?:\*{{1,3}}(?=\S)|(?<=\S)\*{{1,3}})|(?<!\w)_{{1,3}}"
    rf"(?=\w)|(?<=[\w.!?])_{{1,3}}(?!\w)|`+|~~"
    r"|</?(?:b|i|em|strong|u|p|li|ul|br|span)\b[^<>]{0,100}>"
)
_LEFT_IN_BRACKET = re.compile(r"(?:\s*[,;:|]\s*|\s+)(?=[)\]])|(?<=[(\[])(?:\s*[,;:]\s+|\s+)")
_LATEX = re.compile(r"\\(?:textbf|textit|emph|text|mathrm)\{([^{}\n]{1,200})\}")
_WIDTHLESS = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
# "It helps — PMID: 123.", "It helps, cf. ref. [1]."
_LEADS_TO_A_MARKER = re.compile(r"\s(?:[-–—]{1,2}>?|[→➔⇒])\Z|[,;]?\s(?:(?:see|cf\.?)\s)?[Rr]efs?\.?\Z")
_ENDS = re.compile(r"[\s*_)]*+[.!?。]?[\s*_)]*+\Z")
_DASH_BEHIND_A_MARKER = re.compile(r"[\s*_]*+(?:[-–—]{1,2}|[→➔⇒|:])\s")
_QUOTED = re.compile(r"^(?:[ \t]{0,8}>(?!=|\s?\d)[ \t]?)+", re.MULTILINE)
_SPACE = re.compile(r"\s+")
_ENUMERATOR = re.compile(r"\A(?:\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})\)|\d{1,2}\.)\s+(?=\S)")
_SPACE_BEFORE_STOP = re.compile(r" +(\.{3}|[.,;:!?…](?=[\s)\"'”’]|$)|[。，；！？])")
_DOUBLED_STOP = re.compile(
    r"([,;:])(?:\s*[,;])+|([,;:])\s*(?=[.!?](?:\s|$))|(?<![.])\.(?:\s*\.|(?:\s+\.)+)(?=\s|$)"
)
_STOP_THEN_COMMA = re.compile(r"([.!?])[,;]\Z")


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
        beside = removed_at == position and marker.targets and (marker.words is None or marker.kind != "link")
        kept.append((" " if gap else "") if beside and _BETWEEN_MARKERS.fullmatch(gap) else gap)
        if marker.words is not None:
            kept.append(text[marker.words.start : marker.words.end])
        position = marker.end
        removed_at = None if marker.words is not None else position
    said, rest = "".join(kept), text[position:end]
    removed = removed_at == position
    if removed and _ENDS.match(rest):
        said = said.rstrip(" \t\u00a0*_" if rest.strip() else " \t\u00a0*_,;")
        said = _LEADS_TO_A_MARKER.sub("", said)
    if removed and not said.strip(" \t*_") and (dash := _DASH_BEHIND_A_MARKER.match(rest)):
        rest = rest[dash.end() :]
    raw = said + rest
    return tidy(_QUOTED.sub("", raw) if ">" in raw else raw)


def tidy(raw: str) -> str:
    """Collapse white space, drop emphasis, empty brackets and stops that lost their words."""
    words = raw.replace("\x00", " ").translate(_WIDTHLESS)
    words = _LATEX.sub(r"\1", words) if "\\" in words else words
    words = _EMPHASIS.sub("", words) if any(sign in words for sign in "*_`<~") else words
    words = unescape(words) if "&" in words else words
    if "(" in words or "[" in words:
        words = _LEFT_IN_BRACKET.sub("", _EMPTY.sub(" ", words))
    words = _SPACE_BEFORE_STOP.sub(r"\1", _SPACE.sub(" ", words))
    words = _DOUBLED_STOP.sub(lambda m: m[1] or ("" if m[2] else "."), words)
    return _ENUMERATOR.sub("", _STOP_THEN_COMMA.sub(r"\1", words.strip()).removeprefix(": "))
