"""Terminal output of a run: progress bars, messages, leaderboard."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from medassay.flows.terminal.console import (
    print_titled,
    progress_console,
    results_console,
    visible,
    widths,
)
from medassay.metrics import used_in
from medassay.metrics.metric import Metric
from medassay.models.report.states import NotedNumber, said_in_a_line

SECONDS_A_LINE = 60.0
"""How often a stage is told of where there is no terminal."""


class Bars:
    """Watches a run as progress bars with counts and rates, on stderr."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.progress = Progress(
            TextColumn("{task.description:<10}", markup=False),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", style="yellow", markup=False),
            console=console,
            transient=False,
        )
        self.tasks: dict[str, TaskID] = {}

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Open a bar that counts what is done already."""
        if stage in self.tasks:
            self.progress.update(self.tasks[stage], total=total, completed=total - pending)
            return
        note = "" if pending else "nothing new"
        self.tasks[stage] = self.progress.add_task(
            stage, total=total, completed=total - pending, note=note, rate=""
        )

    def advance(self, stage: str, count: int) -> None:
        """Move the stage's bar."""
        task = self.tasks[stage]
        self.progress.advance(task, count)
        speed = self.progress.tasks[task].speed
        self.progress.update(task, rate=f"{speed:,.1f}/s" if speed else "")

    def end(self, stage: str, note: str) -> None:
        """Fill the bar and say what the stage left undone."""
        task = self.tasks[stage]
        shown = "nothing new" if note == "cached" else note
        self.progress.update(task, completed=self.progress.tasks[task].total, note=shown)
        self.progress.stop_task(task)

    def say(self, line: str) -> None:
        """Print a line above the bars."""
        self.console.print(visible(line), soft_wrap=True)


