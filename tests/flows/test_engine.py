"""The server that Prefect starts for a run ends with the run, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from medassay.flows.commands.exit_codes import clear_errors
from medassay.flows.engine import (
    SERVER_LOG,
    ServerUnavailable,
    bypass_proxies_on_loopback,
    report_lost_server,
)
from medassay.flows.serve.access import authorization

STARTED = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what it puts in the background without
from medassay.flows.engine import prepare_prefect, start_server
prepare_prefect()
server = start_server()
server.wait()
print(server.process.pid, server.url, os.environ["PREFECT_API_AUTH_STRING"], flush=True)
time.sleep(600)
"""


@pytest.mark.prefect
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are read from /proc")
def test_a_killed_run_leaves_no_server_behind(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    environment |= {"PREFECT_HOME": str(tmp_path), "MEDASSAY_HOME": str(tmp_path / "home")}
    environment["PREFECT_SERVER_LOGGING_LEVEL"] = environment["PREFECT_LOGGING_SERVER_LEVEL"] = "DEBUG"
    with (tmp_path / "said").open("w") as terminal:
        run = subprocess.Popen(
            [sys.executable, "-c", STARTED],
            stdout=subprocess.PIPE,
            stderr=terminal,
            text=True,
            env=environment,
            cwd=Path(__file__).resolve().parent.parent.parent,
        )
    assert run.stdout is not None
    pid, api, token = run.stdout.readline().split()
    server = int(pid)
    assert not ended(server)
    assert statuses(api, token) == [401, 200, 421, 403]
    assert token not in Path(f"/proc/{server}/cmdline").read_text()
    log = tmp_path / "home" / SERVER_LOG
    assert ("prefect.server" in log.read_text(), log.stat().st_mode & 0o777) == (True, 0o600)
    assert (tmp_path / "said").read_text() == ""
    # Ctrl-C reaches a whole group at once, and the run has to tell its server how it ended.
    assert os.getpgid(server) != os.getpgid(run.pid)
    run.kill()
    run.wait(60)
    run.stdout.close()
    for _ in range(300):
        if ended(server):
            return
        time.sleep(0.1)
    os.kill(server, signal.SIGKILL)
    raise AssertionError(f"the server {server} outlived its run")


def statuses(api: str, token: str) -> list[int]:
    """Ask a server without a token, with it, and with it by a foreign host and from a foreign page."""
    let_in = {"authorization": authorization(token)}
    tried: list[dict[str, str]] = [
        {},
        let_in,
        {**let_in, "host": "evil.example"},
        {**let_in, "origin": "http://evil.example"},
    ]
    with httpx.Client(trust_env=False) as client:
        return [client.post(f"{api}/flows/filter", json={}, headers=one).status_code for one in tried]


@pytest.mark.parametrize(
    "raised",
    [
        httpx.ConnectError("[Errno 111] Connection refused"),
        RuntimeError("Failed to reach API at http://127.0.0.1:9/api"),
    ],
)
def test_a_server_that_is_gone_is_one_line(raised: Exception) -> None:
    with pytest.raises(SystemExit) as left, clear_errors(), report_lost_server():
        raise raised
    assert left.value.code == 3
    with pytest.raises(ServerUnavailable, match="the same command goes on from there"), report_lost_server():
        raise raised


def test_a_fault_of_ours_is_not_taken_for_the_server_s() -> None:
    with pytest.raises(RuntimeError, match="ours"), report_lost_server():
        raise RuntimeError("ours")


def ended(pid: int) -> bool:
    """Tell whether a process has ended; one that nobody has collected yet has."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return True


@pytest.mark.parametrize(
    ("set_before", "spared"),
    [
        ({}, None),
        ({"HTTP_PROXY": "http://proxy.example:3128"}, "localhost,127.0.0.1,::1"),
        (
            {"https_proxy": "http://proxy.example:3128", "NO_PROXY": "intranet.example, localhost"},
            "intranet.example,localhost,127.0.0.1,::1",
        ),
        ({"HTTP_PROXY": "http://proxy.example:3128", "no_proxy": "*"}, "*"),
    ],
)
def test_calls_to_this_machine_pass_by_the_proxy(
    monkeypatch: pytest.MonkeyPatch, set_before: dict[str, str], spared: str | None
) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name, value in set_before.items():
        monkeypatch.setenv(name, value)
    # What is set now is put back afterwards.
    for name in ("no_proxy", "NO_PROXY"):
        if name not in set_before:
            monkeypatch.setenv(name, "")
    bypass_proxies_on_loopback()
    assert (os.environ["no_proxy"] or None) == spared
