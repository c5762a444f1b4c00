"""Damaged inputs: each is taken in and split, and ends in rows, in quarantine or in lines, never in another error."""

import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from benchmarks.chaos.corpus import make_corpus
from benchmarks.chaos.damages import damage
from medassay.models.intake import IntakeError
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.validate import BadData
from tests.runs import read_in

A_HOME = 250
"""Inputs that share a home: one that lasts shows what an input leaves to the next."""
LONGEST_S = 120
KINDS = ("whole", "with rows in quarantine", "refused in lines", "other errors")


def inputs(n: int, *, shared: Path | None, kept: Path | None, seed: int, messages: Path | None) -> str:
    """Damage and take in n inputs; return the row of the table, and print each other error.

    What differs from input to input is masked in refusals: each kind is written to `messages` once, with its number.
    """
    random_, found, said = random.Random(seed), Counter[str](), Counter[str]()
    warnings.simplefilter("error")
    for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
        warnings.simplefilter("ignore", kind)
    signal.signal(signal.SIGALRM, _too_long)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        corpus = make_corpus(Path(scratch) / "corpus", shared)
        for first in range(0, n, A_HOME):
            home = Path(scratch) / f"home-{first}"
            warehouse_at(
                home
            )  # open from one input to the next: to open it takes longer than to read most inputs
            for at in range(first, min(n, first + A_HOME)):
                data = random_.choice(sorted(corpus))
                file = random_.choice(corpus[data])
                folder = Path(scratch) / "data" / data.name
                shutil.copytree(data, folder)
                damage(folder / file.relative_to(data), random_)
                given = folder if len(list(data.iterdir())) > 1 or random_.random() < 0.5 else _only(folder)
                signal.alarm(LONGEST_S)
                try:
                    found[_take_in(home, given)] += 1
                except (IntakeError, BadData) as error:
                    found["refused in lines"] += 1
                    said.update({_masked(line, scratch) for line in str(error).splitlines()} or {"NOTHING"})
                except KeyboardInterrupt:
                    raise
                except BaseException as error:  # a panic of Rust's is no Exception
                    found["other errors"] += 1
                    print(f"{at}: {data.name} {file.name}: {error!r:.500}", file=sys.stderr, flush=True)
                    traceback.print_exc(limit=-6)
                    if kept:
                        shutil.copytree(folder, kept / str(at) / data.name, dirs_exist_ok=True)
                signal.alarm(0)
                shutil.rmtree(folder.parent)
            close_warehouse(home)
            shutil.rmtree(home)
            print(f"{at + 1}: {dict(found)}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            if messages:
                messages.write_text(
                    "".join(f"{count}\t{line}\n" for line, count in said.most_common()), "utf-8"
                )
    n_files = sum(map(len, corpus.values()))
    return f"| {n} from {n_files} files | " + " | ".join(f"{found[kind]} {kind}" for kind in KINDS) + " |"


def _only(folder: Path) -> Path:
    """Return the only thing in a folder, the folder itself where there is none."""
    return next(folder.iterdir(), folder)


def _take_in(home: Path, given: Path) -> str:
    with read_in(home, Settings(str(given), judge="none", reader="none")) as run:
        IN_PROCESS.run_stage(decompose, run)
        left = run.warehouse.value("select count(*) from quarantine where run_id = ?", [run.run_id])
    return "with rows in quarantine" if left else "whole"


def _too_long(*_: object) -> None:
    raise TimeoutError(f"not done after {LONGEST_S} s")


def _masked(line: str, scratch: str) -> str:
    """Leave out of a line what only this input has: paths, numbers, quoted values."""
    line = re.sub(rf"{re.escape(scratch)}\S*?(?=: |:\d|,|;| |$)", "PATH", line)
    return re.sub(r"\d+", "0", re.sub(r'"(?:[^"\\]|\\.)*"', '"…"', line))[:300]
