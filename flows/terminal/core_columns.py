"""A view as a table that fits the terminal: its first columns, without those and the rows in which nothing stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from medassay.flows.terminal.console import results_console, widths
from medassay.flows.terminal.query import MOST_ROWS, WIDTH_ELSEWHERE, side_by_side
from medassay.models.counting import counted
from medassay.sql.snapshot import Table
from medassay.sql.view_map import view_map

VALUES = ("value", "difference")
"""Columns that hold the number of a metric, in views with a row a metric."""
FEWEST = 2
"""So many columns are shown however narrow the terminal is."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is left of a table: its columns that fit, its rows, and the metrics that no row has a value of."""

    table: Table
    of_run: str | None
    empty_metrics: list[str] = field(default_factory=list)


def print_view(view: str, table: Table) -> None:
    """Print a view's rows under as many of its first columns as fit, and say how to get the others."""
    names, _, rows = table
    if not rows:
        print("0 rows")
        return
    console = results_console(WIDTH_ELSEWHERE)
    shown = core_of(view, table)
    fit = [shown.table[0][place] for place in fitting(shown.table, console.width)]
    few = taken(shown.table, [shown.table[0].index(name) for name in names if name in fit])
    console.print(side_by_side(few[0], few[1], few[2][:MOST_ROWS], broken=True))
    n_rows = len(few[2])
    said = f"{MOST_ROWS} of {counted(n_rows, 'row')}" if n_rows > MOST_ROWS else counted(n_rows, "row")
    print(said + (f" of run {shown.of_run}" if shown.of_run else ""))
    if n := len(shown.empty_metrics):
        print(f"{counted(n, 'metric')} without a value left out; --csv and --json have them")
    if len(few[0]) < len(names):
        print(f"{len(few[0])} of {counted(len(names), 'column')}; --all-columns, --csv or --json show all")


def core_of(view: str, table: Table) -> Shown:
    """Return a view's columns in the order in which they matter, without those in which nothing stands.

    The run's id is said once where all rows are of one run; a metric that no row has a value of has no row.
    """
    names, types, rows = table
    rows, empty = _measured(names, rows)
    known = view_map().get(view)
    order = [name for name in (known.shows if known else names) if name in names]
    of_run = None
    if "run_id" in names and not (known and "run_id" in known.shows):
        runs = {row[names.index("run_id")] for row in rows}
        of_run = next(iter(runs)) if len(runs) == 1 else None
        order = [*(() if of_run else ("run_id",)), *(name for name in order if name != "run_id")]
    places = [place for place in map(names.index, order) if any(row[place] is not None for row in rows)]
    return Shown(taken((names, types, rows), places), of_run, empty)


def fitting(table: Table, width: int) -> list[int]:
    """Return the places of the columns that have room side by side, the first ones first."""
    names, types, rows = table
    console = results_console(width)
    chosen: list[int] = []
    for place in range(len(names)):
        few = taken((names, types, rows[:MOST_ROWS]), [*chosen, place])
        if len(chosen) < FEWEST or widths(console, side_by_side(*few, broken=True)).minimum <= width:
            chosen.append(place)
    return chosen


def taken(table: Table, places: Sequence[int]) -> Table:
    """Return the columns at these places."""
    names, types, rows = table
    return (
        [names[place] for place in places],
        [types[place] for place in places],
        [tuple(row[place] for place in places) for row in rows],
    )


def _measured(names: Sequence[str], rows: list[tuple[Any, ...]]) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the rows of metrics that some row has a value of, and the names of the others."""
    value = next((names.index(name) for name in VALUES if name in names), None)
    if value is None or "metric" not in names:
        return rows, []
    metric = names.index("metric")
    measured = {row[metric] for row in rows if row[value] is not None}
    empty = sorted({row[metric] for row in rows} - measured)
    return ([row for row in rows if row[metric] in measured], empty) if measured else (rows, [])
