"""Prune a home to its last runs, then unreachable rows, then disk space."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from medassay.models.usage import UsageError
from medassay.sql.damage import RESULTS_LINK
from medassay.sql.home import WORK_FILE
from medassay.sql.retention import prune_home
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse, statement, warehouse_at
from medassay.tasks.browsing.tags import drop_tags


@dataclass(frozen=True)
class Pruned:
    """What stayed and what went; rows by table as (before, after), sizes of the work file in bytes."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    rows: dict[str, tuple[int, int]]
    bytes_before: int
    bytes_after: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        return asdict(self)


def kept_runs(warehouse: Warehouse, keep: int) -> list[str]:
    """Return the runs that stay: the last `keep` finished ones, the last of every data set, and what is not yet over.

    A run that was killed or failed stays while no later run of its data set has finished: its successor uses its rows.

    Raises:
        UsageError: when nothing would stay.
    """
    if keep < 1:
        raise UsageError(f"keep is {keep}: choose 1 or more")
    rows = warehouse.rows(statement("statements/prune/kept_runs"), {"keep": keep})
    return [row["run_id"] for row in rows]


def prune(home: Path, keep: int, *, raw: bool = False) -> Pruned:
    """Drop old runs from a home that the caller holds, and publish what is left of its history.

    The last three snapshots stay as they are; only the newest is written anew, so that it tells of kept runs alone.
    """
    return _keep(home, kept_runs(warehouse_at(home), keep), raw=raw)


def drop_run(home: Path, run_id: str) -> Pruned:
    """Drop one run from a home that the caller holds, with its report, and every snapshot that tells of it.

    Raises:
        UsageError: where there is no such run, it has not ended, or it is the only one that has results.
    """
    runs = warehouse_at(home).rows("select run_id, state from run order by run_id")
    states = {row["run_id"]: row["state"] for row in runs}
    if run_id not in states:
        raise UsageError(f"no run {run_id} in {home}")
    if states[run_id] == "running":
        raise UsageError(f"run {run_id} has not ended yet")
    if not any(state == "finished" for one, state in states.items() if one != run_id):
        raise UsageError(f"run {run_id} is the only one with results; delete {home} itself to be rid of it")
    done = _keep(home, [one for one in states if one != run_id], raw=False)
    newest = (home / RESULTS_LINK).resolve()
    for snapshot in (home / "snapshots").glob("*.duckdb"):
        if snapshot.resolve() != newest:
            snapshot.unlink()
    return done


def _keep(home: Path, kept: list[str], *, raw: bool) -> Pruned:
    warehouse = warehouse_at(home)
    every = [row["run_id"] for row in warehouse.rows("select run_id from run order by run_id")]
    dropped = tuple(run_id for run_id in every if run_id not in set(kept))
    before = _size(home)
    rows = prune_home(home, kept, raw=raw)
    warehouse = warehouse_at(home)
    newest = warehouse.value(
        "select run_id from run where state = 'finished' order by started_at desc, run_id desc limit 1"
    )
    if newest:
        publish(warehouse, home, newest)
    for run_id in dropped:
        (home / "reports" / f"{run_id}.html").unlink(missing_ok=True)
    drop_tags(home, dropped)
    return Pruned(tuple(kept), dropped, rows, before, _size(home))


def _size(home: Path) -> int:
    return (home / WORK_FILE).stat().st_size
