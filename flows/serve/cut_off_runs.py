"""Runs that were cut off when `medassay serve` stopped are marked as crashed, not shown as running for ever."""

import click

from medassay.flows.serve.api import ask

OUR_WORKER = "medassay"
"""Name of the worker that `medassay serve` starts for the pool `local`."""
UNFINISHED = {"any_": ["RUNNING", "PENDING", "CANCELLING"]}
CUT_OFF = "`medassay serve` stopped while this ran; run it again, and it goes on where it was"


def close_cut_off_runs(api: str) -> list[str]:
    """Mark the runs of the pool `local` that nobody can be running any more as crashed; return their names.

    Prefect would show them as running for ever, and each would hold its deployment's only slot. Those that another
    worker than ours has taken go on.
    """
    wanted = {"flow_runs": {"state": {"type": UNFINISHED}}, "work_pools": {"name": {"any_": ["local"]}}}
    closed: list[str] = []
    try:
        for run in ask(f"{api}/flow_runs/filter", wanted):
            if run["labels"].get("prefect.worker.name", OUR_WORKER) != OUR_WORKER:
                continue
            _close(api, run["id"])
            closed.append(run["name"])
    except OSError as error:
        click.echo(
            f"runs that were cut off could not be closed ({error}); the next `medassay serve` tries again",
            err=True,
        )
    return closed


def _close(api: str, flow_run_id: str) -> None:
    """Mark a flow run as crashed, with the tasks and the flows that ran in it."""
    crashed = {"state": {"type": "CRASHED", "message": CUT_OFF}, "force": True}
    inside = {"flow_runs": {"parent_flow_run_id": {"any_": [flow_run_id]}, "state": {"type": UNFINISHED}}}
    for run in ask(f"{api}/flow_runs/filter", inside):
        _close(api, run["id"])
    ours = {
        "flow_runs": {"id": {"any_": [flow_run_id]}},
        "task_runs": {"state": {"type": UNFINISHED}},
    }
    for run in ask(f"{api}/task_runs/filter", ours):
        ask(f"{api}/task_runs/{run['id']}/set_state", crashed)
    ask(f"{api}/flow_runs/{flow_run_id}/set_state", crashed)
