"""Prefect artifacts of a run: progress while it runs, then the leaderboard with the link to the report."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

from prefect import get_run_logger
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.client.orchestration import get_client
from prefect.exceptions import ObjectNotFound

from medassay.flows.serve.reports_server import REPORTS_URL
from medassay.models.gate.markdown import as_cell, markdown
from medassay.models.gate.record import GateRecord
from medassay.tasks.progress import Watcher, watched_by, watcher
from medassay.tasks.summary import SHOWN_METRICS, Summary
from medassay.tasks.validate import Validation

LEAST_SECONDS_BETWEEN_UPDATES = 3.0
MOST_ROWS = 200
_NUMBER = re.compile(r"[-–\d]")


class RunLog:
    """Says in the log of a run's page what each stage does, and passes everything on to whoever watched before."""

    def __init__(self, before: Watcher) -> None:
        self.before = before
        self.log = get_run_logger()
        self.began_at = 0.0

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Describe what is to do."""
        self.before.begin(stage, total, pending)
        self.began_at = time.monotonic()
        if pending:
            self.log.info("%s: %d of %d to do", stage, pending, total)
        elif total:
            self.log.info("%s: nothing new of %d", stage, total)

    def advance(self, stage: str, count: int) -> None:
        """Pass it on."""
        self.before.advance(stage, count)

    def end(self, stage: str, note: str) -> None:
        """Describe how it went, but not twice that nothing was to do."""
        self.before.end(stage, note)
        if note != "cached":
            took = time.monotonic() - self.began_at
            self.log.info("%s: done in %.1f s%s", stage, took, f"; {note}" if note else "")

    def say(self, line: str) -> None:
        """Show the line here, too."""
        self.before.say(line)
        self.log.warning("%s", line)


class RunPage(RunLog):
    """Shows a stage's progress on the run's page as well."""

    def __init__(self, before: Watcher) -> None:
        super().__init__(before)
        self.artifact: UUID | None = None
        self.total = self.done = 0
        self.shown_at = 0.0

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Open a progress artifact for a stage that has something to do."""
        super().begin(stage, total, pending)
        self.artifact, self.total, self.done, self.shown_at = None, pending, 0, time.monotonic()
        if pending:
            made = create_progress_artifact(
                progress=0.0,
                key="progress-" + re.sub(r"[^a-z0-9]+", "-", stage.lower()).strip("-"),
                description=f"{stage}: {pending} of {total} to do",
            )
            self.artifact = made if isinstance(made, UUID) else None

    def advance(self, stage: str, count: int) -> None:
        """Move the bar, at most once in a few seconds."""
        super().advance(stage, count)
        self.done += count
        if self.artifact and time.monotonic() - self.shown_at > LEAST_SECONDS_BETWEEN_UPDATES:
            self.shown_at = time.monotonic()
            update_progress_artifact(
                self.artifact, progress=min(100.0, 100.0 * self.done / max(self.total, 1))
            )

    def end(self, stage: str, note: str) -> None:
        """Take the bar away: the page lists artifacts in no order, and the results are to be seen at once."""
        super().end(stage, note)
        if self.artifact:
            with get_client(sync_client=True) as client, suppress(ObjectNotFound):
                client.delete_artifact(self.artifact)
            self.artifact = None


@contextmanager
def progress_on_run_page() -> Iterator[None]:
    """Show progress on the run's page while the block runs."""
    with watched_by(RunPage(watcher())):
        yield


@contextmanager
def told_in_the_log() -> Iterator[None]:
    """Write to the log of this run's page what the stages of a run inside it do, whose own page shows the bars."""
    with watched_by(RunLog(watcher())):
        yield


def show_validation(validation: Validation) -> None:
    """Show what was read, what was accepted, and every rule that rows broke, where rows broke one."""
    if validation.broken:
        create_markdown_artifact(
            key="left-out", markdown=validation.markdown(), description="Rows that were left out, and why"
        )


def show_results(summary: Summary, *tables: tuple[str, list[dict[str, Any]]]) -> None:
    """Show the leaderboard, below it tables of rows under what they are, then where the report and the snapshot are.

    They are one artifact, since a run's page lists several in no order.
    """
    link = report_link(summary.report)
    rows = _table(summary)
    said = "nothing was measured"
    if rows and (first := next((name for name in rows[0] if name != "system"), None)):
        said = f"{first.replace('_', ' ')}: " + ", ".join(f"{row['system']} {row[first]}" for row in rows)
    further = [f"### {title}\n\n{_markdown_table(_cells(shown))}" for title, shown in tables if shown]
    create_markdown_artifact(
        key="leaderboard",
        markdown="\n\n".join([_markdown_table(rows), *further, summary.markdown(link)]),
        description=as_cell(said),
    )
    log = get_run_logger()
    for row in rows:
        log.info(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in row.items()))
    log.info("report: %s", link)


def report_link(report: str) -> str:
    """Return the report's address: on the server of the reports where one runs, else the file's."""
    served = os.environ.get(REPORTS_URL)
    return f"{served}/{Path(report).name}" if served else Path(report).as_uri()


def show_gate(record: GateRecord) -> None:
    """Show what a gate says of the run."""
    create_markdown_artifact(
        key="gate", markdown=markdown(record), description=f"Gate: {record.verdict.replace('_', ' ')}"
    )


def show_table(key: str, rows: list[dict[str, Any]], description: str) -> None:
    """Show rows of results as a table, the first 200 of them; the others are in the snapshot."""
    if len(rows) > MOST_ROWS:
        description += f"; the first {MOST_ROWS} of {len(rows)} rows"
    shown = [
        {name: _shown(value) if isinstance(value, float | None) else value for name, value in row.items()}
        for row in rows[:MOST_ROWS]
    ]
    create_table_artifact(key=key, table=shown, description=description)


def _cells(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows as words; columns in which nothing stands are left out, and rows after the first 200."""
    filled = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return [{name: _cell(row[name]) for name in filled} for row in rows[:MOST_ROWS]]


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}" if value == 0 or abs(value) >= 0.1 else f"{value:.3f}"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _table(summary: Summary) -> list[dict[str, str]]:
    measured = [m for m in SHOWN_METRICS if any(row.get(m) is not None for row in summary.leaderboard)]
    return [
        {"system": row["system"], **{metric: _with_interval(row, metric) for metric in measured}}
        for row in summary.leaderboard
    ]


def _markdown_table(rows: list[dict[str, str]]) -> str:
    """Return rows as a Markdown table, columns of words flush left."""
    head = [name.replace("_", " ") for name in rows[0]] if rows else []
    cells = [
        head,
        [
            "--:" if all(_NUMBER.match(row[name]) for row in rows) else ":--"
            for name in (rows[0] if rows else ())
        ],
        *([as_cell(one) for one in row.values()] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(one)} |" for one in cells if head)


def _with_interval(row: dict[str, Any], metric: str) -> str:
    low, high = row.get(f"{metric}_interval_low"), row.get(f"{metric}_interval_high")
    return _shown(row.get(metric)) + ("" if low is None or high is None else f" ({low:.2f}–{high:.2f})")


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
