"""Export published results: views as tables, or a run in a peer tool's format."""

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from medassay.models.atomic_files import written_whole
from medassay.models.spreadsheets import FORMULA
from medassay.models.usage import UsageError
from medassay.sql.snapshot import published, read_results

if TYPE_CHECKING:
    from medassay.sql.shared import Shared

Table = Literal["parquet", "csv"]
Peer = Literal["nuggetizer", "open-rag-eval", "ragchecker", "biogen", "trec-run", "inspect"]
Rows = list[dict[str, Any]]
_UNFIT = re.compile(r"[^\w.-]+")


def run_named(home: "Path | Shared", named: str | None) -> str:
    """Return the id of a finished run by its id or its name; the last one unless named, or named `last`.

    Raises:
        UsageError: when there is no such run.
    """
    runs = read_results(
        home, "select run_id, name from runs where state = 'finished' order by started_at desc, run_id desc"
    )
    for row in runs:
        if named in (None, "last", row["run_id"], row["name"]):
            return str(row["run_id"])
    known = ", ".join(row["name"] or row["run_id"] for row in runs[:5]) or "none"
    place = home if isinstance(home, Path) else home.url
    raise UsageError(f"no finished run {named!r} in {place}; the latest are: {known}")


def export_views(
    home: Path,
    folder: Path,
    form: Table,
    views: Sequence[str] = (),
    run_id: str | None = None,
    *,
    guarded: bool = False,
) -> dict[Path, int]:
    """Write views, all of them unless named, as one file each; of one run, or of every run; return rows by file.

    `guarded` puts an apostrophe before texts that a spreadsheet would take for a formula, as annotation sheets have it.

    Raises:
        UsageError: when a view is unknown.
    """
    written = {}
    with published(home) as connection:
        known = {
            name: "run_id" in columns
            for name, columns in connection.execute(
                "select view_name, list(column_name) from duckdb_views() join duckdb_columns()"
                " on view_oid = table_oid where not duckdb_views.internal group by view_name order by view_name"
            ).fetchall()
        }
        if unknown := [name for name in views if name not in known]:
            raise UsageError(f"no view {unknown[0]!r}; there are: {', '.join(known)}")
        folder.mkdir(parents=True, exist_ok=True)
        for view in views or known:
            path = folder / f"{view}.{form}"
            draft = path.with_name(f".{path.name}.draft")
            of_run = "where run_id = getvariable('exported_run')" if run_id and known[view] else ""
            target = str(draft).replace("'", "''")
            options = "format parquet, compression zstd" if form == "parquet" else "format csv, header"
            # COPY takes no parameters, a variable of the session it does.
            connection.execute("set variable exported_run = $run_id", {"run_id": run_id or ""})
            chosen = _guarded_columns(connection, view) if guarded else "*"
            ((count,),) = connection.execute(
                f"copy (select {chosen} from {view} {of_run}) to '{target}' ({options})"
            ).fetchall()
            os.replace(draft, path)
            written[path] = int(count)
    return written


def _guarded_columns(connection: duckdb.DuckDBPyConnection, view: str) -> str:
    rows = connection.execute(f"select column_name, column_type from (describe {view})").fetchall()
    begins = ", ".join(f"'{sign}'" for sign in FORMULA)
    texts = [f'"{name}"' for name, kind in rows if kind == "VARCHAR"]
    guards = [f"if(left({text}, 1) in ({begins}), chr(39) || {text}, {text}) as {text}" for text in texts]
    return f"* replace ({', '.join(guards)})" if guards else "*"


def export_for_peer(
    home: Path, folder: Path, form: Peer, run_id: str, say: Callable[[str], None] = lambda line: None
) -> dict[Path, int]:
    """Write one run as the files that a peer's tool reads, `say` what has no place there; return records by file."""
    rows = {
        view: read_results(home, f"from {view} where run_id = ? order by all", [run_id])
        for view in ("questions", "answers", "claims", "nugget_states", "citation_verdicts", "answer_scores")
    }
    folder.mkdir(parents=True, exist_ok=True)
    from medassay.models.intake.peer_exports import biogen_left_out

    written = WRITERS[form](rows, folder)
    if form == "biogen" and (line := biogen_left_out(rows["citation_verdicts"])):
        say(line)
    return written


