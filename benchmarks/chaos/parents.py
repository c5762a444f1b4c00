"""Two evaluations in one home at once, of the same data or of others, while results are read: both end well."""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

from benchmarks.chaos.runs import Served, results, start
from tests.golden.test_golden import data


def parents(n: int, *, by_command: bool, seed: int) -> str:
    """Start two evaluations in one home a moment apart, n times; return the row of the table."""
    served, random_, found = Served(None), random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as scratch_:
        scratch = Path(scratch_)
        folders = {
            "clinic": data(scratch / "clinic", n_questions=4),
            "ward": data(scratch / "ward", n_questions=2),
        }
        wanted, began = {}, time.monotonic()
        for name, folder in folders.items():
            process = start(folder, scratch / f"whole-{name}", served.options, by_command=by_command)
            _, said = process.communicate(timeout=900)
            if process.returncode:
                raise SystemExit(
                    f"the undisturbed run ended with {process.returncode}: {said.decode()[-2000:]}"
                )
            wanted[name] = results(scratch / f"whole-{name}")
        longest_s = (time.monotonic() - began) / 2
        for at in range(n):
            home = scratch / f"home-{at}"
            second = random_.choice(("clinic", "ward"))
            names = ("clinic", second)
            pause_s = random_.choice((0.0, random_.uniform(0, longest_s)))
            first = start(folders["clinic"], home, served.options, by_command=by_command)
            time.sleep(pause_s)
            both = [first, start(folders[second], home, served.options, by_command=by_command)]
            while any(process.poll() is None for process in both):
                found[f"readings {_read(home)}"] += 1
                time.sleep(0.2)
            said = [process.communicate()[1].decode() for process in both]
            for process, text in zip(both, said, strict=True):
                found[f"code {process.returncode}"] += 1
                found["tracebacks"] += "Traceback" in text
                found["told that they wait"] += by_command and "waiting for run" in text
            found["equal"] += all(results(home, name) == wanted[name] for name in names)
            print(f"{at + 1}: {names}, {pause_s:.1f} s apart; {dict(found)}", file=sys.stderr, flush=True)
            if any(process.returncode for process in both):
                print("\n".join(text[-1500:] for text in said), file=sys.stderr, flush=True)
            shutil.rmtree(home)
    served.server.close()
    return f"| two evaluations in one home at once | {n} | {found['equal']} | {dict(found)} |"


def _read(home: Path) -> str:
    """Ask the published results, as `query` does, while runs write; say how that went."""
    if not (home / "results.duckdb").exists():
        return "before there are results"
    try:
        with duckdb.connect(str(home / "results.duckdb"), read_only=True) as file:
            file.execute("from leaderboard").fetchall()
    except duckdb.Error as error:
        return f"failed: {error}"
    return "well"
