"""A Prefect work pool: each part is a run of the deployment `evaluate-part/POOL`, with Prefect's retries and limits."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID

from medassay.flows.engines.here import reason_of
from medassay.tasks.parts.part import Place

FLOW = "evaluate-part"
POLL_S = 1.0
SILENT_S = 300.0
"""So long a pool may be without a worker before its parts are given up."""
N_PARTS = 8
LATE = 4
"""So many times as long as any part took a part may be away: the run of a worker that was killed never ends."""
MOST_AGAIN = 2
"""How often a part is given to another worker after its own was lost."""
WORKER_LABEL = "prefect.worker.name"
"""Under which Prefect's workers write their names into the runs that they take."""
SERVE = (
    "start `medassay serve` (`--gpu-pool` makes the pool gpu), set PREFECT_API_URL to its address with /api behind it"
    " and PREFECT_API_AUTH_STRING to its token"
)
RUN_HERE = "or run with --on here"


class EngineUnavailable(Exception):
    """Nobody would evaluate a part; the message says what to start, or to do the work here."""


class PrefectPool:
    """Evaluates parts on the workers of a pool.

    Raises:
        EngineUnavailable: when the server, the deployment, the pool or a worker is missing.
    """

    def __init__(self, pool: str) -> None:
        self._pool, self._deployment = pool, f"{FLOW}/{pool}"
        self._check()

    leaves_parts = False
    _begun_again: Counter[UUID]

    @property
    def n_parts(self) -> int:
        """How many parts there are unless it is said."""
        return N_PARTS

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        """Yield each part when its flow run has ended, or nobody has been on the pool for minutes."""
        from prefect.deployments import run_deployment

        self._begun_again = Counter()
        running: dict[UUID, Place] = {}
        try:
            for part in parts:
                with asked_server():
                    flow_run: Any = run_deployment(
                        self._deployment, parameters={"part": part.url}, timeout=0, as_subflow=False
                    )
                running[flow_run.id] = part
            heard = has_worker = time.monotonic()
            longest_s = 0.0
            while running:
                ended, is_attended = self._look(list(running))
                now = time.monotonic()
                for flow_run_id, why in ended:
                    longest_s, heard = max(longest_s, now - heard), now
                    yield running.pop(flow_run_id), why or None
                has_worker = now if is_attended else has_worker
                if now - has_worker > SILENT_S:
                    why = (
                        f"no worker has been on the work pool `{self._pool}` for {SILENT_S / 60:.0f} minutes"
                    )
                elif longest_s and now - heard > max(SILENT_S, LATE * longest_s):
                    why = f"nothing was heard of it for {(now - heard) / 60:.0f} minutes"
                else:
                    time.sleep(POLL_S)
                    continue
                for flow_run_id in list(running):
                    self._cancel(flow_run_id)
                    yield running.pop(flow_run_id), why
        finally:
            for flow_run_id in running:
                self._cancel(flow_run_id)

    def _look(self, flow_run_ids: list[UUID]) -> tuple[list[tuple[UUID, str]], bool]:
        """Return the flow runs that have ended, each with how, empty where well, and whether the pool has a worker.

        A run that crashed, or whose worker is not heard of any more, is scheduled again: another worker takes it; a
        third time it stays ended. A server that is away knows of none.
        """
        from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
        from prefect.states import Scheduled

        asked = FlowRunFilter(id=FlowRunFilterId(any_=flow_run_ids))
        with suppress(Exception), asked_server() as client:
            online, ended = self._online(client), []
            for run in client.read_flow_runs(flow_run_filter=asked):
                state = run.state
                if state is None:
                    continue
                is_lost = state.is_crashed() or (
                    (state.is_running() or state.is_pending())
                    and run.labels.get(WORKER_LABEL) not in {*online, None}
                )
                if is_lost and self._begun_again[run.id] < MOST_AGAIN:
                    self._begun_again[run.id] += 1
                    client.set_flow_run_state(run.id, Scheduled(message="its worker was lost"), force=True)
                elif state.is_final():
                    how = f"{state.name}: {state.message or 'no reason given'}"
                    ended.append((run.id, "" if state.is_completed() else how))
            return ended, bool(online)
        return [], False

    def _online(self, client: Any) -> set[str]:
        """Return the names of the pool's workers that are heard of."""
        workers = client.read_workers_for_work_pool(self._pool)
        return {one.name for one in workers if str(getattr(one.status, "value", one.status)) == "ONLINE"}

    def _cancel(self, flow_run_id: UUID) -> None:
        from prefect.states import Cancelled, Cancelling

        with suppress(Exception), asked_server() as client:
            # A worker ends what it runs; where there is none, nobody ever would.
            state: Any = Cancelling if self._online(client) else Cancelled
            client.set_flow_run_state(flow_run_id, state(message="its evaluation ended"), force=True)

    def _check(self) -> None:
        from prefect.exceptions import ObjectNotFound
        from prefect.settings import get_current_settings

        where = get_current_settings().api.url
        if not where:
            raise EngineUnavailable(
                f"PREFECT_API_URL is not set, so no worker can hear of parts for the work pool `{self._pool}`:"
                f" {SERVE}, {RUN_HERE}"
            )
        with asked_server() as client:
            try:
                client.read_deployment_by_name(self._deployment)
                client.read_work_pool(self._pool)
            except ObjectNotFound:
                raise EngineUnavailable(
                    f"the Prefect server at {where} has no deployment {self._deployment} or no work pool"
                    f" `{self._pool}`: {SERVE}, {RUN_HERE}"
                ) from None
            if self._online(client):
                return
        raise EngineUnavailable(
            f"no worker is on the work pool `{self._pool}`: start one on a machine that is to work"
            f" (PREFECT_API_URL={where} PREFECT_API_AUTH_STRING=… prefect worker start --pool {self._pool}"
            f" --limit 1), {RUN_HERE}"
        )


@contextmanager
def asked_server() -> Iterator[Any]:
    """Give a client of the Prefect server.

    Raises:
        EngineUnavailable: where it does not answer; the message says which address was asked.
    """
    from httpx import HTTPError
    from prefect.client.orchestration import get_client
    from prefect.settings import get_current_settings

    try:
        with get_client(sync_client=True) as client:
            yield client
    except (HTTPError, OSError, RuntimeError) as error:
        raise EngineUnavailable(
            f"the Prefect server at {get_current_settings().api.url} does not answer as it should"
            f" ({reason_of(error)}): {SERVE}, {RUN_HERE}"
        ) from error
