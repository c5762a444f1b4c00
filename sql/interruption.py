"""Signals while DuckDB works: it looks at them between its own tasks, and swallows what their handlers raise."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

import duckdb

T = TypeVar("T")
SWALLOWED = "Query interrupted"
"""What DuckDB says in place of what a signal's handler raised."""
PATIENCE_S = 3.0
"""A file that is being written is ended in less."""
ONCE_MORE_S = 0.1


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


def heeding_signals(connection: duckdb.DuckDBPyConnection, work: Callable[[], T]) -> T:
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
