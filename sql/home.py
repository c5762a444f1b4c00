"""The home folder: where it is, how it is made, whom it is open to, its secret; signals while DuckDB works."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import duckdb

WORK_FILE = "work.duckdb"

MADE_BEFORE = {"prices.json"}
"""What a person may have put into a home before its first run."""
T = TypeVar("T")
SWALLOWED = "Query interrupted"
"""What DuckDB says in place of what a signal's handler raised."""
PATIENCE_S = 3.0
"""A file that is being written is ended in less."""
ONCE_MORE_S = 0.1


class WarehouseError(Exception):
    """The warehouse cannot be opened or does not fit this version; the message says what to do."""


def home_folder() -> Path:
    """Return the folder of this project's state: `MEDASSAY_HOME`, else `.medassay` here; absolute."""
    return Path(os.environ.get("MEDASSAY_HOME") or ".medassay").absolute()


def make_home(folder: Path) -> None:
    """Make the folder of the state where there is none; one made before, and open to all, is closed to them.

    A folder that holds other things, or was given to a group on purpose, keeps its mode: `doctor` says so.

    Raises:
        WarehouseError: where it cannot be made, saying what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise WarehouseError(
            f"{folder} cannot be the home ({error.strerror}): set MEDASSAY_HOME to a folder that can be written"
        ) from None
    mode = folder.stat().st_mode
    if mode & 0o007 and {entry.name for entry in folder.iterdir()} <= MADE_BEFORE:
        with suppress(PermissionError):
            folder.chmod(mode & 0o7700)


@contextmanager
def signals_heard() -> Iterator[None]:
    """Raise what a signal's handler meant to, where DuckDB put an error of its own in its place.

    Raises:
        KeyboardInterrupt: where a statement was interrupted by a signal.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != SWALLOWED:
            raise
        raise KeyboardInterrupt from None


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], T]) -> T:
    """Do work on a connection; a signal interrupts it at once, however long a task of DuckDB's takes.

    The work is done in a thread of its own: Python hands signals to the first one, which waits here.
    """
    done: Future[T] = Future()

    def do() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    worker = threading.Thread(target=do, daemon=True)
    worker.start()
    try:
        return done.result()
    except KeyboardInterrupt:
        # A statement that has not quite begun forgets an interruption.
        until = time.monotonic() + PATIENCE_S
        while worker.is_alive() and time.monotonic() < until:
            connection.interrupt()
            worker.join(ONCE_MORE_S)
        raise


def home_secret(home: Path) -> bytes:
    """Return the home's secret, made when first asked for."""
    path = home / "secret"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        os.replace(draft, path)
    return path.read_bytes()
