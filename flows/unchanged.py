"""Fast path for runs without new work: finish them without Prefect."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from medassay.flows.engine import server_may_be_named
from medassay.models.intake import IntakeError
from medassay.models.settings import Settings
from medassay.models.weights.hub import hub_closed
from medassay.sql.home import WORK_FILE
from medassay.sql.warehouse import Warehouse, warehouse_at
from medassay.tasks.phi import PhiFound
from medassay.tasks.pipeline import Executor, execute, publish
from medassay.tasks.progress import watched_by, watcher
from medassay.tasks.run import BadData, HomeBusy, RunRef, begin, home_lock, new_run_id
from medassay.tasks.stages.stage import Stage
from medassay.tasks.summary import refuse_too_many_failures


class _SomethingNew(Exception):
    """A stage has work to do."""


class _ReuseOnly(Executor):
    """Records stages that were computed before, and gives up at the first that was not."""

    def run_stage(self, stage: Stage, run: RunRef) -> None:  # what was done was done before
        """Record a stage of which nothing is pending.

        Raises:
            _SomethingNew: where anything is to be computed.
        """
        if not stage.make_ready(run):
            return
        n_items, n_pending, _ = stage.count(run)
        if n_pending:
            raise _SomethingNew
        stage.reuse(run, n_items)


class _Held:
    """Keeps what is said until it is known whether the run stands."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Let it pass."""

    def advance(self, stage: str, count: int) -> None:
        """Let it pass."""

    def end(self, stage: str, note: str) -> None:
        """Let it pass."""

    def say(self, line: str) -> None:
        """Keep the line."""
        self.said.append(line)


def evaluate_unchanged(settings: Settings, home: Path) -> dict[str, Any] | None:
    """Finish and publish a run of which every stage was computed before; else leave no trace and return None.

    Not where Prefect's server is named, whose page shows every run, nor where the data cannot be evaluated: the flow
    then says why.

    Raises:
        TooManyFailed: as the flow does.
    """
    if settings.retry or server_may_be_named() or not (home / WORK_FILE).exists():
        return None
    held = _Held()
    now = datetime.now(UTC)
    run = RunRef(str(home), new_run_id(now))
    try:
        with hub_closed(settings.offline), home_lock(home, run.run_id, wait=False):
            warehouse = warehouse_at(home)
            if not _may_be_unchanged(warehouse, settings):
                return None
            with watched_by(held), warehouse.transaction():
                warehouse.execute("delete from landing")
                begin(warehouse, run, settings, now)
                execute(run, _ReuseOnly())
            for line in held.said:
                watcher().say(line)
            summary = publish(run)
    except (_SomethingNew, HomeBusy, BadData, IntakeError, PhiFound):
        return None
    refuse_too_many_failures(summary, settings.max_failed)
    return summary.as_dict()


def _may_be_unchanged(warehouse: Warehouse, settings: Settings) -> bool:
    """Return whether this data was evaluated before, and nothing is left that only the flow clears away."""
    known: bool = warehouse.value(
        "select exists (from run where state = 'finished' and data = ?)"
        " and not exists (from run where state = 'running')",
        [str(Path(settings.data).resolve())],
    )
    return known
