"""The shape of an answer: headings, paragraphs, list items, table rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medassay.models.records import Span
from medassay.models.text.language.offers import offers_a_list
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.layout.lines import BOLD_LINE, BOLD_NUMBER, BlockKind, Line, lines
from medassay.models.text.layout.rows import cells, names_columns
from medassay.models.text.layout.titles import (
    FEW_WORDS,
    LONGEST_TITLE,
    WHAT_OR_HOW,
    WHOLE_SENTENCE,
    is_topic,
    numbered_titles,
    titles,
)
from medassay.models.text.layout.wrapped_lines import ENDED, alike, behind_picture, continues, is_wrapped

_BOLD_WITH_MARKERS = re.compile(r"(\*\*|__)[^*_\n]{1,120}\1:?[ \t]*[\[(⁰¹²³⁴-⁹<]")
_NUMBERS = r"\d[\d,;\s–-]{0,40}"
_MARKS = rf"(?:[*_]{{0,3}}[ \t]*(?:\[\^?{_NUMBERS}\]|\({_NUMBERS}\)|[⁰¹²³⁴-⁹]{{1,6}}|<sup>{_NUMBERS}</sup>))+[ \t*_]*"
_MARKED = re.compile(rf"{_MARKS}\Z")
# "**Dosing** (Smith et al., 2020)", "… (PMID: 123)", "… ([NICE](https://…))", "… (NICE NG28)"
_NAMED = (
    r"\([A-Z][^()\n]{2,60}\b(?:19|20)\d\d[a-h]?\)|\((?i:PMIDs?|PMCID|PMC|DOI|NCT)[:\d\s][^()\n]{4,80}\)"
    r"|\([A-Z]{2,8}\s[A-Z]{1,4}\d{1,4}\)|\(?\[[^\[\]\n]{2,80}\]\([^()\s]{5,300}\)\)?"
)
_MARKED_OR_NAMED = re.compile(rf"(?:{_MARKS}|(?:[ \t]*(?:{_NAMED}))+[ \t*_]*)\Z")
_SAYS_A_VALUE = re.compile(r":[*_]*\s+[^A-Z\s]|\b[Aa]nswer:\s")
_LEFT_OPEN = re.compile(
    r"\b(?:and|or|of|the|an?|in|on|with|for|to|by|from|at|as|than|that|not|no|per|vs)\Z", re.IGNORECASE
)
# "**Dosing in children** (oral)", "**Chronic cough** — causes".
_BOLD_AND_ASIDE = re.compile(
    r"(\*\*|__)[^*_\n]{2,80}\1:?[ \t](?:(?P<aside>\([^()\d\n]{2,40}\))|[–—-][ \t][^.:;!?\d\n]{2,40})"
)
_LABELLED = re.compile(r"(?:[A-Z]|[a-z]{1,2}[A-Z])[^:.;!?\n]{2,50}:[*_]*[ \t]+\S")
_SENTENCE_END = re.compile(r"[.!?\n]")
_LONGEST_OFFER = 300


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row; `content` is where its words begin behind bullet or hashes."""

    kind: BlockKind
    start: int
    end: int
    content: int
    after_blank: bool = False


def blocks(text: str) -> list[Block]:
    """Cut a text into its blocks, in order; every character but white space and separators is in one.

    Lines that were wrapped (no full stop at the end of a long line, or a lower-case continuation) are joined; so are
    the items of an offer with it, as none of them says anything by itself.
    """
    all_lines = list(lines(text))
    found: list[Block] = []
    blank = offering = False
    said = [number for number, line in enumerate(all_lines) if line.kind != "blank"]
    next_said = dict(zip(said, said[1:], strict=False))
    numbered = numbered_titles(text, [all_lines[number] for number in said])
    for number, line in enumerate(all_lines):
        if line.kind == "blank":
            blank = True
            continue
        following = all_lines[number + 1 : next_said.get(number, len(all_lines)) + 1]
        offering = _is_offered(text, line, blank, offering) and (offering or _offers(text, found))
        if offering:
            found[-1] = replace(found[-1], kind="paragraph", end=line.end)
        elif line.kind == "separator":
            if found and found[-1].kind == "row" and not blank:
                found[-1] = replace(found[-1], kind="header_row")
            found.append(Block("rule", line.start, line.end, line.start, blank))
        elif line.kind == "rule" and _underlines(text, line, found, blank):
            found[-1] = replace(found[-1], kind="heading", end=line.end)
        elif line.kind == "paragraph" and not blank and _joins(text, found, line):
            found[-1] = replace(found[-1], end=line.end)
        else:
            kind = line.kind
            first = blank or not found or found[-1].kind == "rule"
            if kind == "paragraph" and (
                _is_title(text, line, following, first, found) or _is_marked_title(text, line, following)
            ):
                kind = "heading"
            elif kind == "bullet" and (
                line.start in numbered
                or _is_pictured_title(text, line, following, found)
                or _is_titled_item(text, line, following, found)
            ):
                kind = "heading"
            elif kind == "row" and _is_head_of_table(text, line, found, blank, following):
                kind = "header_row"
            found.append(Block(kind, line.start, line.end, line.content, blank))
        blank = False
    return found


