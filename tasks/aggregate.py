"""Pins → frozen results: every mart computed once, in the transaction that finishes the run."""

from datetime import UTC, datetime
from typing import Any

from sql.warehouse import Row, Warehouse
from tasks.agree import freeze_agreement
from tasks.compare import freeze_comparisons
from tasks.run import RunRef

# In the order in which they read each other.
MARTS = ("question", "nugget", "answer", "nugget_state", "claim", "citation", "judgement", "score", "cost")

OUT_OF_HUNDRED = ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety")


def aggregate(run: RunRef) -> dict[str, int]:
    """Append the run's marts and set `finished_at`, or do nothing at all; return rows per mart."""
    warehouse = run.warehouse
    counts = {}
    with warehouse.transaction():
        for mart in MARTS:
            warehouse.execute(f"insert into mart.{mart} by name from new_{mart}")
            counts[mart] = int(
                warehouse.value(f"select count(*) from mart.{mart} where run_id = ?", [run.run_id])
            )
        counts["system_score"] = freeze_system_scores(warehouse, run.run_id)
        counts["comparison"] = freeze_comparisons(warehouse, run.run_id)
        counts["agreement"] = freeze_agreement(warehouse, run.run_id)
        warehouse.execute("delete from landing where run_id = ?", [run.run_id])
        warehouse.execute(
            "update run set state = 'finished', finished_at = ? where run_id = ?",
            [datetime.now(UTC), run.run_id],
        )
    return counts


def freeze_system_scores(warehouse: Warehouse, run_id: str) -> int:
    """Append each system's means with their intervals over questions."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for row in warehouse.rows(
        "select system, profile, metric, value from mart.score"
        " where run_id = ? and value is not null order by question_id",
        [run_id],
    ):
        values.setdefault((row["system"], row["profile"], row["metric"]), []).append(row["value"])
    rows = warehouse.rows("from new_system_score order by system, profile, metric")
    return warehouse.append("mart.system_score", [with_interval(row, values) for row in rows])


def with_interval(row: Row, values: dict[tuple[str, str, str], list[float]]) -> dict[str, Any]:
    """Add `low` and `high`, the 95 % interval of the mean, where there are enough questions for one."""
    from models.statistics.intervals import mean_interval

    sample = values.get((row["system"], row["profile"], row["metric"]), [])
    interval = mean_interval(sample, highest=100.0 if row["metric"] in OUT_OF_HUNDRED else 1.0)
    return {**row, "low": interval.low, "high": interval.high}
