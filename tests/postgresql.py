"""A PostgreSQL server of a test's own, in a folder that ends with it."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

USER = "postgres"
"""Whom Debian's package makes; PostgreSQL refuses to be started by root."""


def programs() -> Path:
    """Return the folder of PostgreSQL's programs, the newest version's, or skip the test."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and not on_path:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return found[-1].parent if found else Path(str(on_path)).parent


@contextmanager
def postgresql(database: str) -> Iterator[str]:
    """Start a server on loopback with one database, and give Prefect's URL of it."""
    bin_folder = programs()
    who = USER if os.getuid() == 0 else None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with tempfile.TemporaryDirectory(prefix="medassay-pg-") as folder:
        if who:
            shutil.chown(folder, who)

        def run(program: str, *arguments: str) -> None:
            done = subprocess.run(
                [bin_folder / program, *arguments], user=who, cwd=folder, capture_output=True, text=True, check=False,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr

        data = f"{folder}/data"
        run("initdb", "-D", data, "-U", "medassay", "-A", "trust", "-N")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "medassay", database)
            yield f"postgresql+asyncpg://medassay@127.0.0.1:{port}/{database}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
