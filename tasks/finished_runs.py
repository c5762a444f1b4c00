"""Find a finished run of this home by id, name or prefix."""

from dataclasses import dataclass

from medassay.models.usage import UsageError
from medassay.sql.home import WarehouseError
from medassay.sql.warehouse import Readable


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """Which run it is, and of what data."""

    run_id: str
    dataset: str
    profile: str


def finished_run(warehouse: Readable, named: str | None) -> FinishedRun:
    """Find a finished run by its id or name; the last one unless named, or where `last` is said.

    Raises:
        WarehouseError: where there is none at all.
        UsageError: where it is not the one that was named.
    """
    runs = warehouse.rows(
        "select run_id, name, dataset, profile from run where state = 'finished' order by started_at desc"
    )
    if not runs:
        raise WarehouseError(
            "no finished run in this home; run `medassay evaluate DATA` first, or set MEDASSAY_HOME"
        )
    for row in runs:
        if named in (None, "last", row["run_id"], row["name"]):
            return FinishedRun(row["run_id"], row["dataset"], row["profile"])
    raise UsageError(f'no finished run {named!r} in this home; see: medassay query "from runs"')
