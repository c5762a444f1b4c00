"""A clock that is set back: the newest run stays the newest, and nothing lasts less than no time."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from medassay.models.settings import Settings
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse
from medassay.tasks.progress import watched_by
from medassay.tasks.run import started_run
from tests.rows import run_row
from tests.runs import Told

AHEAD = datetime(2999, 1, 1, tzinfo=UTC)


def test_a_run_by_a_clock_that_was_set_back_is_dated_after_the_last(home: Path, warehouse: Warehouse) -> None:
    ended = AHEAD + timedelta(minutes=3)
    warehouse.insert("run", [run_row("ahead", started_at=AHEAD, finished_at=ended)])
    told = Told()
    with watched_by(told):
        for _ in range(2):
            try:
                with started_run(home, Settings(str(home), judge="none", reader="none")):
                    raise ValueError("stopped")
            except ValueError:
                pass
    found = warehouse.rows("select * from run where run_id <> 'ahead' order by started_at")
    assert [row["started_at"] - ended for row in found] == [timedelta(microseconds=n) for n in (1, 2)]
    assert all(row["finished_at"] >= row["started_at"] for row in found)
    assert [line.partition(", ")[2] for line in told.lines] == [
        "and the last run here was at 2999-01-01 00:03: this run is dated right after that"
    ] * 2


def test_the_newest_published_file_is_the_newest_by_its_time_too(home: Path, warehouse: Warehouse) -> None:
    """By it the last three are kept, and what is sound is found again."""
    for run_id in "dcba":
        published = publish(warehouse, home, run_id)
        if run_id == "d":
            tomorrow = time.time() + 86_400
            os.utime(published, (tomorrow, tomorrow))
    by_time = sorted((home / "snapshots").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    assert [file.name for file in by_time] == ["c.duckdb", "b.duckdb", "a.duckdb"]
