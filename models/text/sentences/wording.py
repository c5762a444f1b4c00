"""The words of a claim as models read them: markers out, white space and emphasis tidied, nothing added."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from html import unescape

from medassay.models.text.layout.latex import without_latex
from medassay.models.text.layout.lines import QUOTED
from medassay.models.text.layout.pictures import PICTURE
from medassay.models.text.markers.marks import Marker

_BETWEEN_MARKERS = re.compile(r"[\s,;&/–-]*(?:and)?[\s,;]*")
_EMPTY = re.compile(
    r"[(\[]\s*(?:see(?:\s+also)?|e\.g\.,?|cf\.|ref(?:erence)?s?:?|sources?:?)?[\s,;:]*[)\]]", re.IGNORECASE
)
# A star allele, as in "CYP2C19 *2/*17", is no emphasis unless a star closes it: "*2 mg*".
_ALLELE = r"(?<![*\w])\*(?=\d{1,3}(?::\d{2,3})?[A-Zx]?(?:[\s/,;:.)*×]|$))(?![^*\n]*[^\s*/,(]\*(?![\w*]))"
_EMPHASIS = re.compile(
    rf"(?!(?<=[A-Za-z0-9])\*\d)(?!{_ALLELE})(?:\*{{1,3}}(?=\S)|(?<=\S)\*{{1,3}})|(?<!\w)_{{1,3}}(?=\w)|(?<=[\w.!?])_{{1,3}}(?!\w)|`+|~~"
    r"|</?(?:b|i|em|strong|u|p|li|ul|br|span)\b[^<>]{0,100}>"
)
# Of "[, JAMA 2019]" and "(RR 0.8; )", from which a marker was taken.
_LEFT_IN_BRACKET = re.compile(
    r"(?:\s*[,;:|]\s*|\s+)(?=[)\]])|(?<=[(\[])(?:\s*(?:[,;:]|\|(?![^()\[\]|]*\|))\s+|\s*[-–—]\s+(?=[^\W\d_])|\s+)"
)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5});")
_LATEX = re.compile(r"\\(?:(?:sub){0,2}section\*?|textbf|textit|emph)\{([^{}\n]{1,200})\}")
_WIDTHLESS = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
# "It helps — PMID: 123.", "It helps, cf. ref. [1]." and "PMID: 123 - It helps."
_LEADS_TO_A_MARKER = re.compile(
    r"\s(?:[-–—]{1,2}>?|[→➔⇒])\Z|[,;]?\s(?:(?:see|cf\.?)\s)?[Rr]efs?\.?\Z|\s(?:🔗|📎|📄|🌐|📚|📖|👉)\ufe0f?\Z"
)
_ENDS = re.compile(r"[\s*_)]*+[.!?。]?[\s*_)]*+\Z")
_WIDEST_LEAD = 14
_DASH_BEHIND_A_MARKER = re.compile(r"[\s*_]*+(?:[-–—]{1,2}|[→➔⇒|])\s")
_PASTED_BEHIND = re.compile(r"[/—]|[–-]\w|[*_]{1,3}(?=[\s.,;:!?)]|\Z)")
_STOP_THEN_COMMA = re.compile(r"([.!?])[,;]\Z")
_SPACE = re.compile(r"\s+")
_ENUMERATOR = re.compile(r"\A(?:\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})\)|\d{1,2}\.)\s+(?=\S)")
_SPACE_BEFORE_STOP = re.compile(r" +(\.{3}|[.,;:!?…](?=[\s)\"'”’]|$)|[。，；！？])")
_PICTURES_BEFORE = re.compile(rf"\A(?:{PICTURE})+\s+(?=\S)")
# "Guo 2019 — PMID: 123 — found no effect", without the number.
_DASH_AFTER_DASH = re.compile(r"([–—])(?:\s\1)+(?=\s)")
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
        if marker.words is None and _PASTED_BEHIND.match(text, marker.end):
            gap = gap.rstrip(" ")  # "40 mg [3]/day", "it *lowers [2]* risk"
        beside = removed_at == position and marker.targets and (marker.words is None or marker.kind != "link")
        if not beside or not _BETWEEN_MARKERS.fullmatch(gap):
            kept.append(gap)
        else:
            kept.append(" " if gap else "")
        if marker.words is not None:
            kept.append(text[marker.words.start : marker.words.end])
        position = marker.end
        removed_at = None if marker.words is not None else position
    raw = _without_dashes("".join(kept), text[position:end], removed_at == position)
    if ">" in raw:
        before = text[text.rfind("\n", 0, start) + 1 : start]
        raw = QUOTED.sub("", raw) if not before.strip() or QUOTED.match(before) else raw
    return tidy(raw)


def _without_dashes(said: str, rest: str, removed: bool) -> str:
    """Put what stands before and behind the last marker together, without a dash to it or from it, or "ref."."""
    if removed and _ENDS.match(rest):
        said = said.rstrip(" \t\u00a0*_" if rest.strip() else " \t\u00a0*_,;")
        if dash := _LEADS_TO_A_MARKER.search(said[-_WIDEST_LEAD:]):
            said = said[: len(said) - len(dash[0])]
    if removed and not said.strip(" \t*_") and (dash := _DASH_BEHIND_A_MARKER.match(rest)):
        rest = rest[dash.end() :]
    return said + rest


def tidy(raw: str) -> str:
    """Collapse white space, drop emphasis, empty brackets and stops that lost their words."""
    raw = raw.replace("&nbsp;", " ")
    raw = raw if raw.isascii() else raw.translate(_WIDTHLESS)
    raw = without_latex(raw)
    raw = _LATEX.sub(r"\1", raw) if "\\" in raw else raw
    words = _EMPHASIS.sub("", raw) if any(sign in raw for sign in "*_`<~") else raw
    words = _ENTITY.sub(lambda found: unescape(found[0]), words) if "&" in words else words
    words = _SPACE.sub(
        " ",
        _EMPTY.sub(" ", words.replace("\x00", " "))
        if "(" in words or "[" in words
        else words.replace("\x00", " "),
    )
    words = _LEFT_IN_BRACKET.sub("", words) if ")" in words or "]" in words else words
    words = _SPACE_BEFORE_STOP.sub(r"\1", words)
    words = _DOUBLED_STOP.sub(lambda m: m[1] or ("" if m[2] else "."), words)
    words = _DASH_AFTER_DASH.sub(r"\1", words) if "— —" in words or "– –" in words else words
    words = words if words.isascii() else _PICTURES_BEFORE.sub("", words.strip())
    return _ENUMERATOR.sub("", _STOP_THEN_COMMA.sub(r"\1", words.strip()).removeprefix(": "))
