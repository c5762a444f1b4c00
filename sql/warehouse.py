"""Warehouse connection: one private DuckDB file with a single writer."""

import atexit
import re
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from medassay.sql.damage import damaged, is_damage, is_unwritten, unwritten
from medassay.sql.home import WORK_FILE, WarehouseError, make_home, signals_heard
from medassay.sql.views import create_views, files_in, views_digest

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
# Files that DuckDB 1.5 can read, whatever version wrote them.
STORAGE_VERSION = "v1.5.0"
OLDEST = 60
"""The migration that the oldest home has which can be brought over."""


@cache
def statement(name: str) -> str:
    """Read a statement by its path under `sql/`, such as `pending/claims`."""
    return files("medassay.sql").joinpath(*f"{name}.sql".split("/")).read_text(encoding="utf-8")


OutOfMemory = duckdb.OutOfMemoryException
_MOST_BOUND_ROWS = 8
_PLAIN = (str, int, float, datetime, type(None))


class Readable(Protocol):
    """What answers queries with rows: the warehouse, or published results."""

    def rows(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> list[Row]:
        """Return a query's rows as dicts, in the query's order."""
        ...


class Warehouse:
    """A connection to the work file; rows go in and come out as dicts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._focus: str | None = None
        self._kept: set[str] = set()
        self._ever_kept: set[str] = set()
        self.remembered: dict[str, Any] = {}
        """What readers of the run in focus keep of it, until another run is."""
        make_home(path.parent)
        is_new = not path.exists()
        try:
            self.connection = duckdb.connect(
                str(path), config={"storage_compatibility_version": STORAGE_VERSION}
            )
        except duckdb.Error as error:
            if is_new:  # of a file that could not be begun, as on a full disk, nothing can be read later
                path.unlink(missing_ok=True)
            if is_damage(error):
                raise damaged(path, error) from None
            if is_unwritten(error):
                raise unwritten(path, error) from None
            if "lock" in str(error).lower():
                raise WarehouseError(
                    f"{path} is open in another process; query results.duckdb beside it, or wait"
                ) from None
            raise WarehouseError(
                f"{path} cannot be opened ({str(error).splitlines()[0]}); check its rights, put a copy back,"
                " or move it away to begin anew"
            ) from None
        with self._held():
            self.connection.execute("set timezone = 'UTC'")
            self._migrate()

    def _migrate(self) -> None:
        run = self.connection.execute
        run(
            "create table if not exists migration (version integer primary key, name varchar, applied_at timestamptz)"
        )
        run("create table if not exists view_digest (digest varchar)")
        applied = [version for (version,) in run("select version from migration order by version").fetchall()]
        steps = {int(f.name.split("_", 1)[0]): f for f in files_in("migrations")}
        newest = max(steps)
        if not applied:
            with self.transaction():
                run(statement("schema"))
                run("insert into migration values (?, 'schema', ?)", [newest, datetime.now(UTC)])
                run("insert into warehouse values (?, ?)", [str(uuid.uuid4()), datetime.now(UTC)])
        elif applied[-1] > newest:
            raise WarehouseError(
                f"{self.path} was written by a newer MedAssay (migration {applied[-1]}); "
                "update this one, or set MEDASSAY_HOME to another folder"
            )
        elif applied[-1] < OLDEST:
            raise WarehouseError(
                f"{self.path} was made before MedAssay 0.1.0 (migration {applied[-1]}): results.duckdb beside it stays"
                " readable; set MEDASSAY_HOME to another folder, and evaluate again"
            )
        else:
            for version in sorted(set(steps) - set(applied)):
                if version > applied[-1]:
                    with self.transaction():
                        run(steps[version].read_text(encoding="utf-8"))
                        run(
                            "insert into migration values (?, ?, ?)",
                            [version, steps[version].name, datetime.now(UTC)],
                        )
        if (digest := views_digest()) not in {d for (d,) in run("select digest from view_digest").fetchall()}:
            with self.transaction():
                create_views(self.connection)
                run("delete from view_digest")
                run("insert into view_digest values (?)", [digest])

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Have the connection for oneself.

        Raises:
            WarehouseError: where the disk takes no more, or the file is damaged, saying what to do.
            KeyboardInterrupt: where a signal interrupted a statement.
        """
        with self._lock:
            try:
                with signals_heard():
                    yield
            except duckdb.Error as error:
                if is_damage(error):
                    raise damaged(self.path, error) from None
                if not is_unwritten(error):
                    raise
                raise unwritten(self.path, error) from None

    @property
    def warehouse_id(self) -> str:
        """Return the name this work file got when it was made; a new file has a new one."""
        return str(self.value("select warehouse_id from warehouse"))

    def rows(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> list[Row]:
        """Return a query's rows as dicts, in the query's order."""
        with self._held():
            cursor = self.connection.execute(query, parameters)
            names = [column[0] for column in cursor.description or []]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def value(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> Any:
        """Return the first column of a query's first row, None where there is no row."""
        with self._held():
            # fetchone() would leave the result open, and the connection busy with it.
            rows = self.connection.execute(query, parameters).fetchall()
            return rows[0][0] if rows else None

    def frame(self, query: str, parameters: Sequence[Any] | None = None) -> "pd.DataFrame":
        """Return a query's rows as a pandas frame, in the query's order."""
        with self._held():
            found: pd.DataFrame = self.connection.execute(query, parameters).df()
            return found

    def columns(
        self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Return a query's columns as numpy arrays: numbers by the million, without a Python object each."""
        with self._held():
            found: dict[str, Any] = self.connection.execute(query, parameters).fetchnumpy()
            return found

    def written(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> int:
        """Run a statement that writes, and return how many rows it wrote."""
        with self._held():
            return int(self.connection.execute(query, parameters).fetchall()[0][0])

    def execute(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> None:
        """Run a statement whose rows nobody reads."""
        with self._held():
            self.connection.execute(query, parameters)

    def insert(self, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Insert rows into a keyed table, skipping those whose key is there; return how many were new."""
        return self._write("insert or ignore into", table, rows)

    def replace(self, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write whole rows into a keyed table, in place of those whose key is there; return how many."""
        return self._write("insert or replace into", table, rows)

    def append(self, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Append rows to a table; return how many."""
        return self._write("insert into", table, rows)

    def _write(self, verb: str, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write rows by column name; columns absent from a row become NULL.

        The rows travel as one Arrow table: ten thousand take tens of milliseconds where `executemany`
        takes seconds. A few plain ones are bound: a table of its own takes longer than they do.
        """
        import pyarrow as pa

        rows = list(rows)
        if not rows:
            return 0
        names = list(dict.fromkeys(name for row in rows for name in row))
        if len(rows) <= _MOST_BOUND_ROWS and all(
            isinstance(value, _PLAIN) for row in rows for value in row.values()
        ):
            return self._write_bound(verb, table, names, rows)
        columns = {name: [row.get(name) for row in rows] for name in names}
        batch = pa.table({name: _arrow_column(values) for name, values in columns.items()})
        target = ", ".join(_quoted(name) for name in names)
        with self._held():
            self.connection.register("incoming_rows", batch)
            try:
                written = self.connection.execute(
                    f"{verb} {table} ({target}) select {target} from incoming_rows"
                ).fetchall()
            finally:
                self.connection.unregister("incoming_rows")
        return int(written[0][0]) if written else 0

    def _write_bound(self, verb: str, table: str, names: list[str], rows: Sequence[Mapping[str, Any]]) -> int:
        marks = ", ".join([f"({', '.join('?' * len(names))})"] * len(rows))
        target = ", ".join(_quoted(name) for name in names)
        with self._held():
            written = self.connection.execute(
                f"{verb} {table} ({target}) values {marks}", [row.get(name) for row in rows for name in names]
            ).fetchall()
        return int(written[0][0]) if written else 0

    @contextmanager
    def held_to(self, memory: str | None) -> Iterator[None]:
        """Hold DuckDB to that much memory ("1GB") inside: what does not fit is written beside the file for a while.

        None, and where it already holds more that it cannot let go of: the limit stays as it is. Afterwards it is
        DuckDB's own again; a limit that was read cannot be set back, since it is told in rounded words.
        """
        try:
            if memory:
                self.execute(f"set memory_limit = '{memory}'")
        except OutOfMemory:
            memory = None
        try:
            yield
        finally:
            if memory:
                # Through a cursor, which a transaction that ran out of memory does not stop.
                self.connection.cursor().execute("reset memory_limit")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what happens inside, or nothing of it; inner transactions join the outer one."""
        with self._held():
            if getattr(self, "_in_transaction", False):
                yield
                return
            self.connection.execute("begin")
            self._in_transaction = True
            try:
                yield
            except BaseException:
                # A disk that is full has ended the transaction already.
                with suppress(duckdb.TransactionException, duckdb.FatalException):
                    self.connection.execute("rollback")
                    self.let_go(*self._ever_kept)
                    self.remembered.clear()
                raise
            else:
                self.connection.execute("commit")
            finally:
                self._in_transaction = False

    def focus(self, run_id: str) -> None:
        """Point the views of the working layers at one run."""
        if self._focus != run_id:
            self.let_go()
            self.remembered.clear()
            self.execute("set variable run_id = $run_id", {"run_id": run_id})
            self._focus = run_id

    def keep(self, *views: str) -> None:
        """Keep what views show of the run in focus, as temporary tables that stand before them under their names.

        A view that reads ten others is planned as hundreds of operators, which for a few rows takes longer than reading
        them; what reads a kept view finds a table. It shows what it showed when it was kept until it is let go.
        """
        for view in views:
            if view not in self._kept:
                self.execute(f"create temp table {_quoted(view)} as from {_quoted(view)}")
                self._kept.add(view)
                self._ever_kept.add(view)

    def use_threads(self, count: int | None) -> None:
        """Use so many threads from here on, None for as many as DuckDB would: few rows are read sooner by one."""
        self.execute(f"set threads = {count}" if count else "reset threads")

    @property
    def kept(self) -> frozenset[str]:
        """Return the views that are kept."""
        return frozenset(self._kept)

    def let_go(self, *views: str) -> None:
        """Have these views read their tables again, all that are kept where none is named."""
        for view in views or tuple(self._kept):
            self.connection.execute(f"drop table if exists temp.{_quoted(view)}")
            self._kept.discard(view)

    def close(self) -> None:
        """Write everything to the file and let it go."""
        with self._held():
            self.connection.close()


def _quoted(name: str) -> str:
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        raise ValueError(f"not a column name: {name!r}")
    return f'"{name}"'


def _arrow_column(values: list[Any]) -> Any:
    """Give Arrow a column; all-NULL columns become text, which DuckDB casts to any type."""
    import pyarrow as pa

    if all(value is None for value in values):
        return pa.array(values, type=pa.string())
    return pa.array(values)


_OPEN: dict[Path, Warehouse] = {}


def warehouse_at(home: Path | str) -> Warehouse:
    """Return this process's one connection to a home's work file, opened when first asked for."""
    path = Path(home).absolute() / WORK_FILE
    if path not in _OPEN:
        _OPEN[path] = Warehouse(path)
    return _OPEN[path]


@atexit.register
def close_warehouses() -> None:
    """Close what is open before the interpreter takes DuckDB apart."""
    while _OPEN:
        with suppress(WarehouseError, duckdb.Error):  # what is wrong with the file was said when it was used
            _OPEN.popitem()[1].close()


def is_open(home: Path | str) -> bool:
    """Return whether this process has a home's work file open."""
    return Path(home).absolute() / WORK_FILE in _OPEN


def close_warehouse(home: Path | str) -> None:
    """Close this process's connection to a home's work file, if there is one."""
    if opened := _OPEN.pop(Path(home).absolute() / WORK_FILE, None):
        opened.close()
