"""Snapshots for analysts: an immutable file a run, a link to the newest, and queries confined to them."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from medassay.sql.damage import RESULTS_LINK, damaged, is_damage, is_unwritten, unwritten
from medassay.sql.home import interruptible
from medassay.sql.views import create_views, describe_views
from medassay.sql.warehouse import STORAGE_VERSION, Row, Warehouse

if TYPE_CHECKING:
    import pandas as pd

_GLOB = re.compile(r"[*?\[]")
_QUOTED = re.compile(rb"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_REFUSED = "file system operations are disabled by configuration"

Table = tuple[list[str], list[str], list[tuple[Any, ...]]]
KEPT = 3
MEMORY = "256MB"
# Everything frozen, and the few working tables that the analysts' views read.
TEXT_KEY = "(^|_)(text|premise|hypothesis|passage|reference)_key$"
"""Pattern of the columns that name a text."""
LEDGER_LEFT_OUT = ("raw_text", "error", "retrieved")
"""Columns of the ledger that repeat what was said."""
TABLES = (
    "run",
    "run_stage",
    "fingerprint",
    "rejected_row",
    "outcome",
    "human_score",
    "human_score_record",
    "evaluation_preference",
    "phi_audit",
    "run_judge",
    "run_comparing_judge",
    "run_answer",
    "run_question",
    "run_judge_input",
    "run_listwise_input",
    "asking_price",
)


class SharedResults(Protocol):
    """Results of many homes in one place, read where they lie."""

    def opened(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Give a connection that has the views."""

    def folders(self) -> Sequence[str]:
        """Return the prefixes of its files."""


def only_reads(query: str) -> bool:
    """Return whether a query does nothing but select.

    Raises:
        duckdb.Error: when it cannot be parsed.
    """
    return all(one.type == duckdb.StatementType.SELECT for one in duckdb.extract_statements(query))


def confine(connection: duckdb.DuckDBPyConnection, home: "Path | SharedResults", query: str) -> None:
    """Allow a connection the files that a query names, and lock its settings.

    Args:
        connection: to the published results; it is used for this query alone.
        home: in which the query may read, where it does nothing but select, and never write; or shared results.
        query: SQL statements.

    Raises:
        duckdb.Error: when the query cannot be parsed.
    """
    reads = only_reads(query)
    closed = None if reads or not isinstance(home, Path) else home.resolve()
    files: set[str] = set()
    folders: set[str] = set() if isinstance(home, Path) else set(home.folders())
    for named in set(quoted(query)):
        place = os.path.abspath(os.path.expanduser(named.removeprefix("file://")))
        if reads and _GLOB.search(place):
            files |= {place, *glob.iglob(place, recursive=True)}
        elif closed is None or not _within(closed, place):
            folder, name = os.path.split(place)
            # DuckDB writes a file under another name first, and beside a database its log.
            files |= {place, os.path.join(folder, f"tmp_{name}"), f"{place}.wal"}
            if closed is None or not closed.is_relative_to(os.path.realpath(place)):
                folders.add(place)
    connection.execute("set autoinstall_known_extensions = false")
    connection.execute("set autoload_known_extensions = false")
    connection.execute("set allowed_paths = ?", [sorted(files)])
    connection.execute("set allowed_directories = ?", [sorted(folders)])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def quoted(query: str) -> Iterator[str]:
    """Yield every text and every quoted name of a query, without its quotes."""
    text = query.encode()
    for start, _ in duckdb.tokenize(query):
        if found := _QUOTED.match(text, start):
            mark = found[0][:1]
            yield found[0][1:-1].replace(mark * 2, mark).decode()


def refused_file(error: Exception) -> bool:
    """Tell whether an error of DuckDB says that a file was not allowed."""
    return _REFUSED in str(error)


def _within(folder: Path, place: str) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(folder)


def publish(warehouse: Warehouse, home: Path, run_id: str) -> Path:
    """Write the marts of every run into a new read-only file and point `results.duckdb` at it.

    The file holds the frozen results, the texts they cite and the views; never embeddings, prompts,
    replies or what was fetched. Readers of the file before keep their numbers. The last three files stay.
    """
    folder = home / "snapshots"
    folder.mkdir(mode=0o700, exist_ok=True)
    target, draft = folder / f"{run_id}.duckdb", folder / f".{run_id}.draft"
    for left in folder.glob(".*.draft*"):  # of a publication that was killed, this run's or an earlier one's
        left.unlink()
    with warehouse.held_to(MEMORY):
        _copy(warehouse, draft)
    with duckdb.connect(str(draft), config={"storage_compatibility_version": STORAGE_VERSION}) as snapshot:
        snapshot.begin()  # a thousand comments, each by itself, would be as many writes
        create_views(snapshot, ["marts"])
        describe_views(snapshot)
        snapshot.commit()
    sync(draft)
    draft.chmod(0o400)
    # A clock that was set back gives the newest file an older name, and would give it an older time.
    newest = max((file.stat().st_mtime_ns for file in folder.glob("*.duckdb")), default=0)
    if draft.stat().st_mtime_ns <= newest:
        os.utime(draft, ns=(newest + 1, newest + 1))
    os.replace(draft, target)
    _swap(home / RESULTS_LINK, target)
    for old in sorted(folder.glob("*.duckdb"), key=lambda file: file.stat().st_mtime_ns)[:-KEPT]:
        if old != target:
            old.unlink()
    return target


