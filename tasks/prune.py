"""Prune a home to its last runs, then unreachable rows, then disk space."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from medassay.models.usage import UsageError
from medassay.sql.home import WORK_FILE
from medassay.sql.retention import prune_home
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse, statement, warehouse_at


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
    warehouse = warehouse_at(home)
    kept = kept_runs(warehouse, keep)
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
    return Pruned(tuple(kept), dropped, rows, before, _size(home))


def _size(home: Path) -> int:
    return (home / WORK_FILE).stat().st_size
