"""Messages about quarantined rows: one line a row, or one a file whose rows share a fault."""

import json

from medassay.models.counting import counted
from medassay.models.intake.rows import shortened
from medassay.sql.warehouse import statement
from medassay.tasks.people.score_scales import OUTSIDE
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef

SHOWN_LINES = 20


def tell(run: RunRef, where_more: str = "") -> None:
    """Describe for each quarantined row what and where it is and what to do, up to twenty lines, and where more are.

    A column that a whole file lacks is no fault of its rows: that is said once. Scores outside a scale were told of
    by metric.
    """
    lacking = {
        (row["file"], row["table_name"]): row for row in run.warehouse.rows(_LACKING, {"run": run.run_id})
    }
    for file in lacking.values():
        watcher().say(
            f"{file['file']}: {file['rule']}, in all {counted(file['n_rows'], 'row')}; they have"
            f" {_names(file['value'])}; {file['advice']}"
        )
    rows = [
        row
        for row in run.warehouse.rows(
            "select * from rejected_row where run_id = ? order by file, line nulls first, rowid", [run.run_id]
        )
        if (row["file"], row["table_name"]) not in lacking and row["rule"] != OUTSIDE
    ]
    for row in rows[:SHOWN_LINES]:
        place = row["file"] + (f":{row['line']}" if row["line"] is not None else "")
        seen = f": {row['observed']}" if row["observed"] else ""
        watcher().say(f"{place}: {row['rule']}{seen}; {row['advice']}")
    if len(rows) > SHOWN_LINES:
        watcher().say(f"… and {counted(len(rows) - SHOWN_LINES, 'more row')}{where_more}")


def _names(value: str) -> str:
    row = json.loads(value)
    return shortened(", ".join(name for name in row if row[name] is not None)) or "no column at all"


_LACKING = statement("statements/quarantine_told/lacking")
