"""Judges and readers on a server that does its worst: the run ends in time, and the next asks for what is missing."""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb
import psutil

from benchmarks.chaos.runs import Served, results, start
from tests.golden.test_golden import data
from tests.judge_server import FAULTS
from tests.wire_faults import ENDLESS, WIRE_FAULTS

KINDS = (
    *(kind for kind in (*WIRE_FAULTS, *FAULTS) if kind not in (*ENDLESS, "slow")),
    "redirect",
    "error_401",
)
WAITS = ("0.01", "-5", "soon", "3600", "Mon, 01 Jan 99999 00:00:00 GMT")


def servers(n: int, *, by_command: bool, seed: int) -> str:
    """Evaluate n times with a server that does its worst to some calls, then with a sound one; return the row."""
    served, random_, found = Served(None), random.Random(seed), Counter[str]()
    behaviour = served.server.behaviour
    with tempfile.TemporaryDirectory() as scratch:
        folder = data(Path(scratch) / "clinic", n_questions=4)
        process = start(folder, Path(scratch) / "whole", served.options, by_command=by_command)
        most_whole = _most_memory(process)
        wanted = results(Path(scratch) / "whole")
        for at in range(n):
            home = Path(scratch) / f"home-{at}"
            behaviour.faults, behaviour.faulty_share = KINDS, random_.choice((0.02, 0.1, 0.3))
            behaviour.retry_after = random_.choice(WAITS)
            served.server.will(*["ok"] * random_.randrange(50), random_.choice(ENDLESS))
            began = time.monotonic()
            process = start(folder, home, served.options, by_command=by_command)
            most = _most_memory(process)
            _, said = process.communicate()
            seconds = time.monotonic() - began
            found[f"code {process.returncode}"] += 1
            found["tracebacks"] += b"Traceback" in said
            found["over 1.3 times the memory"] += most > 1.3 * most_whole
            n_faults = sum(fault != "ok" for fault in served.server.given_faults)
            found["faults"] += n_faults
            served.server.given_faults.clear()
            with duckdb.connect(str(home / "results.duckdb"), read_only=True) as file:
                without = file.execute(
                    "select count(*) from judgements where rubric_score is null"
                ).fetchall()
                silent = file.execute(
                    "select count(*) from judgements where rubric_score is null and reason is null"
                ).fetchall()
            found["judgements without marks"] += without[0][0]
            found["without a reason"] += silent[0][0]
            behaviour.faulty_share = 0.0
            behaviour.queue.clear()
            # What a model refused is not asked again unless that is wanted.
            again = start(folder, home, {**served.options, "retry": True}, by_command=by_command)
            _, said_again = again.communicate(timeout=900)
            found["went on"] += again.returncode == 0
            equal = again.returncode == 0 and results(home) == wanted
            found["equal"] += equal
            print(
                f"{at + 1}: {n_faults} faults, {seconds:.0f} s, {most >> 20} MB; {dict(found)}\n"
                f"  {said.decode()[-600:]}\n"
                f"  then: {again.returncode} {'' if equal else said_again.decode()[-900:]}",
                file=sys.stderr,
                flush=True,
            )
            shutil.rmtree(home)
    served.server.close()
    return f"| a judge and reader that does its worst | {n} | {found['equal']} | {dict(found)} |"


def _most_memory(process: psutil.Popen) -> int:
    """Return how many bytes of memory a process took at most until it ended."""
    most, seen = 0, psutil.Process(process.pid)
    while process.poll() is None:
        try:
            most = max(most, seen.memory_info().rss)
        except psutil.Error:
            break
        time.sleep(0.1)
    return most
