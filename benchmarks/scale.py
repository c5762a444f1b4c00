"""How a run's cost grows with its answers, and what the flow adds: python -m benchmarks.scale.

`sizes 1000 10000` evaluates so many made answers, each size in a process of its own, and prints processor seconds of
stages and of SQL (aggregating, publishing), the peak of memory, and the slope of log seconds over log answers. Texts
are those of the examples with other numbers in every answer, so that nothing is read twice. `flow 1000` evaluates the
same answers as plain functions and as Prefect's flow, in turn, after one run of each that is not counted.
"""

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

from tests.golden.test_golden import rows
from tests.rows import write_tables

SYSTEMS = 10


def made(folder: Path, n_answers: int) -> Path:
    """Write a data set of this many answers of ten systems."""
    questions, answers = rows("questions"), [row for row in rows("answers") if row.get("answer")]
    by_question: dict[str, list[dict[str, Any]]] = {}
    for row in answers:
        by_question.setdefault(row["question_id"], []).append(row)
    random_ = random.Random(1)
    kept: list[dict[str, Any]] = []
    given: list[dict[str, Any]] = []
    for at in range(max(1, n_answers // SYSTEMS)):
        question = questions[at % len(questions)]
        name = f"{question['question_id']}-{at}"
        kept.append({**question, "question_id": name, "question": f"{question['question']} (case {at})"})
        for system in range(SYSTEMS):
            row = random_.choice(by_question[question["question_id"]])
            text = re.sub(
                r"(?<=[a-z])\.(?= |$)", lambda _: f" in group {random_.randrange(10**6)}.", row["answer"]
            )
            given.append({**row, "question_id": name, "system": f"system {system}", "answer": text})
    return write_tables(folder, questions=kept, answers=given, documents=rows("documents"))


def measured(n_answers: int, reader: str) -> dict[str, Any]:
    """Evaluate made answers in this process; return processor seconds by step and the peak of memory in MB."""
    from medassay.models.settings import Settings
    from medassay.tasks.pipeline import Executor, execute, publish
    from medassay.tasks.run import RunRef, started_run
    from medassay.tasks.stages.stage import Report, Stage

    seconds: dict[str, float] = {}

    class Timed(Executor):
        def run_stage(self, stage: Stage, run: RunRef) -> Report | None:
            began = time.process_time()
            report = super().run_stage(stage, run)
            seconds[stage.name] = time.process_time() - began
            return report

        def finish(self, run: RunRef) -> None:
            began = time.process_time()
            super().finish(run)
            seconds["aggregate"] = time.process_time() - began

    with tempfile.TemporaryDirectory() as scratch:
        folder = made(Path(scratch) / "made", n_answers)
        began, busy = time.perf_counter(), time.process_time()
        settings = Settings(str(folder), judge="evidence", reader=reader, offline=True)
        with started_run(Path(scratch) / "home", settings) as run:
            execute(run, Timed())
            at = time.process_time()
            publish(run)
            seconds["publish"] = time.process_time() - at
        whole = time.process_time() - busy
    seconds["read in"] = whole - sum(seconds.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "n": n_answers,
        "wall": time.perf_counter() - began,
        "cpu": whole,
        "peak": peak,
        "seconds": seconds,
    }


def sizes(counts: list[int], reader: str) -> Iterator[str]:
    """Measure each size in a process of its own; yield the lines of a table."""
    found = []
    for count in counts:
        command = [sys.executable, "-m", "benchmarks.scale", "one", str(count), "--reader", reader]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    names = list(found[0]["seconds"])
    yield "| processor seconds | " + " | ".join(f"{one['n']:,} answers" for one in found) + " | slope |"
    yield "|---|" + "---|" * (len(found) + 1)
    for name in (*names, "all"):
        values = [one["cpu"] if name == "all" else one["seconds"].get(name, 0.0) for one in found]
        if max(values) >= 0.5:
            slope = (
                log(values[-1] / max(values[0], 1e-3)) / log(counts[-1] / counts[0]) if counts[1:] else 0.0
            )
            yield f"| {name} | " + " | ".join(f"{value:.1f}" for value in values) + f" | {slope:.2f} |"
    yield "| peak of memory, MB | " + " | ".join(f"{one['peak']:,.0f}" for one in found) + " | |"


def flow(n_answers: int, rounds: int) -> str:
    """Evaluate the same answers as plain functions and as the flow, in turn; return the row of the table."""
    from medassay.flows.engine import prepare_prefect

    prepare_prefect()
    from prefect.testing.utilities import prefect_test_harness

    from medassay.flows.evaluate import evaluate as as_flow
    from medassay.models.settings import Settings
    from medassay.tasks.model_cache import keep_models
    from medassay.tasks.pipeline import evaluate as plainly

    keep_models()
    plain: list[float] = []
    flows: list[float] = []
    with tempfile.TemporaryDirectory() as scratch, prefect_test_harness(server_startup_timeout=120):
        folder = str(made(Path(scratch) / "made", n_answers))
        chosen = {"judge": "evidence", "reader": "none", "offline": True}
        for at in range(rounds + 1):
            began = time.process_time()
            plainly(Path(scratch) / f"plain-{at}", Settings(folder, **chosen))
            between = time.process_time()
            as_flow(data=folder, home=str(Path(scratch) / f"flow-{at}"), **chosen)
            if at:
                plain.append(between - began)
                flows.append(time.process_time() - between)
    one, other = statistics.median(plain), statistics.median(flows)
    return (
        f"| {n_answers:,} answers, {rounds} rounds | {one:.2f} s | {other:.2f} s | {other / one - 1:+.1%} |"
    )


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    sized = kinds.add_parser("sizes", help="how seconds and memory grow")
    sized.add_argument("counts", type=int, nargs="+")
    sized.add_argument("--reader", default="none")
    one = kinds.add_parser("one", help="one size in this process, as JSON")
    one.add_argument("count", type=int)
    one.add_argument("--reader", default="none")
    flowing = kinds.add_parser("flow", help="plain functions beside the flow")
    flowing.add_argument("count", type=int)
    flowing.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ.setdefault("NO_PROXY", "*")
    if given.kind == "sizes":
        for line in sizes(given.counts, given.reader):
            print(line, flush=True)
    elif given.kind == "one":
        print(json.dumps(measured(given.count, given.reader)))
    else:
        print(flow(given.count, given.rounds))


if __name__ == "__main__":
    main()
