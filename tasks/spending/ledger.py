"""The ledger of model calls in the warehouse: on disk before the next call is made."""

from dataclasses import fields

from medassay.models.chat.ledger import ANSWERED, NEVER_ASKED, CallRecord, LedgerEntry
from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Step

_NAMES = tuple(field.name for field in fields(CallRecord))
COLUMNS = ", ".join(_NAMES)


class WarehouseLedger:
    """Finds what was asked before, in any run, and writes down what is asked now."""

    def __init__(self, warehouse: Warehouse, run_id: str | None, stage: str, *, again: bool = False) -> None:
        """Open the ledger for a stage of a run.

        Args:
            warehouse: where it lies.
            run_id: the run that asks; None where none does.
            stage: what the run asks for.
            again: whether what could not be used in earlier runs is asked for again (`--retry`).
        """
        self.warehouse = warehouse
        self.run_id = run_id
        self.stage = stage
        self.again = again
        self._asked: set[str] | None = None

    def find(self, request_key: str, sample_no: int) -> LedgerEntry:
        """Return how often this call was made, and the answer that counts.

        Which calls there are is looked up once: a home has one writer, and most calls of a run are new.
        """
        if self._asked is None:
            rows = self.warehouse.rows("select distinct request_key from model_call")
            self._asked = {row["request_key"] for row in rows}
        if request_key not in self._asked:
            return NEVER_ASKED
        rows = self.warehouse.rows(
            f"select {COLUMNS}, run_id from model_call where request_key = ? and sample_no = ?"
            " order by attempt desc limit 1",
            [request_key, sample_no],
        )
        if not rows:
            return NEVER_ASKED
        by_run = rows[0].pop("run_id")
        call = CallRecord(**rows[0])
        asked_anew = self.again and by_run != self.run_id
        counts = call.is_answer and (call.status == "ok" or not asked_anew)
        return LedgerEntry(call.attempt, call if counts else None, only_if_usable=asked_anew)

    def record(self, *calls: CallRecord) -> None:
        """Append calls; DuckDB has written them to the log of the file when this returns."""
        if self._asked is not None:
            self._asked.update(call.request_key for call in calls)
        self.warehouse.append(
            "model_call",
            [
                {**{name: getattr(call, name) for name in _NAMES}, "run_id": self.run_id, "stage": self.stage}
                for call in calls
            ],
        )


def ledger_for(step: Step) -> WarehouseLedger:
    """Open the ledger for a stage at work; with `--retry` it does not answer for what could not be used before."""
    return WarehouseLedger(step.warehouse, step.run.run_id, step.stage, again=step.settings.retry)


def answered_calls(warehouse: Warehouse, settings: Settings) -> set[tuple[str, int]]:
    """Return every call whose answer on disk will be used: it is not paid for again."""
    statuses = {"ok"} if settings.retry else ANSWERED
    rows = warehouse.rows(
        "select distinct request_key, sample_no from model_call where status in (select unnest(?))",
        [sorted(statuses)],
    )
    return {(row["request_key"], row["sample_no"]) for row in rows}


def count_late(run: RunRef, stage: str) -> None:
    """Freeze what a finished run's calls of a stage cost; what was frozen of that stage before is replaced."""
    warehouse = run.warehouse
    warehouse.execute("delete from mart.cost where run_id = ? and stage = ?", [run.run_id, stage])
    warehouse.execute(
        "insert into mart.cost by name from new_cost where run_id = ? and stage = ?", [run.run_id, stage]
    )