def nuggetizer(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write what `nuggetizer assign` writes, so that its `metrics` can be run over our states."""
    from medassay.models.intake.peer_exports import nuggetizer_records

    records = nuggetizer_records(rows["questions"], rows["answers"], rows["nugget_states"])
    return json_lines(folder / "assignments.jsonl", records)


def biogen(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write the answers with the PMIDs that each sentence cites, as a run of TREC BioGen's task B."""
    from medassay.models.intake.peer_exports import biogen_records

    return json_lines(
        folder / "biogen.jsonl", biogen_records(rows["answers"], rows["claims"], rows["citation_verdicts"])
    )


def trec_run(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write each system's cited sources as a TREC run."""
    from medassay.models.intake.peer_exports import trec_run_lines

    lines = list(trec_run_lines(rows["citation_verdicts"]))
    path = folder / "cited.run"
    with written_whole(path) as file:
        file.writelines(lines)
    return {path: len(lines)}


def ragchecker(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write a file of answers and their cited passages for each system."""
    from medassay.models.intake.peer_exports import ragchecker_file

    written = {}
    for system, path in system_files(rows, folder, "json"):
        content = ragchecker_file(rows["questions"], rows["answers"], rows["citation_verdicts"], system)
        with written_whole(path) as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
        written[path] = len(content["results"])
    return written


def inspect(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write each system's scores of its answers for Inspect's scorer `precomputed_scores`, a file a metric."""
    from medassay.metrics import METRICS
    from medassay.models.intake.peer_exports import inspect_score_rows

    written: dict[Path, int] = {}
    for system, path in system_files(rows, folder, "jsonl"):
        for metric in METRICS:
            if found := inspect_score_rows(rows["answers"], rows["answer_scores"], metric.name, system):
                written |= json_lines(path.with_name(f"{path.stem}.{metric.name}.jsonl"), found)
    return written


def open_rag_eval(rows: dict[str, Rows], folder: Path) -> dict[Path, int]:
    """Write a CSV of answers and their cited passages for each system."""
    from medassay.models.intake.peer_exports import OPEN_RAG_EVAL_COLUMNS, open_rag_eval_rows

    written = {}
    for system, path in system_files(rows, folder, "csv"):
        found = list(
            open_rag_eval_rows(rows["questions"], rows["answers"], rows["citation_verdicts"], system)
        )
        with written_whole(path) as file:
            writer = csv.DictWriter(file, OPEN_RAG_EVAL_COLUMNS)
            writer.writeheader()
            writer.writerows(found)
        written[path] = len(found)
    return written


WRITERS: dict[Peer, Callable[[dict[str, Rows], Path], dict[Path, int]]] = {
    "nuggetizer": nuggetizer,
    "open-rag-eval": open_rag_eval,
    "ragchecker": ragchecker,
    "biogen": biogen,
    "trec-run": trec_run,
    "inspect": inspect,
}


def json_lines(path: Path, records: Iterable[Any]) -> dict[Path, int]:
    """Write records one a line."""
    count = 0
    with written_whole(path) as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    return {path: count}


def system_files(rows: dict[str, Rows], folder: Path, suffix: str) -> Iterator[tuple[str, Path]]:
    """Yield each system with a file of its own; names that become equal as file names are numbered."""
    taken: set[str] = set()
    for system in sorted({row["system"] for row in rows["answers"]}):
        name = base = _UNFIT.sub("_", system).strip("._")[:80] or "system"
        number = 2
        while name.lower() in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name.lower())
        yield system, folder / f"{name}.{suffix}"
