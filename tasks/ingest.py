"""Files → landed rows, as they were read; what cannot be read goes to quarantine with its line."""

import json
from pathlib import Path

from models.intake import BadRow, read_data
from sql.warehouse import Row
from tasks.progress import watcher
from tasks.run import RunRef

CHUNK = 2_000


def ingest(run: RunRef) -> int:
    """Land every row of the run's data; return how many.

    Rows stream through in chunks: memory does not grow with the files.

    Raises:
        IntakeError: when a file cannot be read at all.
    """
    warehouse = run.warehouse
    data = read_data(Path(run.settings.data))
    warehouse.execute("update run set shape = ? where run_id = ?", [data.shape, run.run_id])
    watcher().begin("ingest", 0, 0)
    landed: list[Row] = []
    rejected: list[Row] = []
    count = 0

    def flush() -> None:
        with warehouse.transaction():
            warehouse.append("landing", landed)
            warehouse.append("rejected_row", rejected)
        landed.clear()
        rejected.clear()

    for row in data.rows:
        count += 1
        if isinstance(row, BadRow):
            rejected.append(unreadable(run, row))
        else:
            landed.append(
                {
                    "run_id": run.run_id,
                    "kind": row.kind,
                    "file": row.file,
                    "line": row.place.line,
                    "item": row.place.item,
                    "value": json.dumps(row.value, ensure_ascii=False),
                }
            )
        if len(landed) + len(rejected) >= CHUNK:
            flush()
    flush()
    for line in data.warnings:
        watcher().say(line)
    watcher().end("ingest", f"read as {data.shape}")
    return count


def unreadable(run: RunRef, row: BadRow) -> Row:
    """Build the quarantine row of a line that could not be read."""
    return {
        "run_id": run.run_id,
        "table_name": row.kind or "file",
        "row_key": None,
        "file": row.file,
        "line": row.line,
        "rule": row.rule,
        "observed": row.observed,
        "advice": row.advice,
        "value": None,
    }
