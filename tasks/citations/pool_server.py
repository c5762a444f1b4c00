"""State of the GPU work pool at the Prefect server: workers, and how a shard's run ended."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import UUID

from medassay.models.usage import UsageError

DEPLOYMENT, POOL = "entail/gpu", "gpu"
RUN_HERE = "or run with --entail-on here"
SERVE = (
    "start `medassay serve`, set PREFECT_API_URL to its address with /api behind it"
    " and PREFECT_API_AUTH_STRING to its token"
)
Known = TypeVar("Known")
TIMEOUT_S = 3600.0


class PoolUnavailable(Exception):
    """Nobody would read a shard; the message says what to start, or to read the pairs here."""


def check_pool() -> None:
    """Refuse to send anything that nobody would read.

    Raises:
        PoolUnavailable: saying what is missing and how to get it.
    """
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound
    from prefect.settings import get_current_settings

    where = get_current_settings().api.url
    if not where:
        raise PoolUnavailable(
            f"PREFECT_API_URL is not set, so no worker can hear of pairs for the work pool `{POOL}`: "
            f"{SERVE}, {RUN_HERE}"
        )
    with _refused_where_away(), get_client(sync_client=True) as client:
        try:
            client.read_deployment_by_name(DEPLOYMENT)
            client.read_work_pool(POOL)
        except ObjectNotFound:
            raise PoolUnavailable(
                f"the Prefect server has no deployment {DEPLOYMENT} or no work pool `{POOL}`; asked was {where}: "
                f"{SERVE}, {RUN_HERE}"
            ) from None
    with _refused_where_away():
        is_read = has_worker()
    if not is_read:
        raise PoolUnavailable(
            f"no worker is on the work pool `{POOL}`: start one on the machine with the GPU "
            f"(PREFECT_API_URL={where} PREFECT_API_AUTH_STRING=… prefect worker start --pool {POOL} --limit 1), "
            f"{RUN_HERE}"
        )


def timeout_s() -> float:
    """Return how long one shard may take, in seconds: `MEDASSAY_SHARD_TIMEOUT_S`, else an hour.

    Raises:
        UsageError: when it is no time.
    """
    said = os.environ.get("MEDASSAY_SHARD_TIMEOUT_S") or str(TIMEOUT_S)
    with suppress(ValueError):
        if (seconds := float(said)) > 0:
            return seconds
    raise UsageError(f"MEDASSAY_SHARD_TIMEOUT_S is {said!r}: give a number of seconds over 0")


@contextmanager
def _refused_where_away() -> Iterator[None]:
    """Refuse where the Prefect server does not answer.

    Raises:
        PoolUnavailable: saying which address was asked.
    """
    from httpx import HTTPError
    from prefect.settings import get_current_settings

    try:
        yield
    except (HTTPError, OSError, RuntimeError) as error:
        raise PoolUnavailable(
            f"the Prefect server at {get_current_settings().api.url} does not answer as it should "
            f"({one_line(error)}): {SERVE}, {RUN_HERE}"
        ) from error


def one_line(error: Exception) -> str:
    """Return what an error says in one line, its kind where it says nothing."""
    return " ".join(str(error).split()) or type(error).__name__


def if_known(ask: Callable[[], Known], unknown: Known) -> tuple[Known, str]:
    """Ask the Prefect server something; where it cannot say for now, return `unknown`, and why in words."""
    try:
        return ask(), ""
    except (
        Exception
    ) as error:  # a server on its way down or up answers in many ways; who waits has a time limit
        return unknown, f" (the Prefect server does not say what became of it: {one_line(error)})"


def ask_to_read(shard: str, url: str, n_pairs: int) -> UUID:
    """Ask the pool to read a shard; return the flow run that will.

    Raises:
        PoolUnavailable: when the server takes no runs, or has no such deployment any more.
    """
    from prefect.deployments import run_deployment
    from prefect.exceptions import ObjectNotFound

    try:
        with _refused_where_away():
            flow_run: Any = run_deployment(
                DEPLOYMENT,
                parameters={"shard": shard, "storage": url},
                flow_run_name=f"entail · {n_pairs} pairs",
                timeout=0,
                as_subflow=False,
            )
    except ObjectNotFound:
        raise PoolUnavailable(
            f"the Prefect server has no deployment {DEPLOYMENT} any more: start `medassay serve`, {RUN_HERE}"
        ) from None
    flow_run_id: UUID = flow_run.id
    return flow_run_id


def has_worker() -> bool:
    """Say whether a worker of the pool has been heard of lately."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        try:
            workers = client.read_workers_for_work_pool(POOL)
        except ObjectNotFound:
            return False
    return any(str(getattr(worker.status, "value", worker.status)) == "ONLINE" for worker in workers)


def state_of(flow_run_id: UUID | None) -> str | None:
    """Return how a flow run ended other than well, in words; None while it goes on, or when it is done."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    if flow_run_id is None:
        return "its flow run was never made"
    with get_client(sync_client=True) as client:
        try:
            state = client.read_flow_run(flow_run_id).state
        except ObjectNotFound:
            return "its flow run was deleted"
    if state is None or not state.is_final():
        return None
    if state.is_completed():
        return "its flow run ended without writing them"
    return f"{state.name}{': ' + state.message if state.message else ''}"


def cancel(flow_run_id: UUID | None) -> None:
    """Cancel a flow run that has not ended; a server that cannot be reached has nothing to cancel."""
    if flow_run_id is None:
        return
    from prefect.client.orchestration import get_client
    from prefect.states import Cancelled, Cancelling

    with suppress(Exception), get_client(sync_client=True) as client:
        state = client.read_flow_run(flow_run_id).state
        if state is None or state.is_final():
            return
        # A worker ends what it runs; where there is none, nobody ever would.
        if has_worker():
            client.set_flow_run_state(flow_run_id, Cancelling(message="its shard was withdrawn"))
        else:
            gone: Any = Cancelled(message="its shard was withdrawn, and no worker is there")
            client.set_flow_run_state(flow_run_id, gone, force=True)
