"""Runs that are killed at random moments and go on: marts equal, no call of the ledger asked for again."""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

from benchmarks.chaos.runs import Served, finish, results, start
from tests.golden.test_golden import data


def n_in_ledger(home: Path, scratch: Path) -> int:
    """Count the calls that a killed run's ledger holds, in a copy of its file."""
    if not (home / "work.duckdb").is_file():
        return 0
    copied = scratch / "copied"
    shutil.copytree(home, copied)
    try:
        with duckdb.connect(str(copied / "work.duckdb")) as file:
            exists = file.execute("select 1 from information_schema.tables where table_name = 'model_call'")
            if not exists.fetchall():
                return 0
            (count,) = file.execute("select count(*) from model_call where status = 'ok'").fetchall()[0]
            return int(count)
    finally:
        shutil.rmtree(copied)


def kills(n: int, *, parts: int | None, by_command: bool, seed: int) -> str:
    """Kill and go on n times; return the row of the table."""
    served, random_ = Served(parts), random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = data(Path(scratch) / "clinic", n_questions=4)
        whole = Path(scratch) / "whole"
        before = time.monotonic()
        finish(start(folder, whole, served.options, by_command=by_command))
        seconds, n_whole, wanted = time.monotonic() - before, served.n_asked(), results(whole)
        found: Counter[str] = Counter()
        for at in range(n):
            home = Path(scratch) / f"home-{at}"
            asked_before = served.n_asked()
            process = start(folder, home, served.options, by_command=by_command)
            time.sleep(random_.uniform(0.05, 1.0) * seconds)
            found["killed in mid-run"] += process.poll() is None
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            ledgered, asked = n_in_ledger(home, Path(scratch)), served.n_asked() - asked_before
            said = finish(start(folder, home, served.options, by_command=by_command))
            again = served.n_asked() - asked_before - asked
            found["equal"] += results(home) == wanted
            found["repeated"] += max(0, ledgered + again - n_whole)
            found["tracebacks"] += "Traceback" in said
            shutil.rmtree(home)
            print(f"{at + 1}: {dict(found)}; ledger {ledgered}, asked {asked} + {again}", file=sys.stderr)
    served.server.close()
    how = ("command" if by_command else "library") + (f", {parts} parts" if parts else "")
    return (
        f"| {how} | {n} | {found['killed in mid-run']} | {found['equal']} | {found['repeated']} of {n_whole}"
        f" a run | {found['tracebacks']} | {seconds:.1f} |"
    )
