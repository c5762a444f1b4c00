"""Prefect's server as `medassay serve` starts it: on SQLite, a transaction waits for its turn when it begins.

Prefect begins most of its transactions without the right to write. One that reads first and writes later fails at once,
whatever its timeout, when another has written in between: "database is locked" (https://sqlite.org/rescode.html#busy_snapshot).
The server answers such a request with 503, and leaves undone what its own services and its worker's heartbeat wanted.
With the right to write taken at the beginning, the next one waits a few milliseconds. Reads begin no transaction and
wait for nobody; PostgreSQL is not touched.
"""

from contextlib import AbstractAsyncContextManager
from typing import Any


def take_turns() -> None:
    """Have every transaction of this process on SQLite begin with the right to write."""
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_in_turn(
        self: AioSqliteConfiguration, session: Any, with_for_update: bool = True
    ) -> AbstractAsyncContextManager[Any]:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_in_turn  # type: ignore[method-assign, assignment]  # the one place where they begin


def main() -> None:
    """Be the command `prefect`, taking turns."""
    take_turns()
    from prefect.cli import app

    app()


if __name__ == "__main__":
    main()
