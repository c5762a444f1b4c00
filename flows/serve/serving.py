"""`medassay serve`: Prefect server, pools, deployments, worker and reports server as one process group."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import IO

import click

from medassay.flows.engine import SERVER_LOG, SETTINGS, leashed, server_log
from medassay.flows.serve.access import (
    CLIENT_TOKEN,
    SERVER_TOKEN,
    TOKEN_FILE,
    TokenRefused,
    kept_token,
    reports_key,
)
from medassay.flows.serve.api import ask
from medassay.flows.serve.cut_off_runs import OUR_WORKER, close_cut_off_runs
from medassay.flows.serve.deployment_choices import kept_choices, time_zone
from medassay.flows.serve.guard import enter_link
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import REPORTS_URL, serving_reports
from medassay.flows.serve.server import KNOWN_AS, LISTENS_AT
from medassay.sql.home import home_folder, make_home

CHECKOUT = Path(__file__).resolve().parents[2]
POOL_TEMPLATE = "deployments/pool.json"
DEPLOYMENTS = {"local": "deployments/prefect.yaml", "gpu": "deployments/gpu.yaml"}
"""What the workers of a pool take."""
START_DEADLINE_S = 180.0
STOP_DEADLINE_S = 15.0
TIME_ZONE = "MEDASSAY_TIME_ZONE"
GPU_POOL = {"work_pools": {"name": {"any_": ["gpu"]}}}
CHOICES, LOCK = "medassay-choices.json", "medassay-serve.lock"
# What DuckDB's binding says when a Python process ends; it means nothing, and buries what the run said.
NOISE = (b"nanobind:", b" - leaked ", b" - ... skipped", b"See https://nanobind")


class NotServing(Exception):
    """The server or the worker did not come up; the message says what to do."""


def local_address(host: str) -> str:
    """Return the address at which this machine's own processes reach a server that listens at `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)


def reached_by_others(host: str, name: str | None = None) -> str:
    """Return what links say: the name given, else the address; where that is every address, this machine's name."""
    return name or (socket.gethostname() if host in ("0.0.0.0", "::") else local_address(host))


def serve(
    host: str, port: int, name: str | None = None, inbox: Path | None = None, gpu_pool: bool = False
) -> None:
    """Run until interrupted; nothing is left running afterwards.

    Args:
        host: address to listen at.
        port: of the server and its UI; reports are served at the next one.
        name: by which others reach this machine, for the links in the UI.
        inbox: folder in which each new file or folder becomes a run.
        gpu_pool: whether the pool `gpu` is made though this machine has no GPU.

    Raises:
        NotServing: when something does not start.
    """
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Said for Ctrl-C too, which a shell ignores for what it starts in the background; `nohup` is meant.
        if how != signal.SIGHUP or signal.getsignal(how) is not signal.SIG_IGN:
            signal.signal(how, signal.default_int_handler)
    address = f"http://{local_address(host)}:{port}"
    links = f"http://{reached_by_others(host, name)}"
    token = serve_token(home_folder())
    environment = {
        **SETTINGS,
        **os.environ,
        "PREFECT_API_URL": f"{address}/api",
        # The page asks the server that it came from, by whatever name it was opened.
        "PREFECT_SERVER_UI_API_URL": "/api",
        "PREFECT_UI_URL": f"{links}:{port}",
        "MEDASSAY_CHECKOUT": str(CHECKOUT),
        TIME_ZONE: os.environ.get(TIME_ZONE) or time_zone(),
        "MEDASSAY_HOME": str(home_folder()),
        REPORTS_URL: f"{links}:{port + 1}/{reports_key(token)}",
        SERVER_TOKEN: token,
        CLIENT_TOKEN: token,
        # The guard refuses every other origin before this is asked.
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": f"{links}:{port}",
        LISTENS_AT: host,
        KNOWN_AS: name or "",
    }
    os.environ[CLIENT_TOKEN] = token  # for what this process asks itself
    if _answers(f"{address}/api/health"):
        raise NotServing(f"something answers at {address} already; stop it, or choose another --port")
    with ExitStack() as started:
        started.enter_context(alone_at(prefect_home(), f"at {address}, for the home {home_folder()}"))
        if inbox is not None:
            started.enter_context(alone_with(inbox.absolute()))
        try:
            started.enter_context(
                serving_reports(host, port + 1, home_folder(), reports_key(token), hosts_of(host, name))
            )
        except OSError as error:
            raise NotServing(
                f"reports cannot be served at port {port + 1} ({error.strerror}); choose another --port"
            ) from None
        server = started.enter_context(
            _running(
                "medassay.flows.serve.server",
                ["server", "start", "--host", host, "--port", str(port)],
                environment,
                log=server_log(),
            )
        )
        click.echo(f"starting the Prefect server at {address} …", err=True)
        _wait_for(f"{address}/api/health", server)
        has_gpu = _has_gpu()
        gpu_pool = gpu_pool or has_gpu or bool(ask(f"{address}/api/work_pools/filter", GPU_POOL))
        pools = ("local", "gpu") if gpu_pool else ("local",)
        for pool in pools:
            _prefect(
                ["work-pool", "create", pool, "--type", "process", "--overwrite"]
                + ["--base-job-template", POOL_TEMPLATE],
                environment,
            )
        with kept_choices(f"{address}/api", prefect_home() / CHOICES):
            for pool in pools:
                _prefect(["deploy", "--all", "--prefect-file", DEPLOYMENTS[pool]], environment)
        if url := os.environ.get("MEDASSAY_ALERT_URL"):
            _have_red_comparisons_told(url, environment)
        # Once for what a killed `serve` left, and once when this one stops, between its worker's end and its server's.
        close_cut_off_runs(f"{address}/api")
        started.callback(close_cut_off_runs, f"{address}/api")
        worker = started.enter_context(
            _running("prefect", ["worker", "start", "--pool", "local", "--name", OUR_WORKER], environment)
        )
        if has_gpu:
            started.enter_context(
                _running(
                    "prefect",
                    ["worker", "start", "--pool", "gpu", "--name", "medassay-gpu", "--limit", "1"],
                    environment,
                )
            )
        elif gpu_pool:
            click.echo(
                "no GPU here: the pool gpu waits for a worker elsewhere, "
                f"PREFECT_API_URL={address}/api {CLIENT_TOKEN}=… prefect worker start --pool gpu --limit 1",
                err=True,
            )
        if inbox is not None:
            started.enter_context(_watching(inbox.absolute(), f"{address}/api"))
        click.echo(
            f"ready: {enter_link(f'{links}:{port}', token)}\nruns: {environment[REPORTS_URL]}/\n"
            f"Both links let whoever has them in. Results are in {environment['MEDASSAY_HOME']}, the token for other"
            f" clients ({CLIENT_TOKEN}) in {TOKEN_FILE} there. Ctrl-C stops it all"
        )
        while server.poll() is None and worker.poll() is None:
            time.sleep(0.5)
        ended = "server" if server.poll() is not None else "worker"
        where = f"in {home_folder() / SERVER_LOG}" if ended == "server" else "above"
        raise NotServing(f"the {ended} ended by itself; its last words are {where}")


