"""Prefect, made ready before it is imported: nothing leaves the machine, and a slow start is not a failure."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from urllib.request import getproxies_environment

SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    # A fresh home takes 16 s on two cores, the default limit is 20 s.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # A person at the terminal gets one line for an error, never the engine's traceback.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    # SQLite records 21 task runs a second one by one, 60–93 in batches.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TRIGGERS_READ_BATCH_SIZE": "100",
}


CHECKOUT = str(Path(__file__).resolve().parent.parent)
SERVER_APP = "medassay.flows.server:create_app"


def prepare_prefect() -> None:
    """Set what a person has not set; call it before anything imports Prefect."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    keep_loopback_direct()


LOOPBACK = ("localhost", "127.0.0.1", "::1")


def keep_loopback_direct() -> None:
    """Have nothing that is meant for this machine go out to a proxy, Prefect's own calls among it."""
    if not getproxies_environment():
        return
    spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    named = [host.strip() for host in spared.split(",") if host.strip()]
    if "*" not in named:
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(dict.fromkeys([*named, *LOOPBACK]))


def leave_socks_aside() -> list[str]:
    """Take proxies out of the environment that no client here can speak to; return a line for each that was.

    Clients fail for a SOCKS proxy when they are made, whether or not anything outside is asked.
    """
    from importlib.util import find_spec

    named = [n for n in os.environ if n.lower() in ("all_proxy", "http_proxy", "https_proxy")]
    socks = [n for n in named if os.environ[n].lower().startswith("socks")]
    if not socks or find_spec("socksio") is not None:
        return []
    for name in socks:
        del os.environ[name]
    return [f"{', '.join(socks)}: a SOCKS proxy, which is not used; pip install socksio, and it is"]


# Waits until its input ends, which happens when whoever started it is gone, however it went. The server's number may
# have become another process's by then, so its command is looked at.
LEASH = """
import os, signal, subprocess, sys, time

def command_of(pid):
    if os.path.isdir("/proc/self"):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                return file.read()
        except OSError:
            return ""
    return subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True).stdout

sys.stdin.buffer.read()
pid, named = int(sys.argv[1]), sys.argv[2]
end = os.killpg if sys.argv[3:] == ["group"] else os.kill
for how in (signal.SIGTERM, signal.SIGKILL):
    if named not in command_of(pid):
        break
    end(pid, how)
    time.sleep(5)
"""


def leash_server() -> None:
    """Have the server that Prefect starts for a run ask for a token, and end with this process.

    Prefect's own answers every page of a browser and every user of the machine. Prefect stops it in an exit handler,
    which `kill -9` and the kernel's memory guard never reach; the server would then stay for good. What ends a whole
    group of processes, as Ctrl-C does, would reach the server first, and the run would ask it for a minute how to end;
    so it has a group of its own. Call it after `prepare_prefect`; where a server is named, nothing is started and
    nothing done.
    """
    from prefect.settings import PREFECT_API_URL, get_current_settings

    if PREFECT_API_URL.value():
        return
    from prefect.context import refresh_global_settings_context
    from prefect.server.api.server import SubprocessASGIServer

    from medassay.flows.access import CLIENT_TOKEN, SERVER_TOKEN, new_token

    os.environ[SERVER_TOKEN] = os.environ[CLIENT_TOKEN] = new_token()
    refresh_global_settings_context()

    def leashed(server: SubprocessASGIServer) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "uvicorn", "--app-dir", CHECKOUT, "--factory", SERVER_APP),
                *(
                    "--host",
                    "127.0.0.1",
                    "--port",
                    str(server.port),
                    "--log-level",
                    "error",
                    "--lifespan",
                    "on",
                ),
            ],
            env={
                **os.environ,
                **get_current_settings().to_environment_variables(exclude_unset=True),
                "PREFECT_UI_ENABLED": "0",
                "PREFECT__SERVER_EPHEMERAL": "1",
                "PREFECT__SERVER_FINAL": "1",
            },
            start_new_session=True,
        )
        # The pipe's other end is ours alone: nobody writes to it, and it ends when we do.
        subprocess.Popen(
            [sys.executable, "-I", "-c", LEASH, str(process.pid), SERVER_APP],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        return process

    SubprocessASGIServer._run_uvicorn_command = leashed  # type: ignore[method-assign, assignment]  # the one place it starts


def start_server_ahead() -> Thread | None:
    """Start the server that Prefect would start for a run in a thread; join it before the run.

    Its start takes ten seconds, in which this process has imports of its own to do. Returns None where a server is
    named. What goes wrong is left to Prefect's own start, which then begins anew and says it.
    """
    from prefect.settings import PREFECT_API_URL

    if PREFECT_API_URL.value():
        return None
    from prefect.server.api.server import SubprocessASGIServer

    def start() -> None:
        with suppress(Exception):
            SubprocessASGIServer().start()

    thread = Thread(target=start, name="prefect-server", daemon=True)
    thread.start()
    return thread


class EngineGone(Exception):
    """Prefect's server does not answer; the message says what to do."""


@contextmanager
def while_it_answers() -> Iterator[None]:
    """Say in one line that Prefect's server is gone, where it is.

    Raises:
        EngineGone: when it could not be reached, at the start or on the way.
    """
    from httpx import TransportError
    from prefect.settings import PREFECT_API_URL

    try:
        yield
    except (TransportError, RuntimeError) as error:
        if not isinstance(error, TransportError) and "Failed to reach API" not in str(error):
            raise
        named = PREFECT_API_URL.value()
        where = f"Prefect's server at {named} does not answer" if named else "Prefect's server has ended"
        what_to_do = (
            "start it, or unset PREFECT_API_URL" if named else "the memory may have been too small for it"
        )
        raise EngineGone(
            f"{where} ({error}): {what_to_do}; what was done is kept, and the same command goes on from there"
        ) from error
