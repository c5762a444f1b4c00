"""Links in Markdown, as markers."""

import re
from collections.abc import Collection
from html import unescape

from medassay.models.records import Span
from medassay.models.text.authors import normalise_label
from medassay.models.text.identifiers.reading import url_source_id
from medassay.models.text.markers.in_sentence import ENDS, GOVERNS, OPENS
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.verbs import has_finite_verb

_SOURCE_TITLE = re.compile(
    r"\d|\.\w|\b(?:PubMed|source|study|article|link|here|et al|PMC|guideline|review|trial|NIH|CDC"
    r"|WHO|NHS|FDA|NICE|Clinic|Wikipedia)\b|^\W*\w+\s[A-Z]",
    re.IGNORECASE,
)
_LABEL_TITLE = re.compile(r"[\[(^]*(?:\w{1,12}[\s:#]?)?\d{1,3}[\])]*")


def link(match: re.Match[str]) -> Marker:
    """Read `[words](address)`; words that say where something stands are no part of the sentence."""
    target = Target(match["title"], url_source_id(unescape(match["address"])), None, *match.span("title"))
    words = (
        None
        if _LABEL_TITLE.fullmatch(match["title"]) or _is_a_source_title(match)
        else Span(*match.span("title"))
    )
    first = match.start("title") - 1 if words else match.start()
    last = match.end("address") + 1 if words and not match[0].endswith('")') else match.end()
    return Marker(first, last, "link", (target,), words)


def _is_a_source_title(match: re.Match[str]) -> bool:
    """Tell whether a link's words say where something stands, and are no part of its sentence."""
    title = match["title"].strip("*_ ")
    before = match.string[max(0, match.start() - 24) : match.start()]
    if has_finite_verb(title) or not ENDS.match(match.string, match.end()) or GOVERNS.search(before):
        return False
    return bool(OPENS.search(before) or (title[:1].isupper() and _SOURCE_TITLE.search(title)))


def reference_link(match: re.Match[str], labels: Collection[str]) -> Marker | None:
    """Read `[words][2]` where 2 is an entry of the reference list."""
    label = normalise_label(match["numbers"])
    if label not in labels or _LABEL_TITLE.fullmatch(match["title"]):
        return None
    target = Target(match["numbers"], None, label, *match.span("numbers"))
    return Marker(*match.span(), "link", (target,), Span(*match.span("title")))