class Lines:
    """Watches a run where there is no terminal: messages, and a line a minute for stages that take long, on stderr."""

    def __init__(self) -> None:
        self.stages: dict[str, StageProgress] = {}

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Note when the stage starts."""
        self.stages.setdefault(stage, StageProgress(total, total - pending))

    def advance(self, stage: str, count: int) -> None:
        """Print how far the stage is, at most once in `SECONDS_A_LINE`."""
        pace = self.stages[stage]
        pace.done += count
        if time.monotonic() - pace.told >= SECONDS_A_LINE:
            pace.told, pace.is_long = time.monotonic(), True
            self.say(f"{stage}: {pace.said()}")

    def end(self, stage: str, note: str) -> None:
        """Print that a long stage is over, and what it left undone."""
        pace = self.stages[stage]
        if pace.is_long:
            minutes = (time.monotonic() - pace.began) / 60
            self.say(f"{stage}: done after {minutes:,.0f} min{f', {note}' if note else ''}")

    def say(self, line: str) -> None:
        """Print the line."""
        print(visible(line), file=sys.stderr, flush=True)


@dataclass(slots=True)
class StageProgress:
    """How far a stage is: items in all, items done, and when it began and was last told of (seconds)."""

    total: int
    done: int
    first: int = field(init=False)
    began: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)
    is_long: bool = False

    def __post_init__(self) -> None:
        self.first = self.done

    def said(self) -> str:
        """Return the items done and about how many minutes are left."""
        seconds = time.monotonic() - self.began
        left = (self.total - self.done) * seconds / max(1, self.done - self.first)
        return f"{self.done:,} of {self.total:,}, about {math.ceil(left / 60):,} min left"


@contextmanager
def watching() -> Iterator[None]:
    """Show what happens inside, as bars on a terminal and as lines elsewhere."""
    from medassay.tasks.progress import watched_by

    console = progress_console()
    if not console.is_terminal:
        with watched_by(Lines()):
            yield
        return
    bars = Bars(console)
    with bars.progress, watched_by(bars):
        yield


def leaderboard_table(rows: list[dict[str, Any]]) -> Table:
    """Lay the leaderboard out: systems down, metrics across, 95 % intervals where there are any."""
    table = Table()
    table.add_column("rank")
    table.add_column("system", overflow="fold")
    table.add_column("answered", justify="right")
    shown = scored_in(rows)
    for metric in shown:
        table.add_column("\n".join(metric.label.lower().split()), justify="right")
    for row in rows:
        table.add_row(
            _rank(row), row["system"], _answered(row), *(cell(row, metric.name) for metric in shown)
        )
    return table


def narrow_tables(rows: list[dict[str, Any]], width: int) -> Iterator[Table]:
    """Lay the leaderboard out for a narrow terminal: metrics down, systems across, as many in a table as fit."""
    shown = scored_in(rows)
    lines: list[tuple[str, list[Text]]] = [
        ("rank", [Text(_rank(row)) for row in rows]),
        ("answered", [Text(_answered(row)) for row in rows]),
        *((metric.label.lower(), [cell(row, metric.name) for row in rows]) for metric in shown),
    ]
    label = max(len(name) for name, _ in lines) + 4
    a_system = max(len(one.plain) for _, cells in lines for one in cells) + 3
    n_across = max(1, (width - label) // a_system)
    for first in range(0, len(rows), n_across):
        table = Table()
        table.add_column("")
        for row in rows[first : first + n_across]:
            table.add_column(row["system"], justify="right", overflow="fold", max_width=width - label - 3)
        for name, cells in lines:
            table.add_row(name, *cells[first : first + n_across])
        yield table


def scored_in(rows: list[dict[str, Any]]) -> list[Metric]:
    """Return the metrics that some system has a value of; why the others have none stands below the table."""
    return [
        metric
        for metric in used_in("terminal", rows)
        if any(row.get(metric.name) is not None for row in rows)
    ]


def _rank(row: dict[str, Any]) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return "–" if low is None else f"{low}" if low == high else f"{low}–{high}"


def _answered(row: dict[str, Any]) -> str:
    return f"{row['n_answered']}/{row['n_asked']}"


def cell(row: dict[str, Any], metric: str) -> Text:
    """Show a value with its interval; a value that is not there is a dash, never a zero."""
    value, low, high = row.get(metric), row.get(f"{metric}_interval_low"), row.get(f"{metric}_interval_high")
    if value is None:
        return Text("–")
    if low is None or high is None:
        return Text(f"{value:.2f}")
    return Text.assemble(f"{value:.2f} ", (f"{low:.2f}–{high:.2f}", "dim"))


def print_leaderboard(rows: list[dict[str, Any]], title: str) -> None:
    """Print the leaderboard, why a column is empty, what to know of intervals and of the judge."""
    console = results_console(150)
    table = leaderboard_table(rows)
    if widths(console, table).maximum <= console.width:
        print_titled(console, title, table)
    else:
        for part in narrow_tables(rows, console.width):
            print_titled(console, title, part)
    for line in filter(None, [*reasons(rows), caution(rows, console.width - 2)]):
        console.print(f"  {line}")
    for note in sorted({row["judge_note"] for row in rows if row.get("judge_note")}):
        console.print(f"  rubric score: {note}")


def reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Explain every missing number, each reason once, with the systems that it is true of unless it is all."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for metric in used_in("terminal", rows):
        systems: dict[str, list[str]] = {}
        for row in rows:
            if row.get(metric.name) is None and (why := row.get(f"{metric.name}_reason")):
                systems.setdefault(why, []).append(row["system"])
        for why, of in systems.items():
            whose = () if len(of) == len(rows) else tuple(of)
            found.setdefault((why, whose), []).append(metric.label.lower())
    return [
        ", ".join(labels) + (f" of {', '.join(whose)}" if whose else "") + f": – {why}"
        for (why, whose), labels in found.items()
    ]


def caution(rows: list[dict[str, Any]], width: int) -> str:
    """Return a line on what has to be known of intervals."""
    known = (
        NotedNumber(metric.label.lower(), row["system"], row.get(f"{metric.name}_reason") or "")
        for row in rows
        for metric in used_in("terminal", rows)
        if row.get(metric.name) is not None
    )
    return said_in_a_line(known, width)