def _underlines(text: str, line: Line, found: list[Block], blank: bool) -> bool:
    """Tell whether a rule is the underline of the short line above it."""
    if blank or not found or found[-1].kind != "paragraph":
        return False
    above = text[found[-1].start : found[-1].end]
    return text[line.start] in "=-" and len(above) <= 100 and "\n" not in above and not ENDED.search(above)


def _joins(text: str, found: list[Block], line: Line) -> bool:
    """Tell whether a line goes on with the paragraph or item above it."""
    if not found or found[-1].kind not in ("paragraph", "bullet"):
        return False
    if line.content != line.start and BOLD_NUMBER.match(text, line.start, line.end):
        return False
    span = Span(line.start, line.end)
    if found[-1].kind == "bullet":
        whole = BOLD_LINE.fullmatch(text, found[-1].content, found[-1].end)
        return continues(text, span) or (text[line.start - 1 : line.start] in (" ", "\t") and not whole)
    return is_wrapped(text, Span(found[-1].start, found[-1].end), span)


def _offers(text: str, found: Sequence[Block]) -> bool:
    """Tell whether the last block ends with an offer that a list follows."""
    if not found or found[-1].kind not in ("paragraph", "heading"):
        return False
    tail = text[max(found[-1].content, found[-1].end - _LONGEST_OFFER) : found[-1].end]
    return tail.rstrip("*_").endswith(":") and offers_a_list(_SENTENCE_END.split(tail)[-1])


def _is_offered(text: str, line: Line, blank: bool, offering: bool) -> bool:
    """Tell whether a line is an item below an offer, or goes on with one; numbers would be read as sentences' ends."""
    indented = text[line.start - 1 : line.start] in (" ", "\t") and line.start > 0
    if line.kind == "bullet":
        return not text[line.start : line.content].strip(" \t>").strip("()")[:1].isdigit()
    return offering and indented and not blank and line.kind == "paragraph"


def _is_title(text: str, line: Line, following: Sequence[Line], first: bool, found: Sequence[Block]) -> bool:
    """Tell whether a short line without a full stop is a title over what follows.

    Right over a paragraph only a few words that stand `first` in their block are, and only over a whole sentence or in
    capitals. The last of several lines that begin alike, "Step 3: Give oxygen", is none, and no line is that says what
    it names ("Adults: 500 mg"), or that is all there is under a title.
    """
    if not following:
        return False
    if not found and following[0].kind == "blank" and is_topic(text[line.start : line.end]):
        return True
    if line.end - line.start > LONGEST_TITLE:
        return False
    if not first and alike(text, Span(found[-1].start, found[-1].end), Span(line.start, line.end)):
        return False
    words = text[behind_picture(text, line.start, line.end) : line.end]
    if following[0].kind == "paragraph":
        below = text[following[0].content : following[0].end]
        if first and WHAT_OR_HOW.fullmatch(words) and WHOLE_SENTENCE.match(below):
            return True
        few = len(words.split()) <= FEW_WORDS and words[-1].isalpha() and not _LEFT_OPEN.search(words)
        over = (words.isupper() and not below.isupper()) or (
            WHOLE_SENTENCE.match(below) and has_finite_verb(below)
        )
        over = over or (":" not in words and _LABELLED.match(below) is not None)
        if not (first and few and over):
            return False
    elif following[0].kind not in ("blank", "bullet", "row"):
        return False
    elif following[0].kind == "bullet" and WHAT_OR_HOW.fullmatch(words):
        return True
    return (
        titles(words) and not _SAYS_A_VALUE.search(words) and not _ends_a_list(text, following, first, found)
    )


