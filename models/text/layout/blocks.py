"""The blocks of an answer: headings, paragraphs, list items, table rows, read by markdown-it.

Lines that answers mean as lines, and Markdown does not, are blocks of their own: short lines without a full stop,
bullets in other signs, rows of a table without a rule.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise, zip_longest
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from medassay.models.records import Span
from medassay.models.text.verbs import has_finite_verb

BlockKind = Literal["heading", "paragraph", "bullet", "row", "header_row", "rule"]

_SIGNS = "•‣◦·▪▫●○■□✓✔✗✅☑❌✖➢➤►▸▹–—"
_SIGN = re.compile(rf"(?m)^([ \t>]*)[{_SIGNS}](?=[ \t])")
_PASTED_SIGN = re.compile(r"(?m)^([ \t>]*)[•‣▪●](?=[A-Za-z\d(*_\"“])")
_ITEM = re.compile(
    rf"[ \t]*(?:[-*+{_SIGNS}]\ufe0f?(?=[ \t])|[•‣▪●](?=\S)|\(?\d{{1,3}}[.)](?=[ \t])|\d{{1,3}}[、．]"
    r"|\((?:[a-z]{1,2}|[ivx]{1,4})\)(?=[ \t])|[a-h]\)(?=[ \t])|[ivx]{1,4}[.)](?=[ \t]))[ \t]*(?:\[[ xX]\][ \t]+)?"
)
_HASHES = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>(?!\s?[=\d])[ \t]?)+")
_RULE = re.compile(r"[ \t]*(?:[-*_=–—~][ \t]?){3,}[ \t]*|[ \t]*(?:```|~~~)[\w-]*[ \t]*")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*|[^|\n]*\S[ \t]*\|[^|\n]+\|.*")
_BAR = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*")
_BOLD = re.compile(r"[ \t]*(?:\d{1,2}[.)][ \t]+)?(?P<sign>\*\*|__)(?:(?!(?P=sign)).){2,100}(?P=sign):?[ \t]*")
_ENDED = re.compile(r"[.!?:;。！？…][\"'”’)\]*_\d,]*\Z")
_WRAPPED = 60
"""Characters of a line behind which a lower-case word or a capital goes on with it."""
_LONGEST_TITLE = 80
_MOST_WORDS_OF_A_TITLE = 9


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row; `content` is where its words begin behind bullet or hashes."""

    kind: BlockKind
    start: int
    end: int
    content: int
    after_blank: bool = False


@cache
def _parser() -> MarkdownIt:
    """Read lists, quotations, headings and tables; what indents or fences prose is none of a block's business."""
    return (
        MarkdownIt("commonmark")
        .enable("table")
        .disable(["code", "fence", "html_block", "reference", "lheading"])
    )


def blocks(text: str) -> list[Block]:
    """Cut a text into its blocks, in order; every character but white space and separators is in one."""
    # markdown-it counts lines at "\n" only; what else ends lines, and bullets in other signs, is put in its form.
    plain = text.replace("\r\n", " \n").replace("\r", "\n").translate(_PLAIN)
    plain = _PASTED_SIGN.sub(r"\1 ", _SIGN.sub(r"\1-", plain))
    starts = [0, *accumulate(len(line) + 1 for line in plain.split("\n"))]
    lines = [(start, following - 1) for start, following in zip(starts, starts[1:], strict=False)]
    found: list[Block] = []
    for kind, first, last in _spans(_parser().parse(plain), len(lines)):
        for number in range(first, last):
            start, end = lines[number]
            _add(text, found, kind, start, min(end, len(text)))
    return _with_titles(text, found)


_PLAIN = {ord(sign): "\n" for sign in "\x0b\x0c\x85\u2028\u2029"} | {0: " "}


def _spans(tokens: Sequence[Token], n_lines: int) -> Iterator[tuple[str, int, int]]:
    """Yield the lines of each leaf: (kind, first, behind the last); lines of no leaf are paragraphs."""
    upto = 0
    kind = "paragraph"
    for token in tokens:
        if token.type in ("thead_open", "tbody_open"):
            kind = token.type[:5]
        if token.map is None or token.type not in ("inline", "hr", "tr_open", "list_item_open"):
            continue
        first, last = token.map
        if token.type == "list_item_open":
            last = first + 1
            leaf = "bullet"
        elif token.type == "inline" and kind in ("thead", "tbody"):
            continue
        else:
            leaf = {"hr": "rule", "tr_open": "header_row" if kind == "thead" else "row"}.get(
                token.type, "paragraph"
            )
        if first > upto:
            yield "paragraph", upto, first
        if first >= upto or last > upto:
            yield leaf, max(first, upto), last
        upto = max(upto, last)
    if upto < n_lines:
        yield "paragraph", upto, n_lines


