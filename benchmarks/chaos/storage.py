"""Storage that is full, fills up on the way, or may only be read: one line, nothing damaged, and the run goes on.

The disk is a tmpfs of its own, so this needs the right to mount one (root), and Linux.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from benchmarks.chaos.runs import Served, results, start
from tests.golden.test_golden import data

SIZE = 256 << 20
MOST_LINES = 6
"""Of what a run says that ends for want of space: that Prefect starts, notices, and the line itself."""


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """Mount a file system of its own at a folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "chaos", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def free(folder: Path) -> int:
    """Return how many bytes a disk takes yet."""
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize


def leave(folder: Path, n_bytes: int) -> None:
    """Fill a disk until it takes so many bytes more."""
    with open(folder / "ballast", "ab") as ballast, suppress(OSError):
        os.posix_fallocate(ballast.fileno(), 0, max(1, free(folder) - n_bytes))


def most_used(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """Return how many bytes of a disk a process took at most while it ran."""
    least, ended = free(folder), threading.Event()
    before = least

    def watch() -> None:
        nonlocal least
        while not ended.wait(0.02):
            least = min(least, free(folder))

    watching = threading.Thread(target=watch)
    watching.start()
    _, said = process.communicate(timeout=900)
    ended.set()
    watching.join()
    if process.returncode:
        raise SystemExit(f"the undisturbed run ended with {process.returncode}: {said.decode()[-2000:]}")
    return before - least


def fills(n: int, *, by_command: bool, seed: int) -> str:
    """Evaluate n times on a disk that fills up on the way, then again with room; return the row of the table."""
    served, random_, found = Served(None), random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as scratch, disk(Path(scratch) / "disk") as full:
        folder, home = data(Path(scratch) / "clinic", n_questions=4), full / "home"
        needed = most_used(full, start(folder, home, served.options, by_command=by_command))
        n_whole, wanted = served.n_asked(), results(home)
        shutil.rmtree(home)
        print(
            f"an undisturbed run takes {needed:,} bytes at most, {n_whole} calls", file=sys.stderr, flush=True
        )
        for at in range(n):
            room = 0 if at == 0 else int(random_.uniform(0, 0.4) * needed)  # most of it is memory for a while
            before = served.n_asked()
            leave(full, room)
            began = time.monotonic()
            process = start(folder, home, served.options, by_command=by_command)
            _, said = process.communicate(timeout=900)
            seconds, text = time.monotonic() - began, said.decode("utf-8", "replace")
            found[f"code {process.returncode}"] += 1
            found["tracebacks"] += by_command and "Traceback" in text
            found["lines"] += len(text.splitlines()) > MOST_LINES
            (full / "ballast").unlink()
            asked = served.n_asked() - before
            again = start(folder, home, served.options, by_command=by_command)
            _, said_again = again.communicate(timeout=900)
            found["went on"] += again.returncode == 0
            if again.returncode == 0:
                found["equal"] += results(home) == wanted
                found["repeated"] += max(0, served.n_asked() - before - n_whole)
                with duckdb.connect(str(home / "work.duckdb")) as work:
                    work.execute("checkpoint")
            print(
                f"{at + 1}: {room:,} bytes left: code {process.returncode} after {seconds:.0f} s, {asked} calls;"
                f" {dict(found)}\n  {text[-700:]}\n  then: {again.returncode}"
                + (f" {said_again.decode()[-700:]}" if again.returncode else ""),
                file=sys.stderr,
                flush=True,
            )
            shutil.rmtree(home)
    served.server.close()
    return f"| disk full on the way | {n} | {found['equal']} | {found['repeated']} of {n_whole} a run | {dict(found)} |"
