"""Engines by their options: who does the work, and what to start where nobody would."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from medassay.flows.engines import engine_of, prefect_pool, with_engine
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


@contextmanager
def worker_on(pool: str, state_of: Callable[[str], Any]) -> Iterator[list[str]]:
    """Play the worker of a pool: its heartbeat, and a state for each part; give the parts that it was given."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate

    from medassay.flows.evaluate_part import evaluate_part

    given: list[str] = []
    over = threading.Event()
    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name=pool, type="process"))
        deployment = client.create_deployment(client.create_flow(evaluate_part), pool, work_pool_name=pool)
        client.send_worker_heartbeat(pool, "ada", heartbeat_interval_seconds=30)

    def play() -> None:
        with get_client(sync_client=True) as client:
            while not over.wait(0.05):
                for run in client.read_flow_runs():
                    if run.deployment_id == deployment and run.state is not None and run.state.is_scheduled():
                        given.append(Path(run.parameters["part"]).name)
                        client.set_flow_run_state(run.id, state_of(given[-1]), force=True)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield given
    finally:
        over.set()
        thread.join()


def submitted(pool: str, tmp_path: Path, *names: str) -> dict[str, str | None]:
    """Submit parts of these names, and return how each ended."""
    return {
        Path(place.url).name: why
        for place, why in PrefectPool(pool).submit([Place(str(tmp_path / name)) for name in names])
    }


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_parts_are_runs_of_the_deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's side is played here: what it does is `evaluate_part`, tested by itself."""
    from prefect.states import Completed, Failed

    monkeypatch.setattr(prefect_pool, "POLL_S", 0.01)
    with worker_on("lab", lambda name: Completed() if name == "one" else Failed(message="no such weights")):
        found = submitted("lab", tmp_path, "one", "two")
    assert found == {"one": None, "two": "Failed: no such weights"}


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_a_part_of_a_worker_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its flow run stays as running for ever."""
    from prefect.states import Completed, Running

    monkeypatch.setattr(prefect_pool, "POLL_S", 0.01)
    monkeypatch.setattr(prefect_pool, "SILENT_S", 1.0)
    monkeypatch.setattr(prefect_pool, "LATE", 0)
    with worker_on("ward", lambda name: Completed() if name == "one" else Running()):
        found = submitted("ward", tmp_path, "one", "two")
    assert found == {"one": None, "two": "nothing was heard of it for 0 minutes"}


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_server")
def test_a_part_whose_run_crashes_is_given_to_a_worker_twice_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.states import Crashed

    monkeypatch.setattr(prefect_pool, "POLL_S", 0.01)
    with worker_on("crib", lambda name: Crashed(message="out of memory")) as given:
        found = submitted("crib", tmp_path, "one")
    assert (found, given) == ({"one": "Crashed: out of memory"}, ["one"] * 3)
