"""Evaluate a part: a plain function that any process, worker or actor calls."""

import tempfile
from pathlib import Path

from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at
from medassay.tasks.model_cache import keep_models
from medassay.tasks.parts.part import IN, OUT, Done, PartRefused, Place, asked_of, tables_in, write_manifest
from medassay.tasks.parts.writing import code_digest
from medassay.tasks.run import RunRef
from medassay.tasks.stages.order import STAGES

ALWAYS_RETURNED = ("text", "outcome")
"""Tables that any stage may add to."""


def evaluate_part(url: str) -> None:
    """Do a part's stages in a warehouse of its own, and write the new rows beside it.

    Args:
        url: folder of the part, as the run that wrote it names it.

    Raises:
        PartRefused: where the part was made by other code, or this machine's models are others than it asks for.
    """
    keep_models()
    place = Place(url)
    asked = asked_of(place)
    if asked.code != code_digest():
        raise PartRefused(f"{url}: made by another version of MedAssay; update the older of the two machines")
    with (
        tempfile.TemporaryDirectory(prefix="medassay-part-") as home,
        place.within(IN).fetched() as given,
        place.within(OUT).being_written() as out,
    ):
        warehouse = warehouse_at(home)
        try:
            read_tables(warehouse, given)
            run = RunRef(home, asked.run_id)
            reports, fingerprints = {}, {}
            stages = [stage for stage in STAGES if stage.name in asked.stages]
            for stage in stages:
                if stage.make_ready(run):
                    reports[stage.name] = dict(stage.run(run))
                fingerprints[stage.name] = pinned(warehouse, run, stage.name)
            if others := sorted(n for n, f in fingerprints.items() if f != asked.fingerprints.get(n, f)):
                raise PartRefused(
                    f"{url}: other models are on this machine than the part asks for ({', '.join(others)})"
                )
            returned = {*ALWAYS_RETURNED, *(table for stage in stages for table in stage.writes)}
            write_new_rows(warehouse, given, sorted(returned), out)
            write_manifest(out, Done(fingerprints, reports, asked.code))
        finally:
            close_warehouse(home)


def pinned(warehouse: Warehouse, run: RunRef, stage: str) -> str:
    """Return under which fingerprint a stage's rows are kept."""
    return str(
        warehouse.value(
            "select fingerprint from run_stage where run_id = ? and stage = ?", [run.run_id, stage]
        )
    )


def read_tables(warehouse: Warehouse, folder: Path) -> None:
    """Fill a new warehouse with a part's tables."""
    with warehouse.transaction():
        for table in tables_in(folder):
            warehouse.execute(f"insert into main.{table} by name from {parquet(folder, table)}")


def write_new_rows(warehouse: Warehouse, given: Path, tables: list[str], out: Path) -> None:
    """Write the rows that were not in the part, a file a table."""
    came = set(tables_in(given))
    for table in tables:
        known = f" except select * from {parquet(given, table)}" if table in came else ""
        target = str(out / f"{table}.parquet").replace("'", "''")
        warehouse.execute(f"copy (select * from main.{table}{known}) to '{target}' (format parquet)")


def parquet(folder: Path, table: str) -> str:
    """Return the SQL that reads a table's file."""
    path = str(folder / f"{table}.parquet").replace("'", "''")
    return f"read_parquet('{path}')"
