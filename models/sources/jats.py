"""JATS, the XML of PMC's articles, read into sections of paragraphs; references and acknowledgements stay out."""

import html.entities
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

from medassay.models.records import Section
from medassay.models.sources.identifiers import is_marked_retracted
from medassay.models.sources.markup import gathered, squeezed
from medassay.models.sources.medline import Unreadable

_BETWEEN = re.compile(r"[\s,;–—‐-]*")
_OPENED = re.compile(r"\s*[\[(]\s*$")
_CLOSED = re.compile(r"\s*[\])]")

_BLOCKS = frozenset(
    "boxed-text disp-quote fig fig-group fn list def-list table-wrap table-wrap-group supplementary-material "
    "disp-formula-group p sec statement verse-group".split()
)
_SILENT = frozenset("graphic inline-graphic media object-id label-alternatives permissions".split())
_NOTICES = frozenset("retraction correction expression-of-concern".split())
# Every name that JATS's own entity sets share with HTML's.
_ENTITIES = {name[:-1]: text for name, text in html.entities.html5.items() if name.endswith(";")}
_YEAR = re.compile(r"[0-9]{4}")
_SPACE_BEFORE_STOP = re.compile(r" +(?=[.,;:](?!\d))")


def leave_out_citations(element: ET.Element) -> None:
    """Take the citations out of an element and all in it; what was raised with them alone goes too."""
    for child in element:
        leave_out_citations(child)
    children = list(element)
    cited = [place for place, child in enumerate(children) if _is_citation(child)]
    if not cited:
        return
    texts = [element.text or "", *(child.tail or "" for child in children)]
    for first, last in _runs(cited, children, texts):
        texts[first + 1 : last + 1] = [""] * (last - first)
        children[first : last + 1] = [ET.Element("cited") for _ in range(first, last + 1)]
        opened, closed = _OPENED.search(texts[first]), _CLOSED.match(texts[last + 1])
        if opened and closed:
            texts[first] = texts[first][: opened.start()]
            texts[last + 1] = texts[last + 1][closed.end() :]
    left = "".join(texts) + "".join(word for child in children for word in child.itertext())
    if element.tag == "sup" and not any(map(str.isalnum, left)):
        texts, children = [""], []
    element.text, element[:] = texts[0], children
    for child, text in zip(children, texts[1:], strict=True):
        child.tail = text


def _is_citation(element: ET.Element) -> bool:
    return element.tag == "xref" and element.get("ref-type") == "bibr"


def _runs(cited: list[int], children: list[ET.Element], texts: list[str]) -> list[tuple[int, int]]:
    """Return the first and last place of citations with nothing but commas and dashes between them."""
    runs = [(cited[0], cited[0])]
    for place in cited[1:]:
        first, last = runs[-1]
        between = texts[last + 1 : place + 1]
        between += [word for child in children[last + 1 : place] for word in child.itertext()]
        if _BETWEEN.fullmatch("".join(between)):
            runs[-1] = (first, place)
        else:
            runs.append((place, place))
    return runs


@dataclass(frozen=True, slots=True)
class FullText:
    """An article as PMC gives it: its abstract, its body, and what stands behind the body."""

    pmcid: str
    pmid: str | None
    doi: str | None
    title: str | None
    journal: str | None
    year: int | None
    abstract: tuple[Section, ...]
    body: tuple[Section, ...]
    behind: tuple[Section, ...]
    is_notice: bool = False

    @property
    def sections(self) -> tuple[Section, ...]:
        """All of its text, in order."""
        return (*self.abstract, *self.body, *self.behind)

    @property
    def has_body(self) -> bool:
        """Whether the body has text: publishers may not allow it, and files may hold headings alone."""
        return bool(self.body)

    @property
    def retracted(self) -> bool:
        """Whether its title bears a publisher's mark of it; a notice may be titled as the article is."""
        return is_marked_retracted(self.title) and not self.is_notice


def read_articles(body: bytes) -> list[FullText]:
    """Read an answer of `efetch` for PMC.

    Raises:
        Unreadable: when it is cut off, no JATS, or nested deeper than any article is.
    """
    parser = ET.XMLParser()
    parser.entity.update(_ENTITIES)
    try:
        root = ET.parse(io.BytesIO(body), parser).getroot()
    except (ET.ParseError, LookupError, ValueError) as error:
        raise Unreadable(f"it is not well-formed XML ({error})") from None
    if root.tag not in ("pmc-articleset", "article"):
        raise Unreadable(f"it is not PMC's XML (its root is <{root.tag}>)")
    articles = [root] if root.tag == "article" else root.findall("article")
    try:
        return [text for text in map(_article, articles) if text is not None]
    except RecursionError:
        raise Unreadable("its markup is nested too deep") from None


def _article(article: ET.Element) -> FullText | None:
    meta = article.find("front/article-meta")
    if meta is None:
        return None
    ids = {i.get("pub-id-type"): (i.text or "").strip() for i in meta.findall("article-id")}
    number = re.search(r"(?<![0-9])[0-9]{1,9}(?![0-9])", ids.get("pmcid") or ids.get("pmc") or "")
    if number is None:
        return None
    leave_out_citations(article)
    title = meta.find("title-group/article-title")
    journal = article.find("front/journal-meta//journal-title")
    years = [
        text for year in meta.findall("pub-date/year") if _YEAR.fullmatch(text := (year.text or "").strip())
    ]
    return FullText(
        f"PMC{int(number[0])}",
        str(int(ids["pmid"])) if ids.get("pmid", "").isdecimal() else None,
        (ids.get("doi") or "").lower() or None,
        _text(title) or None if title is not None else None,
        _text(journal) or None if journal is not None else None,
        int(min(years)) if years else None,
        tuple(_abstracts(meta)),
        tuple(section for body in article.findall("body") for section in _sections(body, ())),
        tuple(_behind(article)),
        article.get("article-type") in _NOTICES,
    )


def _behind(article: ET.Element) -> Iterator[Section]:
    """Yield the text behind the body: sections and appendices, then tables and figures kept apart."""
    for part in [part for back in article.findall("back") for part in back]:
        if part.tag == "sec":
            yield from _sections(part, (_heading(part) or "Back matter",))
        for appendix in part.iter("app") if part.tag in ("app", "app-group") else ():
            yield from _sections(appendix, (_heading(appendix) or "Appendix",))
    for part in article.findall("floats-group"):
        yield from _sections(part, ())


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
    if element.tag == "fn":
        yield from _whole(element)
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
    caption = squeezed(" ".join(gathered(part) for part in wrap if part.tag in ("label", "caption")))
    if caption:
        yield caption
    for row in wrap.iter("tr"):
        cells = [_tidy(gathered(cell)) for cell in row if cell.tag in ("td", "th")]
        if any(cells):
            yield " | ".join(cells)
    for foot in wrap.findall("table-wrap-foot"):
        yield from _whole(foot)


def _whole(element: ET.Element) -> Iterator[str]:
    if text := _tidy(gathered(element)):
        yield text


def _text(element: ET.Element) -> str:
    """Return an element's running text without the blocks set within it."""
    return _tidy(gathered(element, lambda child, name: name in _BLOCKS))


def _tidy(text: str) -> str:
    return _SPACE_BEFORE_STOP.sub("", squeezed(text))
