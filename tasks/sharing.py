"""Share published runs: their marts and texts as Parquet where other homes and any DuckDB read them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from medassay.models.chat.endpoint import Endpoint
from medassay.models.phi.guard import Policy, count_phi
from medassay.models.usage import UsageError
from medassay.sql.shared import COMMIT, VIEWS, filesystem, folder_of, shared_tables, views_script
from medassay.sql.snapshot import published
from medassay.sql.warehouse import statement, warehouse_at
from medassay.tasks.parts.part import Place
from medassay.tasks.phi import Counts, Looked, audit_lines, refuse

STAGE = "export"
WHAT_TO_DO = "choose --phi allow if the data names nobody, or a folder on this machine"


def share_runs(
    home: Path,
    url: str,
    run_id: str | None = None,
    policy: Policy = "block",
    on_run: Callable[[str, int], None] = lambda place, rows: None,
) -> None:
    """Write a finished run, or every one, to a folder or URL; each appears whole, in place of an earlier export of it.

    Args:
        home: whose published results are read.
        url: a folder, or any URL that fsspec opens.
        run_id: the run; all finished runs unless given.
        policy: `block` or `allow` what may name a patient to be written elsewhere than on this machine.
        on_run: told each run's place and its number of rows.

    Raises:
        PhiFound: under `block`, before anything is written.
        UsageError: where the place is a file.
    """
    place = Place(url)
    fs, path = filesystem(url)
    if fs.isfile(path):
        raise UsageError(f"{url}: a folder is needed there, and this is a file: name another place")
    with published(home) as connection:
        runs = connection.execute(
            "select run_id, dataset from runs where state = 'finished' and run_id = coalesce($run_id, run_id)"
            " order by started_at, run_id",
            {"run_id": run_id},
        ).fetchall()
        if not place.is_here:
            _refuse_phi(home, connection, [found for found, _ in runs], url, policy)
        for found, dataset in runs:
            target = place.within(folder_of(dataset, found))
            with target.being_written(last=COMMIT, mode=0o777) as folder:
                n_rows = _write_run(connection, found, folder)
            on_run(target.url, n_rows)
    script = views_script(path if place.is_here else fs.unstrip_protocol(path))
    fs.pipe_file(f"{path}/{VIEWS}", script.encode())


def _write_run(connection: duckdb.DuckDBPyConnection, run_id: str, folder: Path) -> int:
    # COPY takes no parameters, a variable of the session it does.
    connection.execute("set variable shared_run = $run_id", {"run_id": run_id})
    n_rows = 0
    for table in shared_tables():
        file = str(folder / f"{table.name}.parquet").replace("'", "''")
        ((n,),) = connection.execute(
            f"copy ({table.rows_of_run}) to '{file}' (format parquet, compression zstd)"
        ).fetchall()
        n_rows += int(n)
    return n_rows


def _refuse_phi(
    home: Path, connection: duckdb.DuckDBPyConnection, run_ids: list[str], url: str, policy: Policy
) -> None:
    """Look at what people and models wrote in these runs, write down what was found, and refuse under `block`."""
    endpoint = Endpoint(url, "results", known_as=url)
    warehouse = warehouse_at(home)
    places: list[tuple[str, Counts]] = []
    for run_id in run_ids:
        found = [(where, counts) for where, counts in _places(connection, run_id) if counts]
        looked = [Looked(where, f"{policy} {where}", counts) for where, counts in found]
        audit_lines(warehouse, run_id, STAGE, endpoint, policy, looked or [Looked(run_id, run_id, {})])
        places += found
    if policy == "block":
        refuse(places, [endpoint], WHAT_TO_DO)


def _places(connection: duckdb.DuckDBPyConnection, run_id: str) -> Iterator[tuple[str, Counts]]:
    rows = connection.execute(statement("statements/phi/shared"), {"run_id": run_id}).fetchall()
    for where, field, text in rows:
        if text:
            yield where, count_phi({field: text})
