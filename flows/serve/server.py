"""Prefect's server as we start it: guarded, and for `medassay serve` with transactions on SQLite that take turns and
events that outlive a restart.

Prefect begins most of its transactions without the right to write. One that reads first and writes later fails at once,
whatever its timeout, when another has written in between: "database is locked" (https://sqlite.org/rescode.html#busy_snapshot).
The server answers such a request with 503, and leaves undone what its own services and its worker's heartbeat wanted.
With the right to write taken at the beginning, the next one waits a few milliseconds. Reads begin no transaction and
wait for nobody; PostgreSQL is not touched.

Automations hear of a run's events in their order, so each waits until the one before it was seen, a quarter of an hour
where it never is. What was seen is kept in memory, and the scheduler's runs have no first event. Of a run that was
scheduled a few minutes before it began, or before the server did, whoever waits to hear that it failed would hear it 15
minutes late, or never if `serve` has stopped by then. So an event that the database has held for a while, or whose
state it has, counts as seen.
"""

import os
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

LISTENS_AT, KNOWN_AS = "MEDASSAY_SERVE_HOST", "MEDASSAY_SERVE_NAME"
"""The variables that tell the server's process its address and the name that others know it by."""
LONG_SEEN = timedelta(seconds=10)
"""After which an event was seen, or never will be."""


def create_app(**options: Any) -> Any:
    """Return Prefect's server as an ASGI app behind the guard; called by uvicorn for the server of a single run.

    Raises:
        RuntimeError: where no token is set, since anybody could then start runs.
    """
    from prefect.server.api import server
    from prefect.settings import PREFECT_SERVER_API_AUTH_STRING

    from medassay.flows.serve.guard import Guard
    from medassay.flows.serve.hosts import hosts_of

    if not PREFECT_SERVER_API_AUTH_STRING.value():
        raise RuntimeError("PREFECT_SERVER_API_AUTH_STRING is not set: the server would answer everybody")
    app = server.create_app(**options)
    app.add_middleware(
        Guard, hosts=hosts_of(os.environ.get(LISTENS_AT, "127.0.0.1"), os.environ.get(KNOWN_AS))
    )
    return app


def guard() -> None:
    """Have the command `prefect server start` of this process start the guarded app."""
    from prefect.server.api import server

    plain = server.create_app

    def guarded(**options: Any) -> Any:
        server.create_app = plain
        return create_app(**options)

    server.create_app = guarded  # type: ignore[assignment]  # where the command looks it up


def take_turns() -> None:
    """Have every transaction of this process on SQLite begin with the right to write."""
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_in_turn(
        self: AioSqliteConfiguration, session: Any, with_for_update: bool = True
    ) -> AbstractAsyncContextManager[Any]:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_in_turn  # type: ignore[method-assign, assignment]  # the one place where they begin


def mark_old_events_seen() -> None:
    """Have events count as seen that were told before this process listened, or never."""
    from prefect.server.events.ordering.memory import CausalOrdering
    from prefect.server.events.schemas.events import Event

    seen = CausalOrdering.event_has_been_seen

    async def seen_or_old(self: CausalOrdering, event: UUID | Event) -> bool:
        return await seen(self, event) or await _is_old(event.id if isinstance(event, Event) else event)

    CausalOrdering.event_has_been_seen = seen_or_old  # type: ignore[method-assign]  # the one place where they are looked up


async def _is_old(event_id: UUID) -> bool:
    from prefect.server.database import provide_database_interface
    from sqlalchemy import select

    db = provide_database_interface()
    # The event of a run's state has the state's id.
    moments = (
        select(db.FlowRunState.timestamp).where(db.FlowRunState.id == event_id),
        select(db.Event.received).where(db.Event.id == event_id),
    )
    async with db.session_context() as session:
        found = [await session.scalar(moment) for moment in moments]
    return any(moment is not None and moment < datetime.now(UTC) - LONG_SEEN for moment in found)


def main() -> None:
    """Be the command `prefect`, so amended."""
    guard()
    take_turns()
    mark_old_events_seen()
    from prefect.cli import app

    app()


if __name__ == "__main__":
    main()
