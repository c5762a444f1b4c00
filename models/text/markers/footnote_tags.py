"""Footnotes of wiki markup that are named once and cited again: `<ref name="a">…</ref>`, `<ref name="a"/>`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from medassay.models.records import Span
from medassay.models.text.markers.marks import Marker, Target

_FOOTNOTE = re.compile(
    r"<ref\s[^<>\n]{0,60}?\bname\s?=\s?(?:\"([^\"<>]+)\"|'([^'<>]+)'|([^\s\"'<>/]+))", re.IGNORECASE
)


def footnote_name(tag: str) -> str | None:
    """Read the name of a footnote: `<ref name="a">`."""
    named = _FOOTNOTE.match(tag)
    return next(filter(None, named.groups())).strip() if named else None


def cited_again(
    text: str, again: Sequence[tuple[str, Span]], footnotes: Mapping[str, tuple[Target, ...]]
) -> Iterator[Marker]:
    """Read `<ref name="a"/>` as the footnote that has the name elsewhere, before it or behind it."""
    for name, span in again:
        if targets := footnotes.get(name):
            written = text[span.start : span.end]
            here = [replace(target, written=written, start=span.start, end=span.end) for target in targets]
            yield Marker(span.start, span.end, "bracket", tuple(here))
