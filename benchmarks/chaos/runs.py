"""Evaluations in processes of their own, with models behind a server on loopback, and their results side by side."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import psutil

from tests.golden.test_golden import judge, names, reader, table
from tests.judge_server import JudgeServer

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
    folder: Path, home: Path, options: dict[str, object], *, by_command: bool, **environment: str
) -> subprocess.Popen[bytes]:
    """Start an evaluation in a process group of its own; `environment` stands beside what it inherits."""
    if by_command:
        flags = [
            text
            for name, value in options.items()
            for text in ((f"--{name}",) if value is True else (f"--{name}", str(value)))
        ]
        command = ["-m", "medassay.flows.cli", "evaluate", str(folder), *flags]
    else:
        command = ["-c", BY_LIBRARY, str(folder), str(home), json.dumps(options)]
    return subprocess.Popen(
        [sys.executable, *command],
        env={
            **os.environ,
            "MEDASSAY_HOME": str(home),
            "NO_PROXY": "*",
            "MEDASSAY_READER": "encoder",
            **environment,
        },
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def tree(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return a process with all that it started: Prefect's server, workers, what watches them."""
    try:
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def finish(process: subprocess.Popen[bytes]) -> str:
    """Wait for an evaluation and return what it wrote to stderr.

    Raises:
        RuntimeError: when it ends with another code than 0.
    """
    _, said = process.communicate(timeout=900)
    if process.returncode:
        raise RuntimeError(f"ended with {process.returncode}: {said.decode()[-2000:]}")
    return said.decode()


def results(home: Path, dataset: str | None = None) -> dict[str, list[list[str]]]:
    """Return the tables of the newest results, of a data set or at all, without what differs from run to run."""
    with duckdb.connect(str(home / "results.duckdb"), read_only=True) as file:
        found = file.execute(
            "select run_id from latest_runs where dataset = coalesce(?, (select dataset from latest_run))",
            [dataset],
        )
        newest = found.fetchall()[0][0]
        return {name: table(file, name, newest) for name in names(file) if name not in UNORDERED}
