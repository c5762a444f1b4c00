"""`medassay serve` on PostgreSQL with two workers on one pool: one is killed, the other does its part."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from medassay.flows.serve.access import TOKEN_FILE
from medassay.flows.serve.api import ask
from medassay.models.settings import Settings
from medassay.models.weights import cache_folder
from medassay.sql.snapshot import read_results
from medassay.tasks.pipeline import evaluate
from tests.postgresql import postgresql
from tests.rows import write_tables
from tests.waits import until

pytestmark = [pytest.mark.slow, pytest.mark.prefect, pytest.mark.usefixtures("needs_the_embedder")]
ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 300
N_QUESTIONS = 6


def free_port() -> int:
    """Return a port that is free, and so is the next one."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            if other.connect_ex(("127.0.0.1", port + 1)):
                return port


@pytest.fixture
def data(tmp_path: Path) -> Path:
    facts = [f"Medicine number {n} lowers the pressure by {n} points." for n in range(N_QUESTIONS)]
    return write_tables(
        tmp_path / "data",
        questions=[
            {"question_id": f"q{n}", "question": f"What does medicine {n} do?", "nuggets": [fact]}
            for n, fact in enumerate(facts)
        ],
        answers=[
            {"question_id": f"q{n}", "system": system, "answer": facts[n] if system == "a" else facts[0]}
            for n in range(N_QUESTIONS)
            for system in ("a", "b")
        ],
    )


def scores(home: Path) -> list[dict[str, Any]]:
    return read_results(home, "select * exclude (run_id) from answer_scores order by all")


def test_a_part_of_a_killed_worker_is_done_by_another(tmp_path: Path, data: Path) -> None:
    port, said, parts = free_port(), tmp_path / "said", tmp_path / "parts"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "all-MiniLM-L6-v2").symlink_to(cache_folder() / "all-MiniLM-L6-v2")
    environment |= {
        "MEDASSAY_HOME": str(tmp_path / "there"), "PREFECT_HOME": str(tmp_path / "prefect"), "PYTHONPATH": str(ROOT),
        "MEDASSAY_MODELS": str(tmp_path / "models"), "MEDASSAY_READER": "none",
        # Workers are looked after every few seconds, and one that is killed is missed soon.
        "PREFECT_WORKER_QUERY_SECONDS": "2", "PREFECT_WORKER_HEARTBEAT_SECONDS": "2",
        "PREFECT_SERVER_SERVICES_FOREMAN_LOOP_SECONDS": "2",
    }  # fmt: skip
    options = "--parts 2 --reader none --judge none --matcher cosine --offline".split()
    cli = [sys.executable, "-m", "medassay.flows.cli"]
    with ExitStack() as started, postgresql("prefect") as database, said.open("w") as out:

        def start(command: list[str], more: dict[str, str]) -> "subprocess.Popen[str]":
            process = subprocess.Popen(
                command, env=environment | more, cwd=ROOT, stdout=out, stderr=out, text=True, start_new_session=True,
            )  # fmt: skip
            started.callback(end, process)
            return process

        server = {"PREFECT_SERVER_DATABASE_CONNECTION_URL": database}
        serving = start([*cli, "serve", "--gpu-pool", "--port", str(port)], server)
        until(lambda: serving.poll() is not None or "Ctrl-C" in said.read_text(), "serve")
        assert serving.poll() is None, said.read_text()
        token = (tmp_path / "there" / TOKEN_FILE).read_text().strip()
        client = {"PREFECT_API_URL": f"http://127.0.0.1:{port}/api", "PREFECT_API_AUTH_STRING": token}
        worker = f"{sys.executable} -m prefect worker start --pool gpu --limit 1 --name".split()
        workers = {name: start([*worker, name], client) for name in ("first", "second")}

        def asked(path: str) -> list[dict[str, Any]]:
            os.environ["PREFECT_API_AUTH_STRING"] = token
            try:
                found: list[dict[str, Any]] = ask(f"{client['PREFECT_API_URL']}/{path}/filter", {})
                return found
            finally:
                del os.environ["PREFECT_API_AUTH_STRING"]

        until(lambda: len(asked("work_pools/gpu/workers")) == 2, "workers")
        on_pool = ["--on", "prefect:gpu", "--storage", str(parts), *options]
        running = start([*cli, "evaluate", str(data), *on_pool], client)

        def at_work() -> list[dict[str, Any]]:
            assert running.poll() is None, said.read_text()
            return [
                run for run in asked("flow_runs")
                if run["state_type"] == "RUNNING" and run["labels"].get("prefect.worker.name") == "first"
            ]  # fmt: skip

        (lost, *_) = until(at_work, "a part at the first worker")
        machine = psutil.Process(workers["first"].pid)
        for process in (*machine.children(recursive=True), machine):
            process.kill()
        assert running.wait(WAIT_S) == 0, said.read_text()
        ended = {run["id"]: run for run in asked("flow_runs") if "part" in run["parameters"]}
    assert {run["state_type"] for run in ended.values()} == {"COMPLETED"}
    assert (len(ended), ended[lost["id"]]["labels"]["prefect.worker.name"]) == (2, "second")
    assert "did not come back" not in said.read_text()
    evaluate(
        tmp_path / "here", Settings(str(data), reader="none", judge="none", matcher="cosine", offline=True)
    )
    assert scores(tmp_path / "there") == scores(tmp_path / "here") != []


def end(process: "subprocess.Popen[str]") -> None:
    for how in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, how)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                continue
