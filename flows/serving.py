"""One command for the UI: server, work pool, deployments and worker, started together and stopped together."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from flows.engine import SETTINGS
from sql.warehouse import home_folder

CHECKOUT = Path(__file__).resolve().parent.parent
START_DEADLINE_S = 180.0
STOP_DEADLINE_S = 15.0


class NotServing(Exception):
    """The server or the worker did not come up; the message says what to do."""


def serve(host: str, port: int) -> None:
    """Run until interrupted; nothing is left running afterwards.

    Raises:
        NotServing: when something does not start.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    address = f"http://{host}:{port}"
    environment = {
        **SETTINGS,
        **os.environ,
        "PREFECT_API_URL": f"{address}/api",
        "PREFECT_SERVER_UI_API_URL": f"{address}/api",
        "MEDASSAY_CHECKOUT": str(CHECKOUT),
        "MEDASSAY_HOME": str(home_folder()),
    }
    if _answers(f"{address}/api/health"):
        raise NotServing(f"something answers at {address} already; stop it, or choose another --port")
    with ExitStack() as started:
        server = started.enter_context(
            _running("server", ["server", "start", "--host", host, "--port", str(port)], environment)
        )
        click.echo(f"starting the Prefect server at {address} …", err=True)
        _wait_for(f"{address}/api/health", server)
        for pool in ("local", "gpu"):
            _prefect(["work-pool", "create", pool, "--type", "process", "--overwrite"], environment)
        _prefect(["deploy", "--all", "--prefect-file", "deployments/prefect.yaml"], environment)
        worker = started.enter_context(
            _running("worker", ["worker", "start", "--pool", "local", "--name", "medassay"], environment)
        )
        if _has_gpu():
            started.enter_context(
                _running(
                    "GPU worker",
                    ["worker", "start", "--pool", "gpu", "--name", "medassay-gpu", "--limit", "1"],
                    environment,
                )
            )
        else:
            click.echo(
                "no GPU here: `--entail-on gpu` waits for a worker elsewhere, "
                f"PREFECT_API_URL={address}/api prefect worker start --pool gpu --limit 1",
                err=True,
            )
        click.echo(
            f"ready: {address}/deployments, results in {environment['MEDASSAY_HOME']}; Ctrl-C stops it all"
        )
        while server.poll() is None and worker.poll() is None:
            time.sleep(0.5)
        ended = "server" if server.poll() is not None else "worker"
        raise NotServing(f"the {ended} ended by itself; its last words are above")


def _has_gpu() -> bool:
    return shutil.which("nvidia-smi") is not None and Path("/dev/nvidia0").exists()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while not _answers(url):
        if process.poll() is not None:
            raise NotServing(
                "the Prefect server did not start; is the port taken? choose another with --port"
            )
        if time.monotonic() > deadline:
            raise NotServing(f"the Prefect server did not answer within {START_DEADLINE_S:.0f} s; try again")
        time.sleep(0.5)


def _command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "prefect", "--no-prompt", *arguments]


def _prefect(arguments: Sequence[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        _command(arguments), env=environment, cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NotServing(f"prefect {' '.join(arguments[:2])} failed: {' '.join(last)}")


@contextmanager
def _running(
    name: str, arguments: Sequence[str], environment: dict[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Hold a process of its own group, with whatever it starts, and end the whole group."""
    process = subprocess.Popen(
        _command(arguments),
        env=environment,
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if process.poll() is not None:
                break
            os.killpg(process.pid, how)
            try:
                process.wait(STOP_DEADLINE_S)
            except subprocess.TimeoutExpired:
                continue
