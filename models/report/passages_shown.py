"""Passages in the report: deciding sentence highlighted, under its heading, tables as tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medassay.models.deciding_sentence import heading_over, without_marks
from medassay.models.report.rows import Row, count_of, text_of

_SUPPLIED = "supplied text"
"""What a short document, or an answer's own reference, is called that was read whole: it is no abstract."""
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*")
_RULE = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_FEWEST_ROWS = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """Words, and whether they are of the sentence that decided."""

    text: str
    marked: bool


Cell = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Lump:
    """A stretch of text as pieces, or a table as rows of cells below its head, if it has one."""

    pieces: Cell = ()
    head: tuple[Cell, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()


def place_of(row: Row) -> tuple[int, int]:
    """Return where the deciding sentence stands in its passage, without the marks of what is below; else nowhere."""
    passage, sentence = text_of(row.get("passage")), text_of(row.get("sentence"))
    start, end = count_of(row.get("sentence_start")), count_of(row.get("sentence_end"))
    if not 0 <= start < end <= len(passage):
        start = passage.find(sentence) if sentence else -1
        end = start + len(sentence)
    return without_marks(passage, start, end) if 0 <= start < end else (0, 0)


def label_of(row: Row) -> str:
    """Name the section that a passage is of: of a supplied document the heading over the deciding sentence."""
    label = text_of(row.get("passage_label"))
    if row.get("text_kind") != "document":
        return label
    passage, (start, _) = text_of(row.get("passage")), place_of(row)
    heading = heading_over(passage, start) if "\n" in passage[:start] else ""
    return heading or (_SUPPLIED if label == "ABSTRACT" else label)


def lumps(passage: Sequence[str]) -> list[Lump]:
    """Take a passage apart that is given in three: before the deciding sentence, the sentence, behind it."""
    before, sentence, _ = passage
    text, mark = "".join(passage), (len(before), len(before) + len(sentence))
    found: list[Lump] = []
    at = 0
    for start, end in [*_tables(text), (len(text), len(text))]:
        # Blank lines beside a table go with it.
        first = at + (len(text[at:start]) - len(text[at:start].lstrip("\n")) if at else 0)
        last = len(text[:start].rstrip("\n")) if start < end else start
        if first < last:
            found.append(Lump(_pieces(text, first, last, mark)))
        if start < end:
            found.append(_table(text, start, end, mark))
        at = end
    return found


def in_words(sentence: str) -> str:
    """Write a row of a table without its bars; any other sentence as it is."""
    said = sentence.strip()
    if not said.startswith("|"):
        return sentence
    return " · ".join(cell.strip() for cell in _BAR.split(said) if cell.strip())


def _tables(text: str) -> Iterator[tuple[int, int]]:
    """Yield where tables stand: lines between bars, two at least, that have a rule or as many cells."""
    run: list[tuple[int, int]] = []
    at = 0
    for line in [*text.split("\n"), ""]:
        if _ROW.fullmatch(line):
            run.append((at, at + len(line)))
        elif run:
            if _is_table([text[start:end] for start, end in run]):
                yield run[0][0], run[-1][1]
            run = []
        at += len(line) + 1


def _is_table(rows: Sequence[str]) -> bool:
    alike = len({len(_BAR.split(row)) for row in rows}) == 1
    return len(rows) >= _FEWEST_ROWS and (alike or any(_RULE.fullmatch(row) for row in rows))


def _table(text: str, start: int, end: int, mark: tuple[int, int]) -> Lump:
    head: tuple[Cell, ...] = ()
    rows: list[tuple[Cell, ...]] = []
    at = start
    for line in text[start:end].split("\n"):
        if _RULE.fullmatch(line):
            head, rows = (rows[0], []) if len(rows) == 1 and not head else (head, rows)
        else:
            bars = [at + bar.start() for bar in _BAR.finditer(line)]
            rows.append(
                tuple(_pieces(text, one + 1, other, mark) for one, other in zip(bars, bars[1:], strict=False))
            )
        at += len(line) + 1
    return Lump(head=head, rows=tuple(rows))


def _pieces(text: str, start: int, end: int, mark: tuple[int, int]) -> Cell:
    """Cut text[start:end] where the mark begins and ends."""
    first, last = (min(max(place, start), end) for place in mark)
    parts = ((text[start:first], False), (text[first:last], True), (text[last:end], False))
    return tuple(Piece(words, marked) for words, marked in parts if words)
