"""What `medassay serve` clears away when it starts and when it stops."""

import socket
import time
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


@pytest.mark.parametrize(
    ("host", "name", "here", "others"),
    [
        ("127.0.0.1", None, "127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", None, "127.0.0.1", socket.gethostname()),
        ("::", None, "[::1]", socket.gethostname()),
        ("0.0.0.0", "eval.hospital.example", "127.0.0.1", "eval.hospital.example"),
        ("fd00::5", None, "[fd00::5]", "[fd00::5]"),
    ],
)
def test_links_name_the_machine_as_others_reach_it(
    host: str, name: str | None, here: str, others: str
) -> None:
    from flows.serving import reached_by_others, reached_from_here

    assert (reached_from_here(host), reached_by_others(host, name)) == (here, others)


def test_a_server_that_is_gone_stops_nobody() -> None:
    from flows.serving import close_cut_off_runs

    assert close_cut_off_runs("http://127.0.0.1:9/api") == []


def test_what_was_chosen_in_the_ui_outlives_the_next_registration() -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import DeploymentScheduleCreate
    from prefect.client.schemas.schedules import CronSchedule
    from prefect.settings import get_current_settings
    from prefect.utilities.callables import parameter_schema

    from flows.compare import compare
    from flows.deployment_choices import kept_choices

    def monday() -> DeploymentScheduleCreate:
        return DeploymentScheduleCreate(
            schedule=CronSchedule(cron="0 6 * * 1", timezone="Europe/London"), active=False
        )

    api = str(get_current_settings().api.url)
    schema = parameter_schema(compare).model_dump()
    with get_client(sync_client=True) as client:
        flow = client.create_flow(compare)

        def register(**parameters: Any) -> Any:
            return client.create_deployment(
                flow, "weekly", schedules=[monday()], parameters=parameters, parameter_openapi_schema=schema
            )

        identity = register(data="examples/clinic", baseline="last")
        for schedule in client.read_deployment_schedules(identity):
            client.delete_deployment_schedule(identity, schedule.id)
        night = CronSchedule(cron="30 2 * * *", timezone="Asia/Tokyo")
        client.create_deployment_schedules(identity, [(night, True)])
        from prefect.client.schemas.actions import DeploymentUpdate

        mine = {"data": "my_answers", "gone": 1}
        client.update_deployment(identity, DeploymentUpdate(parameters=mine, enforce_parameter_schema=False))
        with kept_choices(api):
            assert register(data="examples/clinic", baseline="last") == identity
        found = client.read_deployment(identity)
    # What the flow no longer takes is dropped, what is new has its default.
    assert found.parameters == {"data": "my_answers", "baseline": "last"}
    assert [(one.schedule.cron, one.schedule.timezone, one.active) for one in found.schedules] == [  # type: ignore[union-attr]  # all are cron
        ("30 2 * * *", "Asia/Tokyo", True)
    ]


async def register_twice() -> tuple[list[str], list[Any]]:
    from prefect.client.orchestration import get_client

    from flows.alerting import register

    await register("http://127.0.0.1:9/first")
    names = await register("http://127.0.0.1:9/second")
    async with get_client() as client:
        return names, await client.read_automations()


def test_a_webhook_is_called_once_however_often_it_is_registered() -> None:
    import asyncio

    names, automations = asyncio.run(register_twice())
    assert names == ["medassay comparison ended red"]
    assert [(one.name, [action.type for action in one.actions]) for one in automations] == [
        ("medassay comparison ended red", ["call-webhook"])
    ]


def test_a_schedule_makes_runs() -> None:
    # With SQLAlchemy 2.1 it made none, and said so only in the server's log.
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import DeploymentScheduleCreate
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterDeploymentId
    from prefect.client.schemas.schedules import CronSchedule
    from prefect.settings import get_current_settings

    from flows.compare import compare

    every_minute = DeploymentScheduleCreate(schedule=CronSchedule(cron="* * * * *", timezone="Europe/London"))
    with get_client(sync_client=True) as client:
        identity = client.create_deployment(client.create_flow(compare), "minutely", schedules=[every_minute])
        for _ in range(10):
            asked = httpx.post(
                f"{get_current_settings().api.url}/deployments/{identity}/schedule",
                json={"min_runs": 3},
                timeout=60,
            )
            if asked.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(1.0)  # Its database was busy; Prefect's own client asks again, too.
        assert asked.status_code == 200
        made = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(deployment_id=FlowRunFilterDeploymentId(any_=[identity]))
        )
        client.delete_deployment(identity)
    assert {run.state_name for run in made} == {"Scheduled"}
    assert len(made) >= 3
