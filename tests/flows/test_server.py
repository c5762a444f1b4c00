"""Transactions on SQLite take turns, and whoever asks a busy server asks again."""

import asyncio
import sqlite3
import threading
import urllib.error
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from medassay.flows.serve.api import ask

WRITERS = 8


async def count_up_together(database: Path) -> list[str]:
    """Have several transactions read a number and then write it, at once; return what they complain of."""
    import sqlalchemy
    from prefect.server.database.configurations import AioSqliteConfiguration

    configuration = AioSqliteConfiguration(f"sqlite+aiosqlite:///{database}")
    engine = await configuration.engine()
    complaints: list[str] = []

    async def count_up() -> None:
        try:
            async with (
                await configuration.session(engine) as session,
                configuration.begin_transaction(session),
            ):
                (n,) = (await session.execute(sqlalchemy.text("select n from counter"))).one()
                await asyncio.sleep(0.01)
                await session.execute(sqlalchemy.text("update counter set n = :n"), {"n": n + 1})
        except sqlalchemy.exc.OperationalError as error:
            complaints.append(str(error.orig))

    await asyncio.gather(*(count_up() for _ in range(WRITERS)))
    await engine.dispose()
    return complaints


@pytest.mark.parametrize(("in_turn", "counted"), [(True, WRITERS), (False, None)])
def test_whoever_reads_first_and_writes_later_is_not_refused(
    in_turn: bool, counted: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medassay.flows.engine import prepare_prefect

    prepare_prefect()
    from prefect.server.database.configurations import AioSqliteConfiguration

    from medassay.flows.serve.server import take_turns

    monkeypatch.setattr(AioSqliteConfiguration, "begin_transaction", AioSqliteConfiguration.begin_transaction)
    if in_turn:
        take_turns()
    database = tmp_path / "counter.db"
    with sqlite3.connect(database) as connection:
        connection.execute("create table counter (n integer)")
        connection.execute("insert into counter values (0)")
    complaints = asyncio.run(count_up_together(database))
    (n,) = sqlite3.connect(database).execute("select n from counter").fetchone()
    if counted is None:
        # The day this fails Prefect begins in turn by itself, and flows/serve/server.py may go.
        assert set(complaints) == {"database is locked"}
    else:
        assert (n, complaints) == (counted, [])


async def seen_now() -> dict[str, bool]:
    """Store events as the server before this one did, and states as the scheduler does; tell which count as seen."""
    from datetime import UTC, datetime, timedelta
    from uuid import uuid4

    from prefect.server.database import provide_database_interface
    from prefect.server.events.ordering.memory import CausalOrdering
    from prefect.server.events.schemas.events import ReceivedEvent, Resource
    from prefect.server.events.storage.database import write_events

    now = datetime.now(UTC)
    ages = {"an hour ago": timedelta(hours=1), "just now": timedelta()}
    events = {
        name: ReceivedEvent(
            id=uuid4(),
            occurred=now - age,
            received=now - age,
            event="prefect.flow-run.Scheduled",
            resource=Resource({"prefect.resource.id": "prefect.flow-run.1"}),
        )
        for name, age in ages.items()
    }
    db = provide_database_interface()
    async with db.session_context(begin_transaction=True) as session:
        await write_events(session, list(events.values()))
        flow = db.Flow(name="of the scheduler")
        session.add(flow)
        await session.flush()
        run = db.FlowRun(flow_id=flow.id)
        session.add(run)
        await session.flush()
        state = db.FlowRunState(
            id=uuid4(),
            flow_run_id=run.id,
            type="SCHEDULED",
            name="Scheduled",
            timestamp=now - ages["an hour ago"],
        )
        session.add(state)
    ordering = CausalOrdering("a test")
    return {
        **{name: await ordering.event_has_been_seen(event.id) for name, event in events.items()},
        "a state without an event": await ordering.event_has_been_seen(state.id),
        "never": await ordering.event_has_been_seen(uuid4()),
    }


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_events_of_the_server_before_count_as_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else a run that was scheduled before a restart, or minutes before it began, fails unheard.
    from prefect.server.events.ordering.memory import CausalOrdering

    from medassay.flows.serve.server import mark_old_events_seen

    monkeypatch.setattr(CausalOrdering, "event_has_been_seen", CausalOrdering.event_has_been_seen)
    mark_old_events_seen()
    found = asyncio.run(seen_now())
    assert found == {
        "an hour ago": True,
        "just now": False,
        "a state without an event": True,
        "never": False,
    }


@pytest.fixture
def server() -> Iterator[tuple[str, list[int]]]:
    """Serve the statuses of a list, one a request, the last one again and again."""
    statuses: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b'{"asked": "again"}')

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_address[1]}", statuses
        listening.shutdown()


def test_a_busy_server_is_asked_again(server: tuple[str, list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medassay.flows.serve.api.PAUSE_S", 0.01)
    url, statuses = server
    statuses += [503, 503, 200]
    assert ask(url, {}) == {"asked": "again"}


def test_a_server_that_stays_busy_or_refuses_is_an_error(
    server: tuple[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medassay.flows.serve.api.PATIENCE_S", 0.0)
    url, statuses = server
    for status in (503, 422):
        statuses[:] = [status]
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(url, {})
        assert refused.value.code == status
        refused.value.close()