def _ends_a_list(text: str, following: Sequence[Line], first: bool, found: Sequence[Block]) -> bool:
    """Tell whether a short line is the last of several, or what is said under a title: nothing of it follows."""
    below = next((each.kind for each in following if each.kind != "blank"), None)
    if not found or below in ("bullet", "row"):
        return False
    above = found[-1]
    if following[0].kind == "blank" and not first:
        return above.kind == "heading" or not ENDED.search(text, above.start, above.end)
    return above.kind == "heading" and below in ("heading", "rule", None)


def _is_titled_item(text: str, line: Line, following: Sequence[Line], found: Sequence[Block]) -> bool:
    """Tell whether an item is the title of the paragraph below it: `1. **Rest**`, then what it says of rest."""
    below = next((each for each in following if each.kind != "blank"), None)
    if below is None or below.kind != "paragraph" or not BOLD_LINE.fullmatch(text, line.content, line.end):
        return False
    indented = text[below.start - 1] in " \t"
    first_line = following[0] is below and not (found and found[-1].kind == "bullet")
    return (indented or first_line) and not has_finite_verb(text[line.content : line.end].strip("*_: "))


def _is_pictured_title(text: str, line: Line, following: Sequence[Line], found: Sequence[Block]) -> bool:
    """Tell whether a line with a sign that may be a bullet is a title: `✅ **Benefits**`, and none of several such."""
    below = next((each for each in following if each.kind != "blank"), None)
    words = text[behind_picture(text, line.start, line.end) : line.end]
    sign = text[line.start]
    if below is None or line.end - line.start == len(words) or text[below.start] == sign:
        return False
    bold = BOLD_LINE.fullmatch(words) is not None
    introduced = found and text[max(0, found[-1].end - 4) : found[-1].end].rstrip("*_").endswith(":")
    if found and (
        _is_pictured_like(text, found[-1], line) or introduced and not (bold and below.kind == "bullet")
    ):
        return False
    if bold:
        return below.kind in ("paragraph", "bullet", "row")
    return below.kind in ("bullet", "row") and len(words) <= LONGEST_TITLE and titles(words)


def _is_pictured_like(text: str, above: Block, line: Line) -> bool:
    """Tell whether the block above has the same picture before its words, or any right above the line."""
    apart = text.count("\n", above.end, line.start) > 1
    pictured = behind_picture(text, above.start, above.end) > above.start
    return text[above.start] == text[line.start] or (pictured and not apart and above.kind == "bullet")


def _is_marked_title(text: str, line: Line, following: Sequence[Line]) -> bool:
    """Tell whether a line is a title with markers behind it, over a list or table: `**Benefits** [1]`.

    Over a paragraph apart from it, one in bold type is.
    """
    words = text[line.start : line.end]
    below = next((each.kind for each in following if each.kind != "blank"), None)
    if (beside := _BOLD_AND_ASIDE.fullmatch(words)) and not has_finite_verb(words):
        return below in ("bullet", "row") or bool(beside["aside"] and below and following[0].kind == "blank")
    shape = _MARKED_OR_NAMED if _BOLD_WITH_MARKERS.match(words) else _MARKED
    marked = shape.search(words) if line.end - line.start <= LONGEST_TITLE else None
    if marked is None or not titles(words[: marked.start()].strip(" *_")):
        return False
    apart = len(following) > 1 and following[0].kind == "blank" and below == "paragraph"
    return below in ("bullet", "row") or (apart and _BOLD_WITH_MARKERS.match(words) is not None)


def _is_head_of_table(
    text: str, line: Line, found: Sequence[Block], blank: bool, following: Sequence[Line]
) -> bool:
    """Tell whether a line names the columns of a table that has no rule below its head."""
    above = [block.kind for block in found[-2:]]
    first = blank or not above or above[-1] not in ("row", "header_row")
    if not first or above == ["header_row", "rule"] or not following or following[0].kind != "row":
        return False
    head, below = (
        [text[cell.start : cell.end].strip() for cell in cells(text, row.content, row.end)]
        for row in (line, following[0])
    )
    return len(head) == len(below) and names_columns(head, below)
