"""Calls of no run, and the prices that were known when they were made → `other_costs`."""

from datetime import UTC, date, datetime
from typing import Any

from medassay.sql.warehouse import Warehouse


def call(at: str, model: str, *, run_id: str | None = None, stage: str = "answer") -> dict[str, Any]:
    return {
        "request_key": at, "sample_no": 0, "attempt": 1, "endpoint": "e", "model_asked": model, "prompt_digest": "d",
        "status": "ok", "prompt_tokens": 1000, "completion_tokens": 100, "latency_s": 2.0,
        "asked_at": datetime.fromisoformat(at).replace(tzinfo=UTC), "run_id": run_id, "stage": stage,
    }  # fmt: skip


def price(at: str, model: str, prompt: float | None) -> dict[str, Any]:
    told_at = datetime.fromisoformat(at).replace(tzinfo=UTC)
    known = {"prompt_per_million": prompt, "completion_per_million": 0.0, "currency": "EUR"} if prompt else {}
    return {"model": model, "told_at": told_at, **known}


def test_a_call_costs_what_its_model_cost_then_and_one_of_a_run_is_not_counted(warehouse: Warehouse) -> None:
    warehouse.append(
        "asking_price",
        [
            price("2026-01-01T10:00", "m", 500.0),
            price("2026-01-02T10:00", "m", 1000.0),
            price("2026-01-03T10:00", "m", None),
        ],
    )
    warehouse.append(
        "model_call",
        [
            call("2026-01-01T09:00", "m"),
            call("2026-01-01T11:00", "m"),
            call("2026-01-01T12:00", "m"),
            call("2026-01-02T11:00", "m", stage="licence"),
            call("2026-01-02T11:01", "m", run_id="r"),
            call("2026-01-03T11:00", "m"),
            call("2026-01-03T12:00", "other"),
        ],
    )
    rows = warehouse.rows(
        "select day, stage, model, n_calls, prompt_tokens, money, currency from other_costs order by all"
    )
    assert [tuple(row.values()) for row in rows] == [
        (date(2026, 1, 1), "answer", "m", 1, 1000, None, None),
        (date(2026, 1, 1), "answer", "m", 2, 2000, 1.0, "EUR"),
        (date(2026, 1, 2), "licence", "m", 1, 1000, 1.0, "EUR"),
        (date(2026, 1, 3), "answer", "m", 1, 1000, None, None),
        (date(2026, 1, 3), "answer", "other", 1, 1000, None, None),
    ]
