"""Citations of a full text, taken out of its tree with the commas between them and the brackets round them."""

import re
import xml.etree.ElementTree as ET

_BETWEEN = re.compile(r"[\s,;–—‐-]*")
_OPENED = re.compile(r"\s*[\[(]\s*$")
_CLOSED = re.compile(r"\s*[\])]")


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
