"""Local model server on loopback: started on demand, shared in a process, stopped at exit.

The server is a child process that watches a pipe from this one, so it ends with us even on kill -9. It binds
127.0.0.1 only, and asks for a key that it is told through that pipe.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

from medassay.models.chat.endpoint import key_of_ours

_START_DEADLINE_S = 180.0
_SLOWEST_DISK = 30e6
"""Bytes a second."""
_lock = threading.Lock()
_running: dict[tuple[str, int], "LocalServer"] = {}


class LocalServerError(RuntimeError):
    """The local model server could not be started or died; the message holds what its log says last."""


class LocalServer:
    """One child process serving one GGUF file, or one folder of a chat model."""

    def __init__(
        self, model_path: Path, alias: str, n_ctx: int, n_threads: int, start_deadline_s: float
    ) -> None:
        if not model_path.exists():
            raise LocalServerError(
                f"{model_path} does not exist: pull the model first (medassay models pull)"
            )
        self.model_path, self.n_holders = model_path, 0
        self._log: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, *_child(model_path, alias, n_ctx, n_threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_child_environment(n_threads),
            start_new_session=True,
        )
        try:
            self._tell_key()
            self.root_url = self._announced_url(start_deadline_s)
            self._wait_until_healthy(start_deadline_s)
        except BaseException:
            self.stop()
            raise

    @property
    def base_url(self) -> str:
        """Where to ask it."""
        return f"{self.root_url}/v1"

    @property
    def is_alive(self) -> bool:
        """Return whether the child process runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Close the pipe, and kill the child if that is not enough."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def last_words(self) -> str:
        """Return the last line of the log that tells of an error, else its last line."""
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines()]
        told = [line for line in lines if "error" in line.casefold()] or [line for line in lines if line]
        return told[-1] if told else "it said nothing"

    def _tell_key(self) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended already, which is told where its address is awaited
            self._process.stdin.write(f"{key_of_ours()}\n".encode())
            self._process.stdin.flush()

    def _announced_url(self, deadline_s: float) -> str:
        lines: Queue[bytes] = Queue()
        stdout = self._process.stdout
        assert stdout is not None
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=deadline_s)
        except Empty:
            raise LocalServerError(f"the local model server was not ready within {deadline_s:g} s") from None
        if not line:
            self._process.wait(5.0)
            raise LocalServerError(
                f"the local model server ended with code {self._process.returncode} "
                f"while loading {self.model_path}: {self.last_words()}"
            )
        return str(json.loads(line)["base_url"])

    def _wait_until_healthy(self, deadline_s: float) -> None:
        ends = time.monotonic() + deadline_s
        while True:
            try:
                if self._get_json("/health", None, 5.0).get("status") == "ok":
                    return
            except (urllib.error.URLError, TimeoutError, ValueError) as error:
                if time.monotonic() > ends or not self.is_alive:
                    raise LocalServerError(
                        f"the local model server is not healthy ({error}): {self.last_words()}"
                    ) from error
            time.sleep(0.05)

    def _get_json(self, path: str, body: bytes | None, timeout_s: float) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(
            self.root_url + path,
            data=body,
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {key_of_ours()}"},
        )
        with opener.open(request, timeout=timeout_s) as response:
            return json.load(response)


@contextmanager
def serving(
    model_path: Path,
    *,
    alias: str | None = None,
    n_ctx: int = 4096,
    n_threads: int | None = None,
    start_deadline_s: float | None = None,
) -> Iterator[LocalServer]:
    """Hold the local server of a model; holders of one process share it, the last one out stops it.

    Args:
        model_path: the GGUF file, or the folder of a chat model that transformers loads.
        alias: the name under which the model is asked for; the file's without its ending unless given.
        n_ctx: context length in tokens, of a GGUF file; a folder states its own.
        n_threads: compute threads, all usable cores by default.
        start_deadline_s: how long loading may take, in seconds; three minutes, and more for gigabytes, unless given.

    Raises:
        LocalServerError: when the file is missing, or the server does not come up; with the end of its log.
    """
    key = (str(model_path.absolute()), n_ctx)
    alias = alias or model_path.stem
    deadline_s = start_deadline_s or _START_DEADLINE_S + _size_of(model_path) / _SLOWEST_DISK
    with _lock:
        server = _running.get(key)
        if server is None or not server.is_alive:
            server = LocalServer(model_path, alias, n_ctx, n_threads or _usable_cores(), deadline_s)
            _running[key] = server
        server.n_holders += 1
    try:
        yield server
    finally:
        with _lock:
            server.n_holders -= 1
            if server.n_holders == 0:
                if _running.get(key) is server:
                    del _running[key]
                server.stop()


def _child(model_path: Path, alias: str, n_ctx: int, n_threads: int) -> list[str]:
    """Return what runs as the child: a folder is for transformers, a file for llama.cpp."""
    here = Path(__file__)
    if model_path.is_dir():
        return [str(here.with_name("transformers_process.py")), str(model_path), alias]
    gguf = str(here.with_name("gguf_process.py"))
    return [gguf, str(model_path), alias, str(n_ctx), str(n_threads)]


def _child_environment(n_threads: int) -> dict[str, str]:
    """Keep keys out of the child and the child off the network, and let its threads sleep while they wait.

    Waiting by spinning, OpenMP's default, made each question twice as slow on cores shared with other work.
    """
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    alone = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
    return {"OMP_WAIT_POLICY": "PASSIVE", "OMP_NUM_THREADS": str(n_threads), **kept, **alone}


def _size_of(model_path: Path) -> int:
    """Count a model's bytes; none where it is not there, which is told when it is started."""
    parent, pattern = (model_path, "*") if model_path.is_dir() else (model_path.parent, model_path.name)
    return sum(path.stat().st_size for path in parent.glob(pattern) if path.is_file())


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
