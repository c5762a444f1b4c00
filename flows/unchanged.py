"""Fast path for runs without new work: finish them without Prefect."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from medassay.flows.engine import server_may_be_named
from medassay.models.hub import hub_closed
from medassay.models.intake import IntakeError
from medassay.models.settings import Settings
from medassay.sql.home import WORK_FILE
from medassay.sql.warehouse import Warehouse, warehouse_at
from medassay.tasks.aggregate import aggregate
from medassay.tasks.ingest import ingest
from medassay.tasks.phi import PhiFound, refuse_phi
from medassay.tasks.progress import watched_by, watcher
from medassay.tasks.publish import publish_snapshot, write_report
from medassay.tasks.run import BadData, HomeBusy, RunRef, begin, home_lock, new_run_id
from medassay.tasks.stages.order import STAGES
from medassay.tasks.summary import refuse_too_many_failures, summarise
from medassay.tasks.validate import validate


class _SomethingNew(Exception):
    """A stage has work to do."""


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
    if (
        settings.retry
        or settings.entail_on != "here"
        or server_may_be_named()
        or not (home / WORK_FILE).exists()
    ):
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
                _reuse(run)
            for line in held.said:
                watcher().say(line)
            snapshot = publish_snapshot(run)
            summary = summarise(run, snapshot, write_report(home, run.run_id))
    except (_SomethingNew, HomeBusy, BadData, IntakeError, PhiFound):
        return None
    refuse_too_many_failures(summary, settings.max_failed)
    return summary.as_dict()


def _may_be_unchanged(warehouse: Warehouse, settings: Settings) -> bool:
    """Say whether this data was evaluated before, and nothing is left that only the flow clears away."""
    known: bool = warehouse.value(
        "select exists (from run where state = 'finished' and data = ?)"
        " and not exists (from run where state = 'running')"
        " and not exists (from entail_shard where state = 'sent' or laid)",
        [str(Path(settings.data).resolve())],
    )
    return known


def _reuse(run: RunRef) -> None:
    """Take a begun run to its frozen results with what is there already.

    Raises:
        _SomethingNew: where anything is to be computed.
    """
    ingest(run)
    validate(run)
    refuse_phi(run)
    for stage in STAGES:
        if not stage.reused(run):
            raise _SomethingNew
    aggregate(run)
