"""JATS, the XML of PMC's articles, read into sections of paragraphs; references and acknowledgements stay out."""

import html.entities
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

from models.records import Section
from models.sources.markup import lowered, raised, squeezed
from models.sources.medline import Unreadable

_BLOCKS = frozenset(
    "boxed-text disp-quote fig fig-group list def-list table-wrap table-wrap-group supplementary-material "
    "disp-formula-group p sec statement verse-group".split()
)
_SILENT = frozenset("tex-math graphic inline-graphic media object-id label-alternatives permissions".split())
_EMPTY_BRACKETS = re.compile(r"\s?[\[(][\s,;–-]*[\])]")
_SPACE_BEFORE_STOP = re.compile(r" +(?=[.,;:])")


@dataclass(frozen=True, slots=True)
class FullText:
    """An article as PMC gives it; `has_body` is False where the publisher allows the abstract only."""

    pmcid: str
    pmid: str | None
    doi: str | None
    title: str | None
    journal: str | None
    year: int | None
    sections: tuple[Section, ...]
    has_body: bool


def read_articles(body: bytes) -> list[FullText]:
    """Read an answer of `efetch` for PMC.

    Raises:
        Unreadable: when it is cut off or no JATS.
    """
    parser = ET.XMLParser()
    parser.entity.update({name: chr(code) for name, code in html.entities.name2codepoint.items()})
    try:
        root = ET.parse(io.BytesIO(body), parser).getroot()
    except ET.ParseError as error:
        raise Unreadable(f"it is not well-formed XML ({error})") from None
    if root.tag not in ("pmc-articleset", "article"):
        raise Unreadable(f"it is not PMC's XML (its root is <{root.tag}>)")
    articles = [root] if root.tag == "article" else root.findall("article")
    return [text for text in map(_article, articles) if text is not None]


def _article(article: ET.Element) -> FullText | None:
    meta = article.find("front/article-meta")
    if meta is None:
        return None
    ids = {i.get("pub-id-type"): (i.text or "").strip() for i in meta.findall("article-id")}
    number = re.search(r"\d+", ids.get("pmcid") or ids.get("pmc") or "")
    if number is None:
        return None
    body = article.find("body")
    sections = [*_abstracts(meta), *(_sections(body, ()) if body is not None else ())]
    for appendix in article.findall("back/app-group/app"):
        sections += _sections(appendix, (_heading(appendix) or "Appendix",))
    title = meta.find("title-group/article-title")
    journal = article.find("front/journal-meta//journal-title")
    years = [text for year in meta.findall("pub-date/year") if (text := (year.text or "").strip()).isdigit()]
    return FullText(
        f"PMC{int(number[0])}",
        ids.get("pmid") or None,
        (ids.get("doi") or "").lower() or None,
        _text(title) or None if title is not None else None,
        _text(journal) or None if journal is not None else None,
        int(min(years)) if years else None,
        tuple(sections),
        body is not None,
    )


def _abstracts(meta: ET.Element) -> Iterator[Section]:
    for abstract in meta.findall("abstract"):
        if abstract.get("abstract-type") not in ("graphical", "teaser", "toc"):
            yield from _sections(abstract, ("Abstract",))


def _sections(element: ET.Element, path: tuple[str, ...]) -> list[Section]:
    """Read an element's own paragraphs as one section, then the sections in it, each under its path."""
    sections: list[Section] = []
    paragraphs: list[str] = []

    def close() -> None:
        if paragraphs:
            sections.append(Section(" › ".join(path), "\n".join(paragraphs)))
            paragraphs.clear()

    for child in element:
        if child.tag == "sec":
            close()
            heading = _heading(child)
            sections += _sections(child, (*path, heading) if heading else path)
        elif child.tag not in ("title", "label"):
            paragraphs += _paragraphs(child)
    close()
    return sections


def _heading(element: ET.Element) -> str:
    title = element.find("title")
    return _text(title).rstrip(" .:") if title is not None else ""


def _paragraphs(element: ET.Element) -> Iterator[str]:
    """Yield the paragraphs of a block: its running text, then what is set within it."""
    if element.tag in _SILENT:
        return
    if element.tag == "table-wrap":
        yield from _table(element)
        return
    if text := _text(element):
        yield text
    for inner in _inner_blocks(element):
        yield from _paragraphs(inner)


def _inner_blocks(element: ET.Element) -> Iterator[ET.Element]:
    for child in element:
        if child.tag in _BLOCKS:
            yield child
        else:
            yield from _inner_blocks(child)


def _table(wrap: ET.Element) -> Iterator[str]:
    """Yield a table's caption, its rows with cells side by side, and its notes."""
    caption = squeezed(" ".join(_gathered(part, True) for part in wrap if part.tag in ("label", "caption")))
    if caption:
        yield caption
    for row in wrap.iter("tr"):
        cells = [squeezed(_gathered(cell, True)) for cell in row if cell.tag in ("td", "th")]
        if any(cells):
            yield " | ".join(cells)
    for foot in wrap.findall("table-wrap-foot"):
        if notes := squeezed(_gathered(foot, True)):
            yield notes


def _text(element: ET.Element) -> str:
    """Return an element's running text without citation numbers and without the blocks set within it."""
    text = squeezed(_gathered(element, False))
    return _SPACE_BEFORE_STOP.sub("", _EMPTY_BRACKETS.sub("", text)).strip()


def _gathered(element: ET.Element, with_blocks: bool) -> str:
    text = element.text or ""
    for child in element:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        skipped = not name or name in _SILENT or (name in _BLOCKS and not with_blocks)
        if not skipped and not (name == "xref" and child.get("ref-type") == "bibr"):
            inner = _gathered(child, with_blocks)
            inner = raised(inner) if name == "sup" else lowered(inner) if name == "sub" else inner
            apart = name in _BLOCKS or name in ("title", "label", "break", "td", "th")
            text += f" {inner} " if apart else inner
        text += child.tail or ""
    return text