def _add(text: str, found: list[Block], kind: str, start: int, end: int) -> None:
    """Add a line: to the block above where it goes on with that, else as a block of its own."""
    line = text[start:end]
    if not line.strip():
        return
    blank = (
        not found
        or text.count("\n", found[-1].end, start)
        + text.count("\r", found[-1].end, start)
        - text.count("\r\n", found[-1].end, start)
        > 1
    )
    quoted = _QUOTE.match(text, start, end)
    first = quoted.end() if quoted else start
    first += len(text[first:end]) - len(text[first:end].lstrip())
    end = start + len(line.rstrip())
    indent = start + len(line) - len(line.lstrip())
    if first >= end or _RULE.fullmatch(text, first, end) or kind == "rule":
        found.append(Block("rule", indent, end, indent, blank))
        return
    if _SEPARATOR.fullmatch(text, first, end):
        if found and found[-1].kind == "row" and not blank:
            found[-1] = replace(found[-1], kind="header_row")
        found.append(Block("rule", indent, end, indent, blank))
        return
    if kind in ("row", "header_row") or _ROW.fullmatch(text, first, end):
        found.append(Block("header_row" if kind == "header_row" else "row", indent, end, first, blank))
        return
    if hashes := _HASHES.match(text, first, end):
        found.append(Block("heading", indent, end, hashes.end(), blank))
        return
    item = _ITEM.match(text, first, end)
    counted = text[first].isdigit() and kind != "bullet"
    if item and item.end() < end and not (counted and _goes_on(text, found, first, blank)):
        found.append(Block("bullet", indent, end, item.end(), blank))
        return
    if (
        not blank
        and found
        and found[-1].kind in ("paragraph", "bullet")
        and _goes_on(text, found, first, blank)
    ):
        found[-1] = replace(found[-1], end=end)
        return
    found.append(Block("paragraph", indent, end, first, blank))


def _goes_on(text: str, found: Sequence[Block], first: int, blank: bool) -> bool:
    """Tell whether a line goes on with the block above: it is not ended, and this begins as no sentence does."""
    if blank or not found or found[-1].kind not in ("paragraph", "bullet"):
        return False
    above = found[-1]
    last = text[max(text.rfind("\n", above.start, above.end) + 1, above.start) : above.end]
    if _BOLD.fullmatch(last):
        return False
    if text[first].islower():
        return not _ENDED.search(last) or len(last) >= _WRAPPED
    indented = text[first - 1] in " \t" and above.kind == "bullet"
    return indented or (len(last) >= _WRAPPED and not _ENDED.search(last))


def _with_titles(text: str, found: list[Block]) -> list[Block]:
    """Make headings of short lines over what they head."""
    return [
        replace(block, kind="heading")
        if below and block.kind in ("paragraph", "bullet") and _is_title(text, block, below)
        else block
        for block, below in zip_longest(found, found[1:])
    ]


def _is_title(text: str, block: Block, below: Block) -> bool:
    """Tell whether a line is the title of what is below: in bold type, or few words apart that end in no stop."""
    words = text[block.content : block.end]
    if "\n" in words or len(words) > _LONGEST_TITLE:
        return False
    deeper = below.kind == "paragraph" and (
        block.kind == "paragraph" or below.content - below.start or text[below.start - 1] in " \t"
    )
    if _BOLD.fullmatch(words):
        over = deeper or (
            block.kind == "paragraph" and below.kind in ("bullet", "row", "header_row", "heading")
        )
        return (
            bool(over)
            and not words.rstrip("*_ ").endswith((".", "!"))
            and not has_finite_verb(words.strip("*_: "))
        )
    if block.kind == "bullet" or not words[:1].isupper() or not words[-1].isalnum():
        return False
    if not (below.after_blank or below.kind in ("bullet", "row", "header_row")):
        return False
    if len(words.split()) > _MOST_WORDS_OF_A_TITLE or has_finite_verb(words):
        return False
    return block.after_blank and (
        below.kind != "paragraph" or _ENDED.search(text, below.start, below.end) is not None
    )


def cells(text: str, start: int, end: int) -> list[Span]:
    """Cut a table row into its cells."""
    bars = [start - 1, *(bar.start() for bar in _BAR.finditer(text, start, end)), end]
    spans = [Span(low + 1, high) for low, high in pairwise(bars)]
    first = not text[spans[0].start : spans[0].end].strip()
    last = len(spans) > 1 and not text[spans[-1].start : spans[-1].end].strip()
    return spans[first : len(spans) - last]


def in_columns(header: Sequence[str], row: Sequence[str]) -> str:
    """Word a table's row: each cell that is not empty under the head of its column."""
    heads = [*header, *[""] * (len(row) - len(header))]
    return "; ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip(heads, row, strict=False) if cell
    )
