"""What the engine shows of runs: who was killed cannot say so there, and would be shown as running for ever."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

KILLED = "its process was killed; run the same again, and it goes on where it was"


def flow_run_here() -> str | None:
    """Return the engine's id of the flow run around this code; None where there is none."""
    if "prefect" not in sys.modules:
        return None
    from prefect.runtime import flow_run

    return str(flow_run.id) if flow_run.id else None


def close_killed(flow_run_ids: Iterable[str]) -> None:
    """Mark flow runs that were killed as crashed, with what ran in them and the flows that they were part of.

    Those that have ended stay as they are; where the engine cannot be reached, or knows nothing of them, all do.
    """
    wanted = [UUID(name) for name in flow_run_ids]
    if not wanted or flow_run_here() is None:
        return
    from prefect.client.orchestration import get_client

    for flow_run_id in wanted:
        with suppress(Exception), get_client(sync_client=True) as client:
            _close(client, flow_run_id)


def _close(client: Any, flow_run_id: UUID) -> None:
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
    from prefect.states import Crashed

    run = client.read_flow_run(flow_run_id)
    if run.state is not None and not run.state.is_final():
        client.set_flow_run_state(flow_run_id, Crashed(message=KILLED), force=True)
    ours = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run_id]))
    for task_run in client.read_task_runs(flow_run_filter=ours):
        if task_run.state is not None and not task_run.state.is_final():
            client.set_task_run_state(task_run.id, Crashed(message=KILLED), force=True)
    if run.parent_task_run_id is not None:
        around = client.read_task_run(run.parent_task_run_id).flow_run_id
        if around is not None:
            _close(client, around)
