"""The ledger of model calls in the warehouse: on disk before the next call is made."""

from dataclasses import fields

from models.chat.ledger import CallRecord
from sql.warehouse import Warehouse

_NAMES = tuple(field.name for field in fields(CallRecord))
COLUMNS = ", ".join(_NAMES)


class WarehouseLedger:
    """Finds what was asked before, in any run, and writes down what is asked now."""

    def __init__(self, warehouse: Warehouse, run_id: str | None, stage: str) -> None:
        self.warehouse = warehouse
        self.run_id = run_id
        self.stage = stage
        self._asked: set[str] | None = None

    def find(self, request_key: str, sample_no: int) -> CallRecord | None:
        """Return the last attempt of this call, None if it was never made.

        Which calls there are is looked up once: a home has one writer, and most calls of a run are new.
        """
        if self._asked is None:
            rows = self.warehouse.rows("select distinct request_key from model_call")
            self._asked = {row["request_key"] for row in rows}
        if request_key not in self._asked:
            return None
        rows = self.warehouse.rows(
            f"select {COLUMNS} from model_call where request_key = ? and sample_no = ? order by attempt desc limit 1",
            [request_key, sample_no],
        )
        return CallRecord(**rows[0]) if rows else None

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
