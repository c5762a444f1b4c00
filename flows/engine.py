"""Prefect settings and the temporary Prefect server of a run: no egress, token, ends with the run."""

import atexit
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket
from typing import IO
from urllib.request import getproxies_environment

from medassay.flows.serve.access import CLIENT_TOKEN, SERVER_TOKEN, new_token

SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
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
SERVER_APP = "medassay.flows.serve.server:create_app"
START_SECONDS = 120
"""A fresh home takes 16 s on two cores."""


def prepare_prefect() -> None:
    """Set what a person has not set; call it before anything imports Prefect."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    bypass_proxies_on_loopback()


SERVER_LOG = "prefect-server.log"
"""The file in the home that takes what Prefect's server says."""
LONGEST_LOG = 1_000_000
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def bypass_proxies_on_loopback() -> None:
    """Have nothing that is meant for this machine go out to a proxy, Prefect's own calls among it."""
    if not getproxies_environment():
        return
    spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    named = [host.strip() for host in spared.split(",") if host.strip()]
    if "*" not in named:
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(dict.fromkeys([*named, *LOOPBACK]))


def drop_socks_proxies() -> list[str]:
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


def leashed(process: "subprocess.Popen[bytes]", named: str, *how: str) -> "subprocess.Popen[bytes]":
    """Have a process end when this one does, however that goes; return what watches, to be kept as long as it should.

    `named` is a word of its command, by which it is known; with `group` all of its group ends.
    """
    # The pipe's other end is ours alone: nobody writes to it, and it ends when we do.
    return subprocess.Popen(
        [sys.executable, "-I", "-c", LEASH, str(process.pid), named, *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def server_log() -> IO[bytes]:
    """Open the file that takes what Prefect's server says, so that none of it reaches a terminal; begun anew at 1 MB.

    A machine that slept, for one, has the server print tracebacks of its own, and goes on.
    """
    from medassay.sql.home import WarehouseError, home_folder, make_home

    path = home_folder() / SERVER_LOG
    try:
        make_home(path.parent)
        is_long = path.exists() and path.stat().st_size > LONGEST_LOG
        mode = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if is_long else os.O_APPEND)
        os.close(os.open(path, mode, 0o600))
        return path.open("ab")
    except (OSError, WarehouseError):  # a home that may only be read
        return open(os.devnull, "ab")


class ServerUnavailable(Exception):
    """Prefect's server does not answer; the message says what to do."""


class OwnServer:
    """Prefect's server for as long as this process lives, behind a token; started at once, `wait` until it answers.

    Prefect would start one itself, without a token, so that every page of a browser and every user of the machine
    could ask it, and only after importing the whole of it here. `kill -9` and the kernel's memory guard reach no exit
    handler, so a process beside it ends it. What ends a whole group of processes, as Ctrl-C does, would reach the
    server first, and the run would ask it for a minute how to end; so it has a group of its own.
    """

    def __init__(self) -> None:
        os.environ[SERVER_TOKEN] = os.environ[CLIENT_TOKEN] = new_token()
        self._tries_left = 3
        self._launch()
        atexit.register(self.stop)

    @property
    def url(self) -> str:
        """Address of its API."""
        return f"http://127.0.0.1:{self.port}/api"

    def _launch(self) -> None:
        self._tries_left -= 1
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.log = server_log()
        uvicorn = [sys.executable, "-m", "uvicorn", "--app-dir", CHECKOUT, "--factory", SERVER_APP]
        self.process = subprocess.Popen(
            [
                *uvicorn,
                "--host",
                "127.0.0.1",
                "--port",
                str(self.port),
                "--log-level",
                "error",
                "--lifespan",
                "on",
            ],
            env={
                **os.environ,
                "PREFECT_UI_ENABLED": "0",
                "PREFECT__SERVER_EPHEMERAL": "1",
                "PREFECT__SERVER_FINAL": "1",
            },
            stdout=subprocess.DEVNULL,
            stderr=self.log,
            start_new_session=True,
        )
        self.log.close()
        self._leash = leashed(self.process, SERVER_APP)
        self._name()

    def _name(self) -> None:
        """Have Prefect's clients in this process, and in none that it starts, speak to it."""
        os.environ["PREFECT_API_URL"] = self.url
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()
        del os.environ["PREFECT_API_URL"]

    def wait(self) -> None:
        """Return when it answers.

        Raises:
            ServerUnavailable: where it does not within two minutes.
        """
        import httpx

        until = time.monotonic() + START_SECONDS
        with httpx.Client(trust_env=False) as client:
            while time.monotonic() < until:
                with suppress(httpx.TransportError):
                    if client.get(f"{self.url}/health").is_success:
                        return
                if self.process.poll() is not None:  # its port may have been taken meanwhile
                    if not self._tries_left:
                        break
                    self._launch()
                time.sleep(0.1)
        raise ServerUnavailable(
            f"Prefect's server did not start within {START_SECONDS} seconds: its own lines, if any, stand in"
            f" {self.log.name}; `medassay doctor` looks at the home and at Prefect"
        )

    def stop(self) -> None:
        """End it; runs at exit, after Prefect has sent what it had to say."""
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


_own: OwnServer | None = None


def start_server() -> OwnServer | None:
    """Start a server for this process, once; call it after `prepare_prefect`. None where a server is named.

    Its start takes six seconds, in which this process has imports of its own to do.
    """
    global _own
    if _own is None and not (server_may_be_named() and _named()):
        _own = OwnServer()
    return _own


def _named() -> str | None:
    """The address that the environment or a profile gives."""
    from prefect.settings import PREFECT_API_URL

    url: str | None = PREFECT_API_URL.value()
    return url


def server_may_be_named() -> bool:
    """Return whether the environment or Prefect's profiles may name a server; read without importing Prefect."""
    profiles = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser() / "profiles.toml"
    named = Path(os.environ.get("PREFECT_PROFILES_PATH") or profiles)
    return bool(os.environ.get("PREFECT_API_URL")) or any(
        file.exists() and ("API_URL" in (text := file.read_text("utf-8", "replace")) or "api.url" in text)
        for file in (named, Path("prefect.toml"), Path(".env"))
    )


@contextmanager
def report_lost_server() -> Iterator[None]:
    """Return a line that says that Prefect's server is gone, where it is.

    Raises:
        ServerUnavailable: when it could not be reached, at the start or on the way.
    """
    from httpx import TransportError

    try:
        yield
    except (TransportError, RuntimeError) as error:
        if not isinstance(error, TransportError) and "Failed to reach API" not in str(error):
            raise
        named = None if _own else _named()
        where = f"Prefect's server at {named} does not answer" if named else "Prefect's server has ended"
        what_to_do = (
            "start it, or unset PREFECT_API_URL" if named else "the memory may have been too small for it"
        )
        raise ServerUnavailable(
            f"{where} ({error}): {what_to_do}; what was done is kept, and the same command goes on from there"
        ) from error
