"""Tables drawn with spaces: `TSH      0.4–4.0      mIU/L` below `Test      Range        Units`."""

import re
from collections.abc import Iterator, Sequence

_LINE = re.compile(r"[^\n]+")
_GAP = re.compile(r"(?<![.!?:;,\s])[ ]{2,}(?=\S)")
_NO_ROW = re.compile(r"[ \t]*(?:[-*+•#>|\[{(]|\d{1,3}[.)][ \t]|[^\n]*[|\t])")
_LONGEST_CELL = 60
_FEWEST_COLUMNS = 3
_FEWEST_ROWS = 2
_FEWEST_ROWS_OF_TWO = 3
_WIDE = 3
_DEEP = 4


def with_bars(text: str) -> str:
    """Put a bar or tabs into the gaps between the columns of such a table; the text keeps its length.

    Lines are one where two of them, one right below the other, have as many gaps of two spaces; with two columns, three
    lines whose second column begins at the same place. What stands before an empty first cell is a cell, too.
    """
    if "  " not in text:
        return text
    kept = list(text)
    for table in _tables(text):
        for line, gaps in table:
            indent = len(line[0]) - len(line[0].lstrip())
            indented = indent >= _DEEP
            if indented:
                kept[line.start()] = kept[line.start() + indent - 1] = "|"
            for gap in gaps:
                kept[gap.start()] = "|" if indented else "\t"
            if len(gaps) == 1 and not indented:
                kept[gaps[0].start() + 1] = "\t"  # an empty cell: one tab makes no row
    return "".join(kept)


def _tables(text: str) -> Iterator[Sequence[tuple[re.Match[str], list[re.Match[str]]]]]:
    run: list[tuple[re.Match[str], list[re.Match[str]]]] = []
    last = -1
    for line in _LINE.finditer(text):
        gaps = _gaps(text, line)
        if run and (line.start() != last + 1 or _columns(run[-1]) != _columns((line, gaps)) or not gaps):
            if _is_table(run):
                yield run
            run = []
        if gaps:
            run.append((line, gaps))
        last = line.end()
    if _is_table(run):
        yield run


def _gaps(text: str, line: re.Match[str]) -> list[re.Match[str]]:
    if "  " not in line[0] or _NO_ROW.match(text, line.start(), line.end()):
        return []
    first = line.start() + len(line[0]) - len(line[0].lstrip())
    gaps = [gap for gap in _GAP.finditer(text, first, line.end())]
    cells = re.split(r"[ ]{2,}", line[0].strip())
    return gaps if max(map(len, cells)) <= _LONGEST_CELL and len(cells) == len(gaps) + 1 else []


def _columns(row: tuple[re.Match[str], list[re.Match[str]]]) -> int:
    line, gaps = row
    return len(gaps) + 1 + line[0].startswith(" " * _DEEP)


def _is_table(run: Sequence[tuple[re.Match[str], list[re.Match[str]]]]) -> bool:
    if not run:
        return False
    if _columns(run[0]) >= _FEWEST_COLUMNS:
        return len(run) >= _FEWEST_ROWS
    begins = {gaps[0].end() - line.start() for line, gaps in run}
    wide = all(len(gaps[0][0]) >= _WIDE for _, gaps in run[1:])
    return len(run) >= _FEWEST_ROWS_OF_TWO and len(begins) == 1 and wide