def serve_token(home: Path) -> str:
    """Return the token that callers need: the one that a person set for Prefect's server, else the home's own.

    Raises:
        NotServing: where it cannot be kept safely.
    """
    if chosen := os.environ.get(SERVER_TOKEN):
        return chosen
    make_home(home)
    try:
        return kept_token(home)
    except TokenRefused as error:
        raise NotServing(str(error)) from None


def prefect_home() -> Path:
    """Return the folder that holds Prefect's own database."""
    return Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser().absolute()


@contextmanager
def alone_at(folder: Path, what: str) -> Iterator[None]:
    """Hold Prefect's folder for one `medassay serve`: a second one would close the first one's runs as cut off.

    Raises:
        NotServing: when another holds it; the message says which.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _held(folder / LOCK, what) as holder:
        if holder is not None:
            raise NotServing(
                f"`medassay serve` runs already with Prefect's folder {folder} ({holder}): stop it, or set"
                " PREFECT_HOME to another folder, and another --port, for a second one"
            )
        yield


@contextmanager
def alone_with(inbox: Path) -> Iterator[None]:
    """Hold an inbox, made where there is none, for one `medassay serve`.

    Raises:
        NotServing: when another holds it, or there can be no folder.
    """
    try:
        inbox.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotServing(f"{inbox} cannot be the inbox ({error.strerror}): name another folder") from None
    with _held(inbox / f".{LOCK}", f"for the home {home_folder()}") as holder:
        if holder is not None:
            raise NotServing(
                f"{inbox} is the inbox of another `medassay serve` ({holder}): name another folder"
            )
        yield


@contextmanager
def _held(lock: Path, what: str) -> Iterator[str | None]:
    """Hold a lock until the block ends; give None, or who holds it already."""
    with open(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield file.read().strip()
            return
        file.truncate()
        file.write(f"process {os.getpid()}, {what}\n")
        file.flush()
        yield None


@contextmanager
def _watching(inbox: Path, api: str) -> Iterator[None]:
    """Watch an inbox in a thread of its own."""
    from medassay.flows.serve.inbox import Deployment, Inbox

    stopped = Event()
    watched = Inbox(inbox, home_folder(), Deployment(api, home_folder(), stopped))
    Thread(target=watched.watch, args=(stopped,), name="inbox", daemon=True).start()
    click.echo(f"inbox: {inbox}", err=True)
    try:
        yield
    finally:
        stopped.set()


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
                f"the Prefect server did not start; its lines are in {home_folder() / SERVER_LOG}: is the port taken,"
                " or PostgreSQL away where PREFECT_SERVER_DATABASE_… names it?"
            )
        if time.monotonic() > deadline:
            raise NotServing(f"the Prefect server did not answer within {START_DEADLINE_S:.0f} s; try again")
        time.sleep(0.5)


def _command(module: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", module, "--no-prompt", *arguments]


def _prefect(arguments: Sequence[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        _command("prefect", arguments),
        env=environment,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NotServing(f"prefect {' '.join(arguments[:2])} failed: {' '.join(last)}")


def _pass_on(process: "subprocess.Popen[bytes]") -> None:
    for line in process.stderr or ():
        if not line.startswith(NOISE):
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()


def _have_red_comparisons_told(url: str, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "medassay.flows.serve.alerting"],
        input=url, env=environment, cwd=CHECKOUT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise NotServing(f"the webhook of MEDASSAY_ALERT_URL could not be registered: {' '.join(last)}")


@contextmanager
def _running(
    module: str, arguments: Sequence[str], environment: dict[str, str], log: IO[bytes] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Hold a process of its own group, with whatever it starts, and end the whole group, also if we are killed.

    What it says goes into `log`, or to this process's own errors.
    """
    process = subprocess.Popen(
        _command(module, arguments),
        env=environment,
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        stderr=log or subprocess.PIPE,
        start_new_session=True,
    )
    if log is not None:
        log.close()
    leash = leashed(process, module, "group")
    Thread(target=_pass_on, args=(process,), daemon=True).start()
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
        leash.kill()
        leash.wait()
