"""Links: `[title](address)` of Markdown and `<a href>` of HTML."""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from medassay.models.records import Span
from medassay.models.text.identifiers.ends import trim_tail
from medassay.models.text.identifiers.reading import atoms, unescaped, url_source_id
from medassay.models.text.labels.author_patterns import label_of_authors
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.markers.marks import Marker, Target

_LINK_TAIL = re.compile(
    r"\]\(<?(?P<url>(?:https?://|www\.|/|doi:|mailto:|#)[^\s()<>]*"
    r"(?:\([^\s()]{0,200}\)[^\s()<>]*)*)>?(?:\s+\"[^\"\n]{0,200}\")?(?P<close>\))"
    # how many more a page showed there
    r"(?:[\u200b\u2060\ufeff]*\+\d{1,2}(?=[\s.,;:]|\Z)|[\u200b\u2060\ufeff]+(?=\s|\Z))?"
)
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,300}?href=[\"'](?P<url>[^\"'<>\s]{1,1000})[\"'][^<>]{0,300}>"
    r"(?:<(?P<tag>sup|b|i|em|strong|span)>)?(?P<title>[^<>]{0,300})(?(tag)</(?P=tag)>)</a>",
    re.IGNORECASE,
)
# Markdown's other way to write a link, [The Lancet][1], whose address stands on a line of its own: "[1]: https://…".
_BY_LABEL = re.compile(
    r"\[(?=[^\[\]\n]{0,300}[^\W\d_])(?P<title>[^\[\]\n]{1,300})\]\[(?P<label>\^?[\w-]{1,20})\]"
)
_ADDRESS_OF = re.compile(r"^[ \t>]*\[(?P<label>[\w-]{1,20})\]:[ \t]*<?(?:https?://|www\.)", re.MULTILINE)
_LONGEST_TITLE = 400


def links(text: str, start: int, end: int) -> Iterator[Marker]:
    """Find `[title](url)`; the title's bracket is looked for backwards, at most 400 characters."""
    last = start
    for tail in _LINK_TAIL.finditer(text, start, end):
        depth, at = 1, tail.start() - 1
        while at >= max(last, tail.start() - _LONGEST_TITLE) and depth:
            depth += (text[at] == "]") - (text[at] == "[")
            at -= 1
        url = tail["url"]
        if depth or url.startswith("mailto:"):
            continue
        first = at + 1
        title = text[first + 1 : tail.start()]
        if url.startswith("#"):
            yield from _within_the_page(first, tail.end(), title)
            continue
        source_id = _link_source(url)
        written = text[first : tail.end("close")]
        span = Span(first + 1, tail.start())
        yield Marker(
            first,
            tail.end(),
            "link",
            (Target(written, source_id, None, first, tail.end()),),
            None if _is_bare_title(title) else span,
        )
        last = tail.end()


def links_by_label(text: str, start: int, end: int) -> Iterator[Marker]:
    """Find `[title][label]` where a line elsewhere gives the label's address; a title that is a label is none."""
    known = _labels_with_address(text)
    if not known:
        return
    for found in _BY_LABEL.finditer(text, start, end):
        label = normalise_label(found["label"])
        if label in known and normalise_label(found["title"]) not in known:
            words = None if _is_bare_title(found["title"]) else Span(*found.span("title"))
            target = Target(found[0], None, label, *found.span())
            yield Marker(*found.span(), "link", (target,), words)


@lru_cache(maxsize=2)
def _labels_with_address(text: str) -> frozenset[str]:
    """Collect the labels of a text's addresses; asked for each stretch between its lists, so kept."""
    return frozenset(normalise_label(found["label"]) for found in _ADDRESS_OF.finditer(text))


def _link_source(url: str) -> str:
    url = unescaped(url)
    found = atoms(trim_tail(url))
    return found[0].source_id if found else url_source_id(url)


def _is_bare_title(title: str) -> bool:
    """Tell whether a link's title says nothing by itself: a number, an identifier, a host, `source`."""
    words = title.strip(" []()^*_")
    return bool(
        re.fullmatch(
            r"[\d,\s–-]*|(?:source|link|ref(?:erence)?|citation|here|pubmed|pmc|doi)s?\s*\d*",
            words,
            re.IGNORECASE,
        )
        or re.fullmatch(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?(?:\s?\+\d)?", words, re.IGNORECASE)
        or any(atom.start == 0 for atom in atoms(words))
    )


def _within_the_page(start: int, end: int, title: str) -> Iterator[Marker]:
    """Read a link to the page's own notes: a number, or authors and a year, point to the reference list."""
    label = normalise_label(title)
    cited = label if label.isdecimal() else label_of_authors(title)
    if cited:
        yield Marker(
            start, end, "superscript", (Target(f"[{title.strip('[]()')}]", None, cited, start, end),)
        )


def anchors(text: str, start: int, end: int) -> Iterator[Marker]:
    """Find `<a href="…">title</a>`."""
    for match in _ANCHOR.finditer(text, start, end):
        if match["url"].startswith("#"):
            yield from _within_the_page(match.start(), match.end(), match["title"])
            continue
        target = Target(match[0], _link_source(unescape(match["url"])), None, match.start(), match.end())
        title = None if _is_bare_title(match["title"]) else Span(*match.span("title"))
        yield Marker(match.start(), match.end(), "link", (target,), title)
