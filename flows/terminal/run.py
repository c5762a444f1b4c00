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

from medassay.flows.terminal.console import print_titled, progress_console, results_console, visible
from medassay.metrics import used_in
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
    shown = used_in("terminal", rows)
    for metric in shown:
        table.add_column(metric.label.lower(), justify="right")
    for row in rows:
        low, high = row["rank_low"], row["rank_high"]
        table.add_row(
            "–" if low is None else f"{low}" if low == high else f"{low}–{high}",
            row["system"],
            f"{row['n_answered']}/{row['n_asked']}",
            *(cell(row, metric.name) for metric in shown),
        )
    return table


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
    print_titled(console, title, leaderboard_table(rows))
    for line in filter(None, [*reasons(rows), caution(rows)]):
        console.print(f"  {line}")
    for note in sorted({row["judge_note"] for row in rows if row.get("judge_note")}):
        console.print(f"  rubric score: {note}")


def reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Explain every dash, each reason once, with the systems that it is true of unless it is all."""
    lines = []
    for metric in used_in("terminal", rows):
        systems: dict[str, list[str]] = {}
        for row in rows:
            if row.get(metric.name) is None and (why := row.get(f"{metric.name}_reason")):
                systems.setdefault(why, []).append(row["system"])
        for why, of in systems.items():
            whose = "" if len(of) == len(rows) else f" of {', '.join(of)}"
            lines.append(f"{metric.label.lower()}{whose}: – {why}")
    return lines


def caution(rows: list[dict[str, Any]]) -> str:
    """Return a line on what has to be known of intervals."""
    return said_in_a_line(
        NotedNumber(metric.label.lower(), row["system"], row.get(f"{metric.name}_reason") or "")
        for row in rows
        for metric in used_in("terminal", rows)
        if row.get(metric.name) is not None
    )
