"""Shared results: runs of many homes as Parquet in one folder or bucket, read in place under the views' names.

A run is a folder `dataset=<name>/run_id=<id>` with a file a table. Its `run.parquet` is written last and taken away
first, and tables of a run are read together with it: a run whose files are still on their way is in no view.
"""

import glob
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

import duckdb

from medassay.sql.home import WarehouseError
from medassay.sql.snapshot import LEDGER_LEFT_OUT, TABLES, TEXT_KEY, NothingPublished, OtherResults
from medassay.sql.views import create_views, describe_views, view_statements
from medassay.sql.warehouse import statement

COMMIT = "run.parquet"
"""The file by which a run is there."""
VIEWS = "views.sql"
"""The file that gives any DuckDB the views."""
LONGEST = 180
"""Characters of a data set's name in its folder."""
_TYPES = "hive_types = {'dataset': varchar, 'run_id': varchar}"


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A table of published results: its name, columns, key, and the column that says which of two rows is newer."""

    schema: str
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    moment: str | None

    @property
    def rows_of_run(self) -> str:
        """SQL for the rows of one run ($run_id), or, where they are of no run, for those that its views may read."""
        whole = f"from {self.schema}.{self.name} as held"
        if "run_id" in self.columns:
            return f"{whole} where run_id = getvariable('shared_run')"
        if self.name == "text":
            named = [
                f"select {column} from {other.schema}.{other.name} where run_id = getvariable('shared_run')"
                for other in shared_tables()
                for column in other.columns
                if other.schema == "mart" and "run_id" in other.columns and _names_text(column)
            ]
            return f"{whole} semi join ({' union all '.join(named)}) as named(text_key) using (text_key)"
        if "dataset" in self.columns:
            return (
                f"{whole} where dataset = (select dataset from run where run_id = getvariable('shared_run'))"
            )
        return whole

    def view_over(self, root: str) -> str:
        """Return the statement of a view under the table's name, over every run below `root`."""
        columns = ", ".join(f'"{column}"' for column in self.columns)
        # The folder's name would stand in for the data set's own, which it may have cut.
        hive = "dataset" not in self.columns
        rows = f"{_read(root, f'{self.name}.parquet', hive=hive)} as held"
        if hive:
            rows += f" semi join {_read(root, COMMIT)} as committed using (run_id)"
        if "run_id" in self.columns:
            chosen = f"select {columns} from {rows}"
        else:  # several runs carry the same row
            newest = f" order by {self.moment} desc" if self.moment else ""
            chosen = (
                f"select distinct on ({', '.join(self.key or self.columns)}) {columns} from {rows}{newest}"
            )
        return f"create or replace view {self.schema}.{self.name} as\n{chosen};\n"


@cache
def shared_tables() -> tuple[SharedTable, ...]:
    """Return the tables that a snapshot of this version holds."""
    with duckdb.connect() as scratch:
        scratch.execute(statement("schema"))
        found = scratch.execute(
            "select schema_name, table_name, list(column_name order by column_index),"
            " any_value(column_name) filter (data_type = 'TIMESTAMP WITH TIME ZONE')"
            " from duckdb_columns() where schema_name in ('main', 'mart') and not internal"
            " group by all order by all"
        ).fetchall()
        keys = dict(
            scratch.execute(
                "select table_name, constraint_column_names from duckdb_constraints()"
                " where constraint_type = 'PRIMARY KEY'"
            ).fetchall()
        )
    return tuple(
        SharedTable(
            schema,
            name,
            tuple(one for one in columns if name != "model_call" or one not in LEDGER_LEFT_OUT),
            tuple(keys.get(name, ())),
            moment,
        )
        for schema, name, columns, moment in found
        if schema == "mart" or name in (*TABLES, "text", "model_call")
    )


def folder_of(dataset: str, run_id: str) -> str:
    """Return the folder of a run below the place of shared results; what no path takes is percent-encoded.

    A name that would be too long for a folder is cut, and told from others by a digest; the table `run` has it whole.
    """
    name = shown = quote(dataset, safe=" ")
    while len(shown) > LONGEST:
        dataset = dataset[:-1]
        shown = quote(dataset, safe=" ")
    digest = "" if shown == name else f"~{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return f"dataset={shown}{digest}/run_id={quote(run_id, safe='')}"


def views_script(root: str) -> str:
    """Return the SQL that gives any DuckDB the views over the runs below `root`."""
    tables = "".join(table.view_over(root) for table in shared_tables())
    views = "".join(view_statements(["marts"]))
    return f"-- Views over the runs in this folder, for any DuckDB.\ncreate schema if not exists mart;\n{tables}{views}"


@dataclass(frozen=True, slots=True)
class Shared:
    """A folder, or any URL that fsspec opens, to which runs were exported."""

    url: str

    @contextmanager
    def opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a connection that has the views.

        Raises:
            NothingPublished: when no run is there.
            OtherResults: when what is there was exported by another version.
        """
        fs, path = filesystem(self.url)
        with duckdb.connect() as connection:
            connection.execute("set timezone = 'UTC'")
            root = path
            if not _is_local(fs):
                connection.register_filesystem(fs)
                root = fs.unstrip_protocol(path)
            try:
                found = fs.glob(f"{glob.escape(path)}/dataset=*/run_id=*/{COMMIT}")
            except (OSError, ValueError, RuntimeError) as error:
                raise WarehouseError(
                    f"{self.url} cannot be read ({_first_line(error)}); check the address"
                ) from None
            if not found:
                raise NothingPublished(
                    f"no run in {self.url}; `medassay export --to {self.url}` writes runs there"
                )
            try:
                connection.execute("begin; create schema mart")
                for table in shared_tables():
                    connection.execute(table.view_over(root))
                create_views(connection, ["marts"])
                describe_views(connection)
                connection.execute("commit")
            except (duckdb.BinderException, duckdb.CatalogException, duckdb.IOException) as error:
                raise OtherResults(
                    f"{self.url} holds no results that this version reads; export the runs there anew"
                    f" ({_first_line(error)})"
                ) from None
            yield connection

    def folders(self) -> Sequence[str]:
        """Return the prefixes of its files, as DuckDB may meet them."""
        fs, path = filesystem(self.url)
        named = [path] if _is_local(fs) else [fs.unstrip_protocol(path), self.url.rstrip("/")]
        return [f"{spelled}/" for one in named for spelled in (one, glob.escape(one))]


def filesystem(url: str) -> tuple[Any, str]:
    """Return fsspec's filesystem for a folder or URL, and the path in it.

    Raises:
        WarehouseError: where nothing opens such a URL.
    """
    import fsspec

    if "://" not in url:  # a folder's name may hold what fsspec reads as a chain of places
        return fsspec.filesystem("file"), os.path.abspath(url)
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise WarehouseError(f"{url} cannot be opened ({_first_line(error)})") from None
    return fs, str(path).rstrip("/") or "/"


def _is_local(fs: Any) -> bool:
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)


def _read(root: str, name: str, *, hive: bool = True) -> str:
    files = f"{glob.escape(root)}/dataset=*/run_id=*/{name}".replace("'", "''")
    partitions = f"hive_partitioning = true, {_TYPES}" if hive else "hive_partitioning = false"
    return f"read_parquet('{files}', {partitions}, union_by_name = true)"


def _names_text(column: str) -> bool:
    return re.search(TEXT_KEY, column) is not None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
