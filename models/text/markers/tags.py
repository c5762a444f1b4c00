"""Tags that say what is cited: `<cite index="1-2">words</cite>`, `<statement citations="1,3">`, `<ref name="1"/>`."""

import re
from collections.abc import Iterator

from medassay.models.text.markers.citation_keys import keyed_target
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target

_CITE_TAG = re.compile(
    r"<cite\s[^<>\n]{0,60}?index=[\"'](?P<index>[\d,:.\s-]{1,200})[\"'][^<>\n]{0,60}>|</cite>"
    r"|<co:\s?(?P<spot>\d[\d,\s]{0,60})>|</co(?::[\d,\s]{1,60})?>",
    re.IGNORECASE,
)
_EMPTY_TAG = re.compile(
    r"<(?P<tag>cite|citation|ref|source)\s(?:id|n|no|number|ref|source|doc|name|target)=[\"']?#?(?P<labels>[\w.-]{1,30}(?:,\s?[\w.-]{1,30}){0,20})[\"']?"
    r"\s?(?:/>|>\s?</(?P=tag)>)",
    re.IGNORECASE,
)
# "<statement citations="1,3">words</statement>"
_STATED = r"statement|sentence|claim|fact|passage|answer|text|span|s|p"
_AROUND = frozenset({"answer", "answer_part", "answer_parts", "text", "sources"})
"""What stands around `<source>1</source>` and what it is cited for, as prompts for retrieval have it written."""
_STATEMENT_TAG = re.compile(
    rf"<(?P<tag>{_STATED})\s[^<>\n]{{0,60}}?\b(?:data-)?(?:citations?|cites?|sources?|refs?|references?|docs?|documents?)(?:[_-]ids?)?\s?="
    r"\s?[\"'\[{]{1,3}(?P<labels>[\w.:#-]{1,30}(?:[,;\s\"']{1,4}[\w.:#-]{1,30}){0,20})?[\"'\]}]{1,3}[^<>\n\"']{0,60}>"
    rf"|</?(?P<bare>{_STATED}|answer_parts?|sources)>",
    re.IGNORECASE,
)


def cite_tags(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `<cite index="1-2,4-1">words</cite>`: the closing tag cites, by document and sentence or by document.

    `<co: 0,2>words</co: 0,2>` is another way to write it.
    """
    opened: re.Match[str] | None = None
    for tag in _CITE_TAG.finditer(reader.text, start, end):
        if tag["index"] or tag["spot"]:
            yield Marker(*tag.span(), "superscript", ())
            opened = tag
        elif opened:
            group = opened.lastgroup or ""
            targets = [_cited_place(reader, place, *opened.span(group)) for place in opened[group].split(",")]
            yield Marker(*tag.span(), "superscript", tuple(targets))
            opened = None


def statement_tags(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `<statement citations="1,3">words</statement>`: the closing tag cites what the attribute of its own says."""
    tags = list(_STATEMENT_TAG.finditer(reader.text, start, end))
    names = {tag["tag"].lower() for tag in tags if tag["tag"]}
    names |= _AROUND if any(tag["bare"] == "answer_part" for tag in tags) else frozenset()
    opened: dict[str, re.Match[str]] = {}
    for tag in tags:
        name = (tag["tag"] or tag["bare"]).lower()
        if name not in names:
            continue
        targets: list[Target] = []
        if tag["tag"]:
            opened[name] = tag
        elif tag[0][1] == "/" and (own := opened.pop(name, None)):
            at = own.start("labels")
            keys = re.finditer(r"[^,;\s\"']+", own["labels"] or "")
            targets = [keyed_target(reader, key[0], at + key.start()) for key in keys]
        yield Marker(*tag.span(), "superscript", tuple(targets))


def empty_tags(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `<ref name="1"/>` and `<cite id="1,2"></cite>`, which say in an attribute what they cite."""
    for tag in _EMPTY_TAG.finditer(reader.text, start, end):
        keys = [(key[0], tag.start("labels") + key.start()) for key in re.finditer(r"[^,\s]+", tag["labels"])]
        yield Marker(*tag.span(), "superscript", tuple(keyed_target(reader, key, at) for key, at in keys))


def _cited_place(reader: LabelReader, place: str, start: int, end: int) -> Target:
    written = place.strip()
    document = re.split(r"[-:.]", written)[0]
    label = written if written in reader.labels or document not in reader.labels else document
    return Target(f"[{written}]", None, label, start, end)
