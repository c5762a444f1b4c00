"""Runs that are killed at random moments and go on, and inputs that are damaged: python -m benchmarks.chaos.

`kills` evaluates the examples with models behind a server on loopback, kills the process with SIGKILL at a random
moment, evaluates again in the same home, and holds its results beside those of a run that nobody killed. `inputs`
damages files of the examples and reads them: each ends in rows, in quarantine or in one line, never in another error.
Both print a row of a table.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from medassay.models.intake import IntakeError
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.validate import BadData
from tests.golden.test_golden import EXAMPLES, data, judge, names, reader, table
from tests.judge_server import JudgeServer
from tests.runs import read_in

UNORDERED = ("cost", "comparison")
"""Tables that differ with the order of work: tokens of calls in flight when the process ended; draws are kept apart."""
BY_LIBRARY = """
import json, sys, warnings, medassay
warnings.simplefilter("ignore")
medassay.evaluate(sys.argv[1], home=sys.argv[2], **json.loads(sys.argv[3]))
"""


class Served:
    """A server on loopback that reads pairs and gives marks by rules, and the options with which runs ask it."""

    def __init__(self, parts: int | None) -> None:
        self.server = JudgeServer()
        self.server.behaviour.text, self.server.behaviour.alternatives = judge, reader
        url = self.server.base_url
        self.options = {"reader": f"logprobs:{url}#reader", "judge": f"evidence,{url}#judge"}
        if parts:
            self.options = {"reader": "none", "judge": f"evidence,{url}#judge", "parts": parts}  # type: ignore[dict-item]

    def n_asked(self) -> int:
        """Return how many requests came so far."""
        return len(self.server.bodies)


def start(
    folder: Path, home: Path, options: dict[str, object], *, by_command: bool
) -> subprocess.Popen[bytes]:
    """Start an evaluation in a process group of its own."""
    if by_command:
        flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        command = ["-m", "medassay.flows.cli", "evaluate", str(folder), *flags]
    else:
        command = ["-c", BY_LIBRARY, str(folder), str(home), json.dumps(options)]
    return subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, "MEDASSAY_HOME": str(home), "NO_PROXY": "*", "MEDASSAY_READER": "encoder"},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes]) -> str:
    """Wait for an evaluation and return what it wrote to stderr.

    Raises:
        RuntimeError: when it ends with another code than 0.
    """
    _, said = process.communicate(timeout=900)
    if process.returncode:
        raise RuntimeError(f"ended with {process.returncode}: {said.decode()[-2000:]}")
    return said.decode()


def results(home: Path) -> dict[str, list[list[str]]]:
    """Return the tables of the newest results, without what differs from run to run."""
    with duckdb.connect(str(home / "results.duckdb"), read_only=True) as file:
        newest = file.execute("select run_id from latest_run").fetchall()[0][0]
        return {name: table(file, name, newest) for name in names(file) if name not in UNORDERED}


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


def flip(body: bytearray, random_: random.Random) -> None:
    """Change a few bytes."""
    for _ in range(random_.randint(1, 8)):
        body[random_.randrange(len(body))] = random_.randrange(256)


def cut(body: bytearray, random_: random.Random) -> None:
    """Leave out the end, or a middle."""
    first = random_.randrange(len(body))
    del body[first : random_.choice((len(body), first + random_.randint(1, 200)))]


def repeat(body: bytearray, random_: random.Random) -> None:
    """Put a stretch in once more, elsewhere."""
    first = random_.randrange(len(body))
    at = random_.randrange(len(body))
    body[at:at] = body[first : first + random_.randint(1, 300)]


def swap_values(body: bytearray, random_: random.Random) -> None:
    """Put a value of another kind in the place of one of a record's."""
    lines = bytes(body).splitlines()
    at = random_.randrange(len(lines))
    try:
        record = json.loads(lines[at])
    except ValueError:
        return flip(body, random_)
    if not isinstance(record, dict) or not record:
        return flip(body, random_)
    strange = (
        None,
        True,
        -1,
        1e308,
        "",
        " \x00",
        [],
        {},
        [[]],
        [None],
        {"text": 3},
        "𝕬" * 50,
        "\u202e",
        "9" * 400,
        [{"a": []}],
    )
    record[random_.choice(list(record))] = random_.choice(strange)
    lines[at] = json.dumps(record).encode()
    body[:] = b"\n".join(lines)


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, repeat, swap_values)


def files(shared: Path | None) -> Iterator[Path]:
    """Yield files to damage: the examples', and small ones of cases that went wrong."""
    yield from sorted(EXAMPLES.glob("*.jsonl"))
    if shared:
        for path in sorted(shared.rglob("*")):
            if path.is_file() and path.stat().st_size < 200_000 and not path.name.startswith("README"):
                yield path


def inputs(n: int, *, shared: Path | None, kept: Path | None, seed: int) -> str:
    """Take in and split n damaged files, 250 a home; return the row of the table, and print each other error."""
    random_, found = random.Random(seed), Counter[str]()
    ours, given = list(files(None)), list(files(shared))
    for first in range(0, n, 250):
        with tempfile.TemporaryDirectory() as scratch:
            home = Path(scratch) / "home"
            for at in range(first, min(n, first + 250)):
                folder = damaged(
                    Path(scratch) / str(at), random_.choice(random_.choice((ours, given))), random_
                )
                try:
                    with read_in(home, Settings(str(folder), judge="none", reader="none")) as run:
                        IN_PROCESS.run_stage(decompose, run)
                        asked = "select count(*) from quarantine where run_id = ?"
                        n_left = run.warehouse.value(asked, [run.run_id])
                        found["with rows in quarantine" if n_left else "whole"] += 1
                except (IntakeError, BadData):
                    found["refused in a line"] += 1
                except Exception as error:
                    found["other errors"] += 1
                    print(f"{at}: {type(error).__name__}: {error}", file=sys.stderr)
                    if kept:
                        shutil.copytree(folder, kept / str(at), dirs_exist_ok=True)
            close_warehouse(home)
    kinds = ("whole", "with rows in quarantine", "refused in a line", "other errors")
    return f"| {n} of {len(given)} files | " + " | ".join(f"{found[kind]} {kind}" for kind in kinds) + " |"


def damaged(folder: Path, path: Path, random_: random.Random) -> Path:
    """Copy a file's folder, damage the file there one to three times, and return the copy."""
    body = bytearray(path.read_bytes())
    for _ in range(random_.randint(1, 3)):
        if body:
            random_.choice(DAMAGES)(body, random_)
    shutil.copytree(path.parent, folder)
    (folder / path.name).write_bytes(body)
    return folder


def main() -> None:
    """Do what is named, and print its row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    kinds = parser.add_subparsers(dest="kind", required=True)
    killing = kinds.add_parser("kills", help="kill the process that evaluates, and go on")
    killing.add_argument("--n", type=int, default=50)
    killing.add_argument("--parts", type=int, help="evaluate in so many parts, by processes of their own")
    killing.add_argument("--command", action="store_true", help="by the command with Prefect's server")
    damaging = kinds.add_parser("inputs", help="read damaged files")
    damaging.add_argument("--n", type=int, default=10_000)
    damaging.add_argument("--shared", type=Path, help="folder of further files")
    damaging.add_argument("--keep", type=Path, help="folder for what ended in another error")
    given = parser.parse_args()
    if given.kind == "kills":
        print(kills(given.n, parts=given.parts, by_command=given.command, seed=given.seed))
    else:
        print(inputs(given.n, shared=given.shared, kept=given.keep, seed=given.seed))


if __name__ == "__main__":
    main()
