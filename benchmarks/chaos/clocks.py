"""Runs during which the machine sleeps, or its clock is set: they go on, without a word of the server's, marts equal.

A sleep is a stop of every process of the run while the clock of the day goes on; with `jump` the clock is set forward
by libfaketime in place of waiting, which a machine's own clocks do when it wakes: the monotonic clock stands still.
"""

import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

from benchmarks.chaos.runs import Served, results, start, tree
from tests.golden.test_golden import data

APART = (0, -1 / 24, -1, -400, 1 / 24, 400, 3650)
"""Days that clocks are set apart."""
LIBRARIES = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1")


def faked(folder: Path, offset_s: float) -> dict[str, str]:
    """Return the environment in which clocks of the day go by a file, and write its first offset.

    Raises:
        SystemExit: where libfaketime is not installed.
    """
    library = next((name for name in LIBRARIES if Path(name).exists()), None)
    if library is None:
        raise SystemExit("libfaketime is not installed: apt-get install faketime")
    set_clock(folder, offset_s)
    return {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(folder / "offset"),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
    }


def set_clock(folder: Path, offset_s: float) -> None:
    """Have the clock of the processes that go by this folder's file be so many seconds ahead, or behind."""
    draft = folder / "offset.draft"
    draft.write_text(f"{offset_s:+.0f}", "ascii")
    draft.replace(folder / "offset")


def sleeps(n: int, *, minutes: float, jump_s: float | None, pause_s: float, seed: int) -> str:
    """Evaluate by the command n times, asleep once on the way; return the row of the table.

    Args:
        n: how many runs.
        minutes: for how long all processes are stopped.
        jump_s: by how much the clock is set meanwhile; None leaves it alone.
        pause_s: how long the judge takes for a reply, so that the run is on its way when it is stopped.
        seed: of the moments.
    """
    served, random_, found = Served(None), random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as scratch_:
        scratch = Path(scratch_)
        folder = data(scratch / "clinic", n_questions=4)
        environment = faked(scratch, 0) if jump_s is not None else {}
        process = start(folder, scratch / "whole", served.options, by_command=True, **environment)
        _, said = process.communicate(timeout=900)
        if process.returncode:
            raise SystemExit(f"the undisturbed run ended with {process.returncode}: {said.decode()[-2000:]}")
        n_whole, wanted = served.n_asked(), results(scratch / "whole")
        served.server.behaviour.latency_s = pause_s
        for at in range(n):
            home = scratch / f"home-{at}"
            if jump_s is not None:
                set_clock(scratch, 0)
            before = served.n_asked()
            process = start(folder, home, served.options, by_command=True, **environment)
            wait_for = random_.uniform(0, 0.95) * n_whole
            while process.poll() is None and served.n_asked() - before < wait_for:
                time.sleep(0.05)
            stopped = tree(process)
            found["stopped on the way"] += process.poll() is None
            for one in stopped:
                one.send_signal(signal.SIGSTOP)
            time.sleep(minutes * 60)
            if jump_s is not None:
                set_clock(scratch, jump_s)
            for one in reversed(stopped):
                one.send_signal(signal.SIGCONT)
            _, said = process.communicate(timeout=900)
            found[f"code {process.returncode}"] += 1
            found["tracebacks"] += b"Traceback" in said
            found["equal"] += process.returncode == 0 and results(home) == wanted
            print(
                f"{at + 1}: {dict(found)}; {len(stopped)} processes, after {wait_for:.0f} of {n_whole} calls;"
                f" said: {said.decode()[-1500:]}",
                file=sys.stderr,
                flush=True,
            )
            log = home / "prefect-server.log"
            told = log.read_text("utf-8", "replace") if log.is_file() else ""
            found["tracebacks in the server's log"] += "Traceback" in told
            shutil.rmtree(home)
    served.server.close()
    what = f"asleep for {minutes:g} minutes" + (
        f", the clock set by {jump_s:+g} s" if jump_s is not None else ""
    )
    return f"| {what} | {n} ({found['stopped on the way']} on the way) | {found['equal']} | {dict(found)} |"


def sets(n: int, *, by_command: bool, seed: int) -> str:
    """Evaluate in one home by clocks that lie hours or years apart, some set on the way; return the table's row."""
    random_, found, day = random.Random(seed), Counter[str](), 86_400.0
    options: dict[str, object] = {"reader": "none", "judge": "none"}
    with tempfile.TemporaryDirectory() as scratch_:
        scratch = Path(scratch_)
        folders = [scratch / str(count) / "clinic" for count in (2, 4)]
        for folder, count in zip(folders, (2, 4), strict=True):
            folder.parent.mkdir()
            data(folder, n_questions=count)
        environment = faked(scratch, 0)
        wanted, began = [], time.monotonic()
        for folder in folders:
            home = scratch / f"whole-{folder.parent.name}"
            process = start(folder, home, options, by_command=by_command, **environment)
            _, said = process.communicate(timeout=900)
            if process.returncode:
                raise SystemExit(
                    f"the undisturbed run ended with {process.returncode}: {said.decode()[-2000:]}"
                )
            wanted.append(results(home))
        longest_s = (time.monotonic() - began) / 2
        home, newest = scratch / "home", set[str]()
        for at in range(n):
            offset_s, later_s = (random_.choice(APART) * day for _ in range(2))
            set_clock(scratch, offset_s)
            which = random_.randrange(2)
            process = start(folders[which], home, options, by_command=by_command, **environment)
            if at % 2:
                time.sleep(random_.uniform(0, longest_s))
                set_clock(scratch, later_s)
            _, said = process.communicate(timeout=900)
            found[f"code {process.returncode}"] += 1
            found["tracebacks"] += b"Traceback" in said
            equal = process.returncode == 0 and results(home) == wanted[which]
            found["the newest, and equal"] += equal
            with duckdb.connect(str(home / "results.duckdb"), read_only=True) as file:
                (run_id,) = file.execute("select run_id from latest_run").fetchall()[0]
                below = "select count(*) from run_stages where seconds < 0"
                found["durations below zero"] += file.execute(below).fetchall()[0][0]
            found["not the newest"] += run_id in newest
            newest.add(run_id)
            print(
                f"{at + 1}: {offset_s / day:+.2f} days, {later_s / day:+.2f} on the way if {at % 2};"
                f" {dict(found)}; {said.decode()[-300:]}",
                file=sys.stderr,
                flush=True,
            )
    what = "runs in one home by clocks up to ten years apart, forth and back"
    return f"| {what} | {n} | {found['the newest, and equal']} | {dict(found)} |"
