"""Publish a finished run: snapshot, report, Prefect artifacts."""

import os
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from medassay.models.atomic_files import written_whole
from medassay.models.judges.judgement import SUB_METRICS
from medassay.sql.snapshot import of_this_version, publish, published, read_results
from medassay.sql.warehouse import statement
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef

Read = Callable[[str], list[dict[str, Any]]]
# A page shows the declared family, each human score's stand-ins and the claims that need a citation; all the rest is in
# the snapshot.
REPORT_ROWS = {
    "unscored": "profile = 'any'",
    "uncited_claims": "needs_citation",
    "comparisons": "stratum = 'all' and (family = 'primary' or profile = 'any')",
    "agreement": (
        "stands_in and stratum = 'all'"
        " and profile in ('any', (select profile from runs where runs.run_id = agreement.run_id))"
    ),
}
MOST_COMPARISONS = 600
MOST_QUESTIONS = 1_000
"""Of a run with more questions than this the report lists these many, and counts the others."""
OF_QUESTIONS = frozenset(
    "answer_scores questions answers nuggets nugget_states claims citation_verdicts uncited_claims judgements"
    " guidance_states turns conversation_nuggets conversation_acts outcomes criteria".split()
)
"""Views of which only the rows of the listed questions are read."""
MARKS = ", ".join(
    ("judge", "status", "reason", "sample_no", "has_references", "evidence_sufficiency_raw", *SUB_METRICS)
)


def publish_snapshot(run: RunRef) -> Path:
    """Write the immutable snapshot and point `results.duckdb` at it."""
    return publish(run.warehouse, Path(run.home), run.run_id)


def rows_of(read: Read, run_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return one run's rows of every view that the report shows; `read` runs a query."""
    from medassay.models.report.rows import ReportData

    quoted = run_id.replace("'", "''")
    views: dict[str, list[dict[str, Any]]] = {"totals": [], "marks": []}
    listed = ""
    if read(f"select count(*) as n from questions where run_id = '{quoted}'")[0]["n"] > MOST_QUESTIONS:
        most = statement("statements/report_questions").replace("$most", str(MOST_QUESTIONS))
        named = [row["question_id"] for row in read(most.replace("$run_id", f"'{quoted}'"))]
        listed = " and question_id in ({})".format(
            ", ".join(f"'{one.replace(chr(39), chr(39) * 2)}'" for one in named)
        )
        views["totals"] = read(statement("statements/report_totals").replace("$run_id", f"'{quoted}'"))
        views["marks"] = read(f"select {MARKS} from judgements where run_id = '{quoted}' order by all")
    for view in (field.name for field in fields(ReportData) if field.name not in {*views, "warnings"}):
        shown = f" and {REPORT_ROWS[view]}" if view in REPORT_ROWS else ""
        shown += listed if view in OF_QUESTIONS else ""
        order = "" if view == "leaderboard" else " order by all"  # the view has an order of its own
        views[view] = read(f"from {view} where run_id = '{quoted}'{shown}{order}")
    if len(views["comparisons"]) > MOST_COMPARISONS:
        views["comparisons"] = [row for row in views["comparisons"] if row["family"] == "primary"]
    return views


def report_page(read: Read, run_id: str) -> str:
    """Render a run's report as one HTML page."""
    from medassay.models.report import ReportData, render

    views: dict[str, Any] = dict(rows_of(read, run_id))
    return render(ReportData(**views))


def write_report(home: Path, run_id: str, out: Path | None = None) -> Path:
    """Render a run's report as one HTML file and return where it is.

    Without `out` it belongs to the home, where somebody who may not write gets the one that is there.
    """
    path = out or home / "reports" / f"{run_id}.html"
    if not out:
        if path.exists() and not os.access(path.parent, os.W_OK):
            return path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # Held open: each query would open the file anew, and that takes longer than most of them.
        with of_this_version(home), published(home):
            page = report_page(partial(read_results, home), run_id)
        with written_whole(path) as file:
            file.write(page)
    except KeyboardInterrupt:
        watcher().say(
            f"run {run_id} is finished, only its report is not written yet: medassay report {run_id}"
        )
        raise
    return path
