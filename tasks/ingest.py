"""Land rows of input files as read; unreadable rows go to quarantine with their line."""

import json
from pathlib import Path

from medassay.models.intake import BadRow, read_data
from medassay.sql.warehouse import Row
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.validate import ROW_KEYS

CHUNK = 2_000


def ingest(run: RunRef) -> int:
    """Land every row of the run's data; return how many.

    Rows stream through in chunks: memory does not grow with the files.

    Raises:
        IntakeError: when a file cannot be read at all.
    """
    warehouse = run.warehouse
    data = read_data(Path(run.settings.data), run.settings.columns)
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
    """Build the quarantine row of a line that could not be read; of its content stay the names that could be."""
    # A line of whole records may have held an answer.
    names = {name: row.fields[name] for name in ROW_KEYS.get(row.kind or "answer", ()) if name in row.fields}
    return {
        "run_id": run.run_id,
        "table_name": row.kind or "file",
        "row_key": "/".join(str(name) for name in names.values()) or None,
        "file": row.file,
        "line": row.line,
        "rule": row.rule,
        "observed": row.observed,
        "advice": row.advice,
        "value": json.dumps(names, ensure_ascii=False) if names else None,
    }
