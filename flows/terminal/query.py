"""Terminal output of query results: a table, or records when it is too wide."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Printed
from rich.text import Text

from medassay.flows.terminal.console import results_console, visible, widths
from medassay.models.counting import counted

if TYPE_CHECKING:
    from medassay.sql.snapshot import Table

MOST_ROWS = 100
MOST_RECORDS = 20
WIDEST_CELL = 160
WIDTH_ELSEWHERE = 200
LEAST_OF_A_SENTENCE = 26
LEAST_SHOWN = 0.0005
_NUMBERS = re.compile(r"INT|DOUBLE|FLOAT|DECIMAL")
ALL = "--csv or --json print them all"


def print_rows(table: "Table") -> None:
    """Print a query's rows side by side where every word fits, else each row as a list of its columns."""
    names, types, rows = table
    if not names:
        print("done; the statement has no rows")
        return
    console = results_console(WIDTH_ELSEWHERE)
    printed = side_by_side(names, types, rows[:MOST_ROWS])
    fits = widths(console, printed).minimum <= console.width
    if fits:
        console.print(printed)
    else:
        print_records(console, names, rows[:MOST_RECORDS])
    most = MOST_ROWS if fits else MOST_RECORDS
    said = f"{most} of {counted(len(rows), 'row')}; {ALL}" if len(rows) > most else counted(len(rows), "row")
    if rows and not fits:
        print(f"{said}; {counted(len(names), 'column')} do not fit side by side: select fewer for a table")
    elif len(rows) != 1:
        print(said)


def side_by_side(
    names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Any]], *, broken: bool = False
) -> Printed:
    """Lay rows out as a table, numbers flush right.

    Args:
        names: of the columns.
        types: of the columns.
        rows: in the same order.
        broken: break long names at their underscores, and give sentences the width to be read in.
    """
    printed = Printed()
    for place, (name, kind) in enumerate(zip(names, types, strict=True)):
        longest = max((len(cell(row[place])) for row in rows), default=0)
        printed.add_column(
            visible(name).replace("_", "_\n") if broken and len(name) > longest else name,
            justify="right" if _NUMBERS.search(kind) else "left",
            overflow="fold",
            min_width=min(longest, LEAST_OF_A_SENTENCE) if broken else None,
        )
    for row in rows:
        printed.add_row(*(cell(value) for value in row))
    return printed


def print_records(console: Console, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows one below the other, each column's name beside its value."""
    width = min(max(map(cell_len, names)), console.width // 2)
    for number, row in enumerate(rows, 1):
        console.print(f"── row {number} ──")
        for name, value in zip(names, row, strict=True):
            label = Text(visible(name), style="dim")
            label.truncate(width, overflow="ellipsis", pad=True)
            for line in Text(cell(value)).wrap(console, console.width - width - 2):
                console.print(Text.assemble(label, "  ", line))
                label = Text(" " * width)


def cell(value: object) -> str:
    """Show a value on one line, shortened where it is long; a dash is NULL."""
    if value is None:
        return "–"
    if isinstance(value, float):
        if 0 < abs(value) < LEAST_SHOWN:  # a distance to a cut-off is never shown as none
            return f"{value:.1e}"
        return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    text = visible(" ".join(str(value).split()))
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"