def _copy(warehouse: Warehouse, draft: Path) -> None:
    run = warehouse.execute
    quoted = str(draft).replace("'", "''")
    run(f"attach '{quoted}' as snapshot (storage_version '{STORAGE_VERSION}')")
    try:
        work = warehouse.value("select current_database()")
        tables = warehouse.rows(
            "select schema_name, table_name, sql from duckdb_tables()"
            " where database_name = ? and (schema_name = 'mart' or table_name in (select unnest(?)))",
            [work, list(TABLES)],
        )
        run("create schema snapshot.mart")
        for table in tables:
            name = f"{table['schema_name']}.{table['table_name']}"
            run("use snapshot")
            run(table["sql"])
            run(f"use {work}")
            run(f"insert into snapshot.{name} from {work}.{name}")
        named = warehouse.rows(
            "select table_name, column_name from duckdb_columns() where database_name = ? and schema_name = 'mart'"
            " and regexp_matches(column_name, ?)",
            [work, TEXT_KEY],
        )
        cited = " union all ".join(
            f"select {row['column_name']} from mart.{row['table_name']}" for row in named
        )
        run(
            f"create table snapshot.main.text as select distinct text.* from {work}.main.text as text"
            f" semi join ({cited}) as cited(text_key) on cited.text_key = text.text_key"
        )
        # The ledger without a word of what was said: an error may repeat the server's, and so a patient's name.
        run(
            "create table snapshot.main.model_call as"
            f" select * exclude ({', '.join(LEDGER_LEFT_OUT)}) from {work}.main.model_call"
        )
    finally:
        run(f"use {work}")
        run("detach snapshot")


def sync(path: Path) -> None:
    """Have a file's bytes on the disk before it takes another's place."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _swap(link: Path, target: Path) -> None:
    """Point the link at the new file in one step, and drop what a writer left beside the old one."""
    draft = link.with_name(f".{link.name}.draft")
    draft.unlink(missing_ok=True)
    draft.symlink_to(os.path.relpath(target, link.parent))
    os.replace(draft, link)
    link.with_name(link.name + ".wal").unlink(missing_ok=True)


class NothingPublished(Exception):
    """No run has finished in this home yet."""


class OtherResults(NothingPublished):
    """The published file is of another version of MedAssay: a view or a column is not there."""


@contextmanager
def of_this_version(home: Path) -> Iterator[None]:
    """Return a line where our own queries do not fit the published file.

    Raises:
        OtherResults: with what is missing, and what to do.
    """
    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException) as error:
        raise OtherResults(
            f"{home / RESULTS_LINK} was published by another version of MedAssay; `medassay evaluate DATA` publishes"
            f" every run of this home anew ({str(error).splitlines()[0]})"
        ) from None


def read_results(home: "Path | SharedResults", query: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Run a query against the published file, read-only, and return its rows as dicts.

    Raises:
        NothingPublished: when there is no published file.
        duckdb.Error: when the query is wrong.
    """
    names, _, rows = read_table(home, query, parameters)
    return [dict(zip(names, row, strict=True)) for row in rows]


def read_table(
    home: "Path | SharedResults", query: str, parameters: Sequence[Any] = (), *, confined: bool = False
) -> Table:
    """Do the same and return the columns' names, their types and the rows: what a table needs that may be empty.

    Args:
        home: whose published file is read, or shared results.
        query: SQL.
        parameters: bound to it.
        confined: for SQL of a person: it may write nothing in the home and load no extension.
    """
    with published(home) as connection:
        if confined:
            confine(connection, home, query)

        def table() -> Table:
            cursor = connection.execute(query, parameters)
            columns = cursor.description or []
            return (
                [column[0] for column in columns],
                [str(column[1]) for column in columns],
                cursor.fetchall(),
            )

        return interruptible(connection, table)


def read_frame(home: Path, query: str, parameters: Sequence[Any] = ()) -> "pd.DataFrame":
    """Do the same and return a pandas frame."""
    with published(home) as connection:
        found: pd.DataFrame = interruptible(connection, lambda: connection.execute(query, parameters).df())
        return found


@contextmanager
def published(home: "Path | SharedResults") -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published file, or shared results, for reading.

    Raises:
        NothingPublished: when there is none.
        Damaged: where its bytes are not those that were published, also from within.
    """
    if not isinstance(home, Path):
        with home.opened() as shared:
            yield shared
        return
    path = home / RESULTS_LINK
    if not path.exists():
        raise NothingPublished(
            f"no results in {home} yet; run `medassay evaluate DATA` first, or set MEDASSAY_HOME"
        )
    connection: duckdb.DuckDBPyConnection | None = None
    try:
        connection = duckdb.connect(str(path), read_only=True)
        connection.execute("set timezone = 'UTC'")
        yield connection
    except duckdb.Error as error:
        if is_damage(error):
            raise damaged(path.resolve(), error) from None
        if is_unwritten(error):  # what was read is written elsewhere
            raise unwritten(path, error) from None
        raise
    finally:
        # One that an interruption has not reached yet cannot be closed; it ends with the process.
        with suppress(duckdb.Error):
            if connection is not None:
                connection.close()
