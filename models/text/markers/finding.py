"""Citation markers: every way in which an answer points to a source, and the lookalikes that do not."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from html import unescape

from medassay.models.records import Span
from medassay.models.text.identifiers.misshapen import misshapen
from medassay.models.text.identifiers.reading import Atom, atoms, pmid_id
from medassay.models.text.labels.forms import PLAIN_DIGITS
from medassay.models.text.labels.supplied_names import NOBODY, SuppliedNames
from medassay.models.text.markers.beside import with_numbered_links, with_sources_beside
from medassay.models.text.markers.citation_keys import citation_keys, raised_numbers, site_chips, tool_tokens
from medassay.models.text.markers.entry_parts import with_entry_parts
from medassay.models.text.markers.flattened import flattened_numbers, lone_signs
from medassay.models.text.markers.groups import bracket_markers
from medassay.models.text.markers.ibid import with_repeated
from medassay.models.text.markers.kept_words import with_kept_words
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.links import anchors, links, links_by_label
from medassay.models.text.markers.lookalikes import is_superscript_of_its_word, unit_exponent
from medassay.models.text.markers.marks import Marker, Target, identifier
from medassay.models.text.markers.named_sources import source_lines
from medassay.models.text.markers.narratives import narratives
from medassay.models.text.markers.retrieved import passages_spoken_of
from medassay.models.text.markers.sources_in_rows import dashed_works, headed_works
from medassay.models.text.markers.supplied_documents import documents_spoken_of
from medassay.models.text.markers.tags import cite_tags, empty_tags, statement_tags
from medassay.models.text.references.entries.addresses import (
    is_a_front_page,
    is_a_front_page_of_nobody,
    is_a_search,
    leads_nowhere,
)

_RAISED = r"(?:[⁰¹²³⁴-⁹]|&sup[123];|&#(?:17[89]|185|830[4-9]|831[0-3]);){1,12}"
_SUPERSCRIPT = re.compile(rf"{_RAISED}(?:[\s,;˒ʼᐟ’،⸴‚·–—‐‑⁻-]{{1,2}}{_RAISED}){{0,60}}")
_PMID_RUN = re.compile(
    r"\bPMIDs?\b[\s:：#=*_]{0,6}\d{1,8}(?:\s?(?:[,;&，；、]|,?\sand)\s?\d{5,8}(?!\d)){1,60}"
    r"|^[ \t>*_]{0,6}(?:citations?|references?|sources?|articles?)(?: (?:used|cited|consulted))?[*_]{0,3}:[ \t*_]{0,6}"
    r"(?<!\d)[1-4]\d{7}(?:[,;]\s?[1-4]\d{7}){0,60}(?=[.*_]{0,3}[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_ATTRIBUTES = re.compile(
    r"(?:\b(?:sources?|ref(?:erence)?s?|quelle)\s?:|\baccording to)[\s*_<\[(]*\Z", re.IGNORECASE
)
_SELLS = re.compile(
    r"\b(?:book|shop|order|buy|sign up|subscribe|register|call|appointments?)\b[^.\n]{0,30}\Z", re.IGNORECASE
)
_TO_BUY = re.compile(
    r"[)\]]?\s*(?:to|and|for)\s(?:book|shop|order|buy|sign up|subscribe|register|schedule|make|get|appointments?)\b",
    re.IGNORECASE,
)
_SEARCHES = re.compile(
    r"\b(?:search(?:ed|ing)?|queried|scanned|looked (?:in|through)|(?:and|or|,)|in|on|of|from)\s\Z",
    re.IGNORECASE,
)
_OPENS = re.compile(r"(?:\A|[.!?:]\s|\n[ \t>*-]*)\Z")
_DOES = re.compile(r"\s[a-z]")
# What stands before an identifier and says of which kind it is; taken out with it.
_KIND = re.compile(
    r"(?:\b(?:doi|pmids?|pmcid|pmc|pubmed|url|link)\s?[:：]"
    r"|(?<=[.!?]\s)[*_]{0,3}(?:sources?|ref(?:erence)?s?|citations?)[*_]{0,3}:[*_]{0,3}|\bavailable\s(?:online\s)?(?:at|from)\s?:"
    r"|\b(?-i:Available)\s(?:online\s)?(?:at|from))\s{0,2}\Z",
    re.IGNORECASE,
)
_FARTHEST_KIND = 30
_PAGES_BEHIND = re.compile(
    r":\d{1,4}(?:[–-]\d{1,4})?(?=\s|\Z)(?<!:\d)|:\s\d{1,4}[–-]\d{1,4}(?=\s+[A-Z]|\s*\Z)"
)
_EMPHASIS_BEFORE = re.compile(r"(?<![^\s.!?])(?:\*{1,3}|_{1,3})\Z")
_DASH = re.compile(r"\s?(?:<sup>)?[-–—](?:</sup>)?\s?", re.IGNORECASE)
_WIDEST_DASH = 15


def find_markers(
    text: str,
    labels: Collection[str] = (),
    documents: SuppliedNames = NOBODY,
    start: int = 0,
    end: int | None = None,
) -> list[Marker]:
    """Find all markers of text[start:end], in order, not overlapping.

    Args:
        text: The answer.
        labels: Normalised labels of its reference list (`normalise_label`, and `surname year` for authors).
        documents: The names of supplied documents.
        start: Where to begin.
        end: Where to stop.

    Work is linear in the length of the text: groups are at most 600 characters long and four deep.
    """
    stop = len(text) if end is None else end
    reader = LabelReader(text, frozenset(labels), documents, start, stop)
    by_label = links_by_label(text, start, stop)
    linked = outermost([*links(text, start, stop), *by_label, *anchors(text, start, stop)])
    linked = [replace(marker, targets=()) if _only_invites(text, marker) else marker for marker in linked]
    linked = [_as_what_was_searched(text, marker) for marker in linked]
    alone = (_single(text, atom) for atom in atoms(text, start, stop) if not _inside(linked, atom.start))
    single = [marker for marker in alone if not _only_invites(text, marker)]
    single += [
        _untraceable(text, *span) for span in misshapen(text, start, stop) if not _inside(linked, span[0])
    ]
    single, linked = ([_with_kind(text, marker, start) for marker in found] for found in (single, linked))
    parts = sorted([*linked, *single], key=lambda marker: marker.start)
    brackets = _ranges_closed(text, bracket_markers(reader, parts, start, stop), reader)
    raised = [*_superscripts(reader, start, stop), *flattened_numbers(reader, start, stop)]
    raised += [*raised_numbers(reader, start, stop), *lone_signs(reader, start, stop)]
    raised += [*tool_tokens(reader, start, stop), *site_chips(reader, start, stop)]
    for tags in (cite_tags, empty_tags, statement_tags):
        raised += tags(reader, start, stop)
    named = [*narratives(reader, start, stop), *citation_keys(reader, start, stop)]
    named += [_with_kind(text, run, start) for run in _runs(text, start, stop)]
    named += [*passages_spoken_of(reader, start, stop), *documents_spoken_of(reader, start, stop)]
    named += [
        *source_lines(reader, start, stop),
        *dashed_works(reader, start, stop),
        *headed_works(text, start, stop),
    ]
    once = outermost([_with_emphasis(text, marker) for marker in (*brackets, *parts, *raised, *named)])
    if reader.labels:
        once = with_numbered_links(once, reader.labels)
    else:
        once = with_sources_beside(text, once)
    once = with_entry_parts(once, reader.labels)
    return with_kept_words(text, with_repeated(text, once, start, stop))


def _runs(text: str, start: int, end: int) -> Iterator[Marker]:
    """Find `PMIDs: 12345678, 23456789` that no bracket holds."""
    for match in _PMID_RUN.finditer(text, start, end):
        targets = [
            Target(n[0], pmid_id(n[0]), None, match.start() + n.start(), match.start() + n.end())
            for n in re.finditer(r"\d+", match[0])
        ]
        yield Marker(match.start(), match.end(), "identifier", tuple(targets))


def _single(text: str, atom: Atom) -> Marker:
    """Make a marker of an identifier, the angle signs around it included."""
    wrapped = text[atom.start - 1 : atom.start] == "<" and text[atom.end : atom.end + 1] == ">"
    tagged = text[atom.start - 1 : atom.start] == "#" and atom.scheme != "url"  # "#PMID12345678"
    return replace(identifier(text, atom), start=atom.start - (wrapped or tagged), end=atom.end + wrapped)


def _untraceable(text: str, start: int, end: int) -> Marker:
    """Make a marker of what leads nowhere."""
    return Marker(start, end, "identifier", (Target(text[start:end], None, None, start, end),))


def _with_kind(text: str, marker: Marker, start: int) -> Marker:
    """Have a marker begin where its kind is named: `doi: https://doi.org/…`, `PMID: [123](…)`."""
    kind = _KIND.search(text, max(start, marker.start - _FARTHEST_KIND), marker.start)
    return replace(marker, start=kind.start()) if kind and marker.words is None else marker


def _with_emphasis(text: str, marker: Marker) -> Marker:
    """Take in what belongs to a bracket: signs of bold type, `**[1]**`, and the page that is pasted to it."""
    if marker.words is not None or text[marker.start] not in "([":
        return marker
    if pages := _PAGES_BEHIND.match(text, marker.end):
        marker = replace(marker, end=pages.end())
    before = _EMPHASIS_BEFORE.search(text, max(0, marker.start - 4), marker.start)
    if before is None or not text.startswith(before[0], marker.end):
        return marker
    return replace(marker, start=before.start(), end=marker.end + len(before[0]))


def _only_invites(text: str, marker: Marker) -> bool:
    """Tell whether a marker is a home page that is no source: `visit www.myclinic.com to book`."""
    source_id = marker.targets[0].source_id if marker.targets else None
    if source_id is None or not source_id.startswith("url:"):
        return False
    address = source_id.removeprefix("url:")
    if not is_a_front_page(address) or leads_nowhere(address):
        return False
    before, after = text[max(0, marker.start - 60) : marker.start], text[marker.end : marker.end + 30]
    if _ATTRIBUTES.search(before):
        return False
    return is_a_front_page_of_nobody(address) or bool(_SELLS.search(before) or _TO_BUY.match(after))


def _as_what_was_searched(text: str, marker: Marker) -> Marker:
    """Keep `PubMed` of `I searched [PubMed](…?term=x)`, a word of its sentence and no source of anything."""
    source_id = marker.targets[0].source_id if marker.targets else None
    if source_id is None or not is_a_search(source_id.removeprefix("url:")):
        return marker
    close = text.find("](", marker.start, marker.end)
    before = text[max(0, marker.start - 30) : marker.start]
    does = _OPENS.search(before) is not None and _DOES.match(text, marker.end) is not None
    if close < 0 or not (does or _SEARCHES.search(before)):
        return marker
    return replace(marker, targets=(), words=Span(marker.start + 1, close))


def _ranges_closed(text: str, markers: list[Marker], reader: LabelReader) -> list[Marker]:
    """Read `[1]–[3]` as one marker for 1, 2 and 3."""
    joined: list[Marker] = []
    for marker in sorted(markers, key=lambda m: m.start):
        before = joined[-1] if joined else None
        if (
            before
            and before.targets
            and marker.targets
            and _DASH.fullmatch(text[before.end : min(marker.start, before.end + _WIDEST_DASH)])
        ):
            low, high = before.targets[-1].label or "", marker.targets[0].label or ""
            if low.isdecimal() and high.isdecimal() and int(low) < int(high) <= int(low) + 200:
                between = [
                    reader.number(str(n), before.end, marker.start, False)
                    for n in range(int(low) + 1, int(high))
                ]
                targets = (*before.targets, *between, *marker.targets)
                joined[-1] = Marker(before.start, marker.end, "bracket", targets)
                continue
        joined.append(marker)
    return joined


def outermost(markers: list[Marker]) -> list[Marker]:
    """Bring markers into order; of those that overlap the first and widest is kept."""
    kept: list[Marker] = []
    for marker in sorted(markers, key=lambda m: (m.start, -m.end)):
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return kept


def _inside(markers: Sequence[Marker], position: int) -> bool:
    at = bisect_right(markers, position, key=lambda m: m.start) - 1
    return at >= 0 and position < markers[at].end


def _superscripts(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    for match in _SUPERSCRIPT.finditer(reader.text, start, end):
        first = match.start() + unit_exponent(reader.text, match.start(), match[0])
        first += len(match[0][first - match.start() :]) - len(match[0][first - match.start() :].lstrip(" ,;"))
        written = reader.text[first : match.end()]
        raw = unescape(written).translate(PLAIN_DIGITS)
        if is_superscript_of_its_word(reader.text, first, match.end(), raw, reader.all_known(raw)):
            continue
        targets: list[Target] = []
        for item in re.finditer(r"(\d+)(?:\s?[–—‐‑-]\s?(\d+))?", raw):
            same = len(raw) == len(written)  # unlike `&sup1;`
            at = (first + item.start(), first + item.end()) if same else (first, match.end())
            low, high = int(item[1]), int(item[2] or item[1])
            if not low <= high <= low + 200:
                continue
            run = [str(n) for n in range(low, high + 1)]
            if (
                item[2] is None
                and item[1] not in reader.labels
                and len(item[1]) > 1
                and all(d in reader.labels for d in item[1])
            ):
                run = list(item[1])
            targets += [reader.number(n, *at, False) for n in run]
        if targets:
            closed = reader.text.startswith("⁾", match.end())
            opened = closed and reader.text[first - 1 : first] == "⁽"
            yield Marker(first - opened, match.end() + closed, "superscript", tuple(targets))
