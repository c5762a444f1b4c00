"""What `medassay serve` clears away when it starts and when it stops."""

from typing import Any

import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]


def test_runs_that_were_cut_off_are_closed_and_those_of_other_pools_are_not() -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.settings import get_current_settings
    from prefect.states import Completed, Running

    from flows.entail import entail
    from flows.serving import CUT_OFF, close_cut_off_runs

    with get_client(sync_client=True) as client:
        flow = client.create_flow(entail)
        runs: dict[str, Any] = {}
        for pool in ("local", "elsewhere"):
            client.create_work_pool(WorkPoolCreate(name=pool, type="process"))
            deployment = client.create_deployment(flow, f"on-{pool}", work_pool_name=pool)
            for name, state in (("cut off", Running()), ("done", Completed())):
                made = client.create_flow_run_from_deployment(deployment, name=f"{name}, {pool}")
                client.set_flow_run_state(made.id, state, force=True)
                runs[f"{name}, {pool}"] = made.id
        assert close_cut_off_runs(str(get_current_settings().api.url)) == ["cut off, local"]
        states = {name: client.read_flow_run(run).state for name, run in runs.items()}
    assert {name: state.type.value for name, state in states.items() if state} == {
        "cut off, local": "CRASHED",
        "done, local": "COMPLETED",
        "cut off, elsewhere": "RUNNING",
        "done, elsewhere": "COMPLETED",
    }
    crashed = states["cut off, local"]
    assert crashed is not None
    assert crashed.message == CUT_OFF


def test_a_server_that_is_gone_stops_nobody() -> None:
    from flows.serving import close_cut_off_runs

    assert close_cut_off_runs("http://127.0.0.1:9/api") == []
