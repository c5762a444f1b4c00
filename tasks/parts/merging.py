"""Take the rows of evaluated parts into the run's warehouse."""

from collections import defaultdict

from duckdb import Error as DuckDBError

from medassay.sql.home import WarehouseError
from medassay.sql.warehouse import Row
from medassay.tasks.parts.evaluating import parquet
from medassay.tasks.parts.part import OUT, Done, PartRefused, Place, asked_of, done_of, tables_in
from medassay.tasks.run import RunRef


def merge_part(run: RunRef, place: Place) -> Done:
    """Take in what a part brings, in one transaction; what is there already stays, so that twice or late does no harm.

    Raises:
        PartRefused: where it was evaluated by other code or other models than the run asks for, or cannot be read.
    """
    asked, done = asked_of(place), done_of(place)
    if done is None:
        raise PartRefused(f"{place.url}: nothing came back")
    warehouse = run.warehouse
    pins = {
        row["stage"]: row["fingerprint"]
        for row in warehouse.rows("select stage, fingerprint from run_stage where run_id = ?", [run.run_id])
    }
    others = [
        name for name, fingerprint in done.fingerprints.items() if fingerprint != pins.get(name, fingerprint)
    ]
    if done.code != asked.code or others:
        raise PartRefused(
            f"{place.url}: evaluated by other code or models ({', '.join(others) or 'version'})"
        )
    keyed = {
        row["table_name"]
        for row in warehouse.rows(
            "select table_name from duckdb_constraints() where constraint_type = 'PRIMARY KEY' and schema_name = 'main'"
        )
    }
    try:
        with place.within(OUT).fetched() as folder, warehouse.transaction():
            for table in tables_in(folder):
                rows = f"select * from {parquet(folder, table)}"
                if table == "outcome":  # what a killed run's part was told belongs to this one
                    rows = f"select * replace ($run_id as run_id) from {parquet(folder, table)}"
                bound = {"run_id": run.run_id} if "$run_id" in rows else {}
                if table in keyed:
                    warehouse.execute(f"insert or ignore into main.{table} by name {rows}", bound)
                else:
                    warehouse.execute(
                        f"insert into main.{table} by name ({rows} except select * from main.{table})"
                    )
    except (DuckDBError, WarehouseError) as error:
        raise PartRefused(
            f"{place.url}: what came back cannot be read ({str(error).splitlines()[0][:200]})"
        ) from error
    return done


def sum_of(reports: list[Done]) -> dict[str, Row]:
    """Return how much the parts did of each stage, and the seconds that it took them together."""
    found: dict[str, Row] = defaultdict(lambda: {"n_done": 0, "seconds": 0.0})
    for done in reports:
        for stage, report in done.reports.items():
            found[stage]["n_done"] += report["n_done"]
            found[stage]["seconds"] += report["seconds"]
    return dict(found)
