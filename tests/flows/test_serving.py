"""What `medassay serve` clears away when it starts and when it stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]


def test_runs_that_were_cut_off_are_closed_and_those_of_other_pools_are_not() -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.settings import get_current_settings
    from prefect.states import Completed, Running

    from medassay.flows.evaluate_part import evaluate_part
    from medassay.flows.serve.cut_off_runs import CUT_OFF, close_cut_off_runs

    with get_client(sync_client=True) as client:
        flow = client.create_flow(evaluate_part)
        runs: dict[str, Any] = {}
        for pool in ("local", "elsewhere"):
            client.create_work_pool(WorkPoolCreate(name=pool, type="process"))
            deployment = client.create_deployment(flow, f"on-{pool}", work_pool_name=pool)
            for name, state in (("cut off", Running()), ("done", Completed()), ("a colleague's", Running())):
                made = client.create_flow_run_from_deployment(deployment, name=f"{name}, {pool}")
                client.set_flow_run_state(made.id, state, force=True)
                taken_by = "ward-7" if name == "a colleague's" else "medassay"
                client.update_flow_run_labels(made.id, {"prefect.worker.name": taken_by})
                runs[f"{name}, {pool}"] = made.id
        assert close_cut_off_runs(str(get_current_settings().api.url)) == ["cut off, local"]
        states = {name: client.read_flow_run(run).state for name, run in runs.items()}
    assert {name: state.type.value for name, state in states.items() if state} == {
        "cut off, local": "CRASHED",
        "done, local": "COMPLETED",
        "a colleague's, local": "RUNNING",
        "cut off, elsewhere": "RUNNING",
        "done, elsewhere": "COMPLETED",
        "a colleague's, elsewhere": "RUNNING",
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
    from medassay.flows.serve.serving import local_address, reached_by_others

    assert (local_address(host), reached_by_others(host, name)) == (here, others)


@pytest.mark.parametrize(
    ("named", "zone"),
    [("Asia/Tokyo", "Asia/Tokyo"), (":Europe/London", "Europe/London"), ("CET-1CEST", "UTC")],
)
def test_schedules_are_read_in_the_machines_time_zone(
    monkeypatch: pytest.MonkeyPatch, named: str, zone: str
) -> None:
    from medassay.flows.serve.deployment_choices import time_zone

    monkeypatch.setenv("TZ", named)
    assert time_zone() == zone


def test_a_server_that_is_gone_stops_nobody() -> None:
    from medassay.flows.serve.cut_off_runs import close_cut_off_runs

    assert close_cut_off_runs("http://127.0.0.1:9/api") == []


def test_what_was_chosen_in_the_ui_outlives_the_next_registration(tmp_path: Path) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import DeploymentScheduleCreate
    from prefect.client.schemas.schedules import CronSchedule
    from prefect.settings import get_current_settings
    from prefect.utilities.callables import parameter_schema

    from medassay.flows.compare import compare
    from medassay.flows.serve.deployment_choices import kept_choices

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
        kept = tmp_path / "choices.json"
        with pytest.raises(KeyboardInterrupt), kept_choices(api, kept):
            register(data="examples/clinic", baseline="last")
            raise KeyboardInterrupt  # stopped while it registers
        assert client.read_deployment(identity).parameters["data"] == "examples/clinic"
        with kept_choices(api, kept):
            assert register(data="examples/clinic", baseline="last") == identity
        assert not kept.exists()
        found = client.read_deployment(identity)
    # What the flow no longer takes is dropped, what is new has its default.
    assert found.parameters == {"data": "my_answers", "baseline": "last"}
    assert [(one.schedule.cron, one.schedule.timezone, one.active) for one in found.schedules] == [  # type: ignore[union-attr]  # all are cron
        ("30 2 * * *", "Asia/Tokyo", True)
    ]


async def register_twice() -> tuple[list[str], list[Any]]:
    from prefect.client.orchestration import get_client

    from medassay.flows.serve.alerting import register

    await register("http://127.0.0.1:9/first")
    names = await register("http://127.0.0.1:9/second")
    async with get_client() as client:
        return names, await client.read_automations()


def test_a_deployment_that_was_renamed_keeps_what_was_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.settings import get_current_settings
    from prefect.utilities.callables import parameter_schema

    from medassay.flows.evaluate import evaluate
    from medassay.flows.serve.deployment_choices import deployments, kept_choices

    api = str(get_current_settings().api.url)
    with get_client(sync_client=True) as client:
        flow = client.create_flow(evaluate)

        def register(name: str, **parameters: Any) -> Any:
            return client.create_deployment(
                flow, name, parameters=parameters, entrypoint="flows/evaluate.py:evaluate",
                parameter_openapi_schema=parameter_schema(evaluate).model_dump(),
            )  # fmt: skip

        before = register("local", data="mine", max_calls=5, max_failed=0.02, profile="trec")
        with pytest.raises(KeyboardInterrupt), kept_choices(api, tmp_path / "choices.json"):
            register("evaluate-answers")
            raise KeyboardInterrupt  # stopped while it registers
        with kept_choices(api, tmp_path / "choices.json"):
            now = register("evaluate-answers")
    left = {one["id"]: one for one in deployments(api) if one["entrypoint"] == "flows/evaluate.py:evaluate"}
    assert (str(now) in left, str(before) in left) == (True, False)
    # A default is not carried along: the group stays folded.
    assert left[str(now)]["parameters"] == {
        "data": "mine", "limits": {"max_calls": 5}, "measures": {"profile": "trec"},
    }  # fmt: skip
    assert capsys.readouterr().err == (
        "parameters of evaluate-answers moved: max_calls to limits, profile to measures\n"
        "the deployment local is now called evaluate-answers\n"
    )


def test_a_parameter_that_was_renamed_keeps_what_was_chosen() -> None:
    from medassay.flows.serve.deployment_choices import choices

    now = {
        "parameters": {"data": "examples"},
        "parameter_openapi_schema": {"properties": {"data": {}, "reader": {}}},
    }
    before = {
        "parameters": {"data": "mine", "entailment": "encoder", "gone": 1},
        "paused": True,
        "schedules": [],
    }
    assert choices(before, now) == {
        "parameters": {"data": "mine", "reader": "encoder"}, "paused": True, "schedules": [],
    }  # fmt: skip


@pytest.mark.parametrize(("active", "kept"), [(False, {}), (True, {"data": "examples/clinic"})])
def test_the_example_that_a_form_was_filled_in_with_goes_unless_it_is_run_on_a_schedule(
    active: bool, kept: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    from medassay.flows.serve.deployment_choices import choices

    now = {
        "name": "weekly",
        "parameters": {"baseline": "last"},
        "parameter_openapi_schema": {"properties": {"data": {}}},
    }
    before = {
        "parameters": {"data": "examples/clinic"},
        "paused": False,
        "schedules": [{"schedule": {"cron": "0 6 * * 1"}, "active": active}],
    }
    assert choices(before, now)["parameters"] == {"baseline": "last", **kept}
    said = "weekly is no longer filled in with examples/clinic: name your data\n"
    assert capsys.readouterr().err == ("" if active else said)


def test_a_webhook_is_called_once_however_often_it_is_registered() -> None:
    import asyncio

    names, automations = asyncio.run(register_twice())
    assert names == ["medassay comparison ended red"]
    assert [(one.name, [action.type for action in one.actions]) for one in automations] == [
        ("medassay comparison ended red", ["call-webhook"])
    ]


def test_what_ran_in_a_run_that_was_cut_off_is_closed_with_it() -> None:
    from prefect import flow, task
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.settings import get_current_settings
    from prefect.states import Completed, Running

    from medassay.flows.serve.cut_off_runs import close_cut_off_runs

    @task
    def judge() -> None:
        pass

    @flow
    def inner() -> None:
        judge()

    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name="local", type="process"), overwrite=True)
        deployment = client.create_deployment(client.create_flow(inner), "cut", work_pool_name="local")
        served = client.create_flow_run_from_deployment(deployment, name="served")
        client.set_flow_run_state(served.id, Running(), force=True)
        around = client.create_task_run(judge, served.id, "inner", state=Running())
        within = client.create_flow_run(inner, parent_task_run_id=around.id, state=Running())
        going = client.create_task_run(judge, within.id, "judge", state=Running())
        done = client.create_task_run(judge, within.id, "done", state=Completed())
        assert close_cut_off_runs(str(get_current_settings().api.url)) == ["served"]
        states = [
            *(client.read_flow_run(run.id).state for run in (served, within)),
            *(client.read_task_run(run.id).state for run in (around, going, done)),
        ]
    assert [state.type.value for state in states if state] == [*["CRASHED"] * 4, "COMPLETED"]


def test_a_run_that_was_killed_is_closed_by_the_next_one(tmp_path: Path) -> None:
    from prefect import flow, task
    from prefect.client.orchestration import get_client
    from prefect.states import Running

    from medassay.tasks.run import close_killed, flow_run_here

    @task
    def judge() -> None:
        pass

    @flow
    def evaluating(killed: list[str]) -> str | None:
        close_killed(killed)
        return flow_run_here()

    with get_client(sync_client=True) as client:
        compared = client.create_flow_run(evaluating, parameters={"killed": []}, state=Running())
        around = client.create_task_run(judge, compared.id, "evaluate", state=Running())
        run = client.create_flow_run(
            evaluating, parameters={"killed": []}, parent_task_run_id=around.id, state=Running()
        )
        going = client.create_task_run(judge, run.id, "judge", state=Running())
        nobody = "00000000-0000-4000-8000-000000000000"
        here = evaluating([nobody, str(run.id)])
        assert here and flow_run_here() is None
        states = [
            *(client.read_flow_run(one.id).state for one in (compared, run)),
            *(client.read_task_run(one.id).state for one in (around, going)),
        ]
        assert [state.type.value for state in states if state] == ["CRASHED"] * 4
        ended = client.read_flow_run(here).state
        assert ended is not None
        assert ended.is_completed()


def test_a_second_server_with_one_database_is_refused(tmp_path: Path) -> None:
    from medassay.flows.serve.serving import NotServing, alone_at

    with alone_at(tmp_path, "at http://127.0.0.1:4200"):
        held = (
            r"runs already with Prefect's folder .*\(process \d+, at http://127.0.0.1:4200\): stop it, or set"
        )
        with pytest.raises(NotServing, match=held), alone_at(tmp_path, "elsewhere"):
            pass
    with alone_at(tmp_path, "now free"):
        pass


def test_what_serves_ends_with_who_started_it_also_when_that_is_killed(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    module = tmp_path / "held_process.py"
    module.write_text(
        f"import os, time\nopen({str(started)!r}, 'w').write(str(os.getpid()))\ntime.sleep(120)\n"
    )
    holder = (
        "import os, time\nfrom medassay.flows.serve.serving import _running\n"
        f"with _running('held_process', [], {{**os.environ, 'PYTHONPATH': {str(tmp_path)!r}}}):\n    time.sleep(120)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", holder], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 60
    while not (started.exists() and started.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    pid = int(started.read_text())
    process.send_signal(signal.SIGKILL)
    process.wait()
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "held_process" in Path(f"/proc/{pid}/cmdline").read_text()
