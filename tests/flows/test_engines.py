"""Engines by their options: who does the work, and what to start where nobody would."""

from pathlib import Path
from typing import Any

import pytest

from medassay.flows.engines import engine_of, with_engine
from medassay.flows.engines.here import Processes
from medassay.flows.engines.prefect_pool import EngineUnavailable, PrefectPool
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.tasks.parts.part import Place
from medassay.tasks.pipeline import IN_PROCESS


@pytest.mark.parametrize(
    ("cores", "options", "processes"), [(2, {}, None), (7, {}, None), (16, {}, 4), (2, {"parts": 3}, 2)]
)
def test_processes_are_as_many_as_the_cores_carry(
    monkeypatch: pytest.MonkeyPatch, cores: int, options: dict[str, Any], processes: int | None
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    engine = engine_of(Settings("d", **options))
    assert (engine._n if isinstance(engine, Processes) else None) == processes


def test_what_reads_elsewhere_or_must_not_leave_is_refused(tmp_path: Path) -> None:
    served = Settings("d", reader="https://llm.example/v1#m", on="ray")
    with pytest.raises(
        UsageError, match="--on ray is for models that read here: https://llm.example/v1#m reads"
    ):
        with_engine(IN_PROCESS, served, tmp_path)
    assert with_engine(IN_PROCESS, served.but(on="here"), tmp_path) is IN_PROCESS
    redacted = Settings("d", parts=2, phi="redact", storage="s3://bucket/parts")
    with pytest.raises(
        UsageError, match="parts hold texts as they are, and s3://bucket/parts is not on this machine"
    ):
        with_engine(IN_PROCESS, redacted, tmp_path)


def test_jobs_of_others_are_waited_for_and_left_when_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medassay.flows.engines import jobs
    from medassay.tasks.parts.part import OUT, Done, write_manifest

    monkeypatch.setattr(jobs, "POLL_S", 0.01)
    parts = [Place(str(tmp_path / name)) for name in ("one", "two")]
    waiting = jobs.Jobs().submit(parts)
    for part in reversed(parts):
        with part.within(OUT).being_written() as folder:
            write_manifest(folder, Done({}, {}, "code"))
        assert next(waiting) == (part, None)
    assert list(waiting) == []
    assert jobs.Jobs.leaves_parts


def test_options_of_before_name_the_pool() -> None:
    assert Settings("d", entail_on="gpu").on == "prefect:gpu"
    assert Settings("d", entail_on="here").on == "here"
    with pytest.raises(
        UsageError, match="on is 'gpu': write here, prefect:<pool>, jobs, ray or ray://<host>:<port>"
    ):
        Settings("d", on="gpu")


def test_without_ray_the_way_out_is_named() -> None:
    pytest.importorskip("importlib")
    try:
        import ray  # noqa: F401
    except ImportError:
        with pytest.raises(EngineUnavailable, match=r"pip install 'medassay\[ray\]', or run with --on here"):
            engine_of(Settings("d", on="ray"))
        return
    pytest.skip("ray is installed")


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_without_a_pool_or_worker_the_way_out_is_named(tmp_path: Path) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from medassay.flows.evaluate_part import evaluate_part

    missing = r"has no deployment evaluate-part/gpu or no work pool `gpu`.* or run with --on here$"
    with pytest.raises(EngineUnavailable, match=missing):
        PrefectPool("gpu")
    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name="gpu", type="process"))
        client.create_deployment(client.create_flow(evaluate_part), "gpu", work_pool_name="gpu")
    with pytest.raises(
        EngineUnavailable, match=r"^no worker is on the work pool `gpu`: .* or run with --on here$"
    ):
        PrefectPool("gpu")
    with (
        temporary_settings(restore_defaults={PREFECT_API_URL}),
        pytest.raises(EngineUnavailable, match=r"^PREFECT_API_URL is not set, .* or run with --on here$"),
    ):
        PrefectPool("gpu")


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_parts_are_runs_of_the_deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's side is played here: what it does is `evaluate_part`, tested by itself."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.states import Completed, Failed

    from medassay.flows.evaluate_part import evaluate_part

    monkeypatch.setattr(PrefectPool, "_has_worker", lambda self: True)
    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name="lab", type="process"))
        deployment = client.create_deployment(client.create_flow(evaluate_part), "lab", work_pool_name="lab")
        parts = [Place(str(tmp_path / name)) for name in ("one", "two")]
        found = []
        submitted = PrefectPool("lab").submit(parts)
        monkeypatch.setattr("medassay.flows.engines.prefect_pool.POLL_S", 0.01)
        import threading

        def play() -> None:
            import time

            done: set[Any] = set()
            with get_client(sync_client=True) as worker:
                while len(done) < 2:
                    for run in worker.read_flow_runs():
                        if run.deployment_id == deployment and run.id not in done:
                            ends_well = run.parameters["part"].endswith("one")
                            state = Completed() if ends_well else Failed(message="no such weights")
                            worker.set_flow_run_state(run.id, state, force=True)
                            done.add(run.id)
                    time.sleep(0.05)

        thread = threading.Thread(target=play)
        thread.start()
        found = sorted((Path(place.url).name, why) for place, why in submitted)
        thread.join()
    assert found == [("one", None), ("two", "Failed: no such weights")]


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_a_part_whose_worker_was_killed_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its flow run stays as running for ever."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.states import Completed, Running

    from medassay.flows.engines import prefect_pool
    from medassay.flows.evaluate_part import evaluate_part

    monkeypatch.setattr(PrefectPool, "_has_worker", lambda self: True)
    monkeypatch.setattr(prefect_pool, "POLL_S", 0.01)
    monkeypatch.setattr(prefect_pool, "SILENT_S", 0.2)
    monkeypatch.setattr(prefect_pool, "LATE", 0)
    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name="ward", type="process"))
        client.create_deployment(client.create_flow(evaluate_part), "ward", work_pool_name="ward")
        pool = PrefectPool("ward")
        ended = pool._ended

        def begin_and_look(ids: list[Any]) -> list[tuple[Any, str]]:
            for run in client.read_flow_runs():
                if run.id in ids and run.state is not None and run.state.is_scheduled():
                    is_one = run.parameters["part"].endswith("one")
                    client.set_flow_run_state(run.id, Completed() if is_one else Running(), force=True)
            return ended(ids)

        monkeypatch.setattr(pool, "_ended", begin_and_look)
        found = dict(pool.submit([Place(str(tmp_path / name)) for name in ("one", "two")]))
    assert {Path(place.url).name: why for place, why in found.items()} == {
        "one": None, "two": "nothing was heard of it for 0 minutes",
    }  # fmt: skip


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_a_part_whose_run_crashes_is_given_to_a_worker_twice_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.states import Crashed

    from medassay.flows.engines import prefect_pool
    from medassay.flows.evaluate_part import evaluate_part

    monkeypatch.setattr(PrefectPool, "_has_worker", lambda self: True)
    monkeypatch.setattr(prefect_pool, "POLL_S", 0.01)
    n_crashes = 0
    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name="crib", type="process"))
        deployment = client.create_deployment(
            client.create_flow(evaluate_part), "crib", work_pool_name="crib"
        )
        pool = PrefectPool("crib")
        ended = pool._ended

        def crash_and_look(ids: list[Any]) -> list[tuple[Any, str]]:
            nonlocal n_crashes
            for run in client.read_flow_runs():
                if run.deployment_id == deployment and run.state is not None and run.state.is_scheduled():
                    client.set_flow_run_state(run.id, Crashed(message="out of memory"), force=True)
                    n_crashes += 1
            return ended(ids)

        monkeypatch.setattr(pool, "_ended", crash_and_look)
        found = dict(pool.submit([Place(str(tmp_path / "one"))]))
    assert (list(found.values()), n_crashes) == (["Crashed: out of memory"], 3)
