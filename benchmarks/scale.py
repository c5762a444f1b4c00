"""How a run's cost grows with its answers, and what the flow adds: python -m benchmarks.scale.

`sizes 1000 10000` evaluates so many made answers, each size in a process of its own, and prints processor seconds of
stages and of SQL (aggregating, publishing), seconds by the clock of what people wait for, memory, rows, bytes, and the
slope of log values over log answers. Texts
are those of the examples with another number in every sentence, so that no two answers are alike and hardly a sentence
is read twice; nuggets and documents stay. `flow 1000` evaluates the
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
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from typing import Any

from tests.golden.test_golden import rows
from tests.rows import write_tables

SYSTEMS = 10

SENTENCE_END = re.compile(r"(?<=[a-z]{2})(?=(?:\s?(?:\[[^\]]*\]|\([^)]*\)))*[.!?](?:\s|$|\[))")
"""The end of a sentence, before what it cites."""


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
            text = SENTENCE_END.sub(lambda _: f" in group {random_.randrange(10**6)}", row["answer"])
            given.append({**row, "question_id": name, "system": f"system {system}", "answer": text})
    return write_tables(folder, questions=kept, answers=given, documents=rows("documents"))


def measured(n_answers: int, reader: str) -> dict[str, Any]:
    """Evaluate made answers in this process; return what it took.

    Returns:
        `seconds`: processor seconds by step; `asked`: seconds by the clock of what people wait for (the comparison of
        all systems, the report, `query leaderboard`); `peak`: MB; `rows` and `bytes`: of tables and of files.
    """
    from medassay.models.settings import Settings
    from medassay.sql.snapshot import read_results
    from medassay.tasks import aggregate
    from medassay.tasks.pipeline import Executor, execute
    from medassay.tasks.publish import publish_snapshot, write_report
    from medassay.tasks.run import RunRef, started_run
    from medassay.tasks.stages.stage import Report, Stage

    seconds: dict[str, float] = {}
    asked: dict[str, float] = {}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            found = function(*given, **named)
            asked[name] = time.perf_counter() - began
            return found

        return call

    aggregate.freeze_comparisons = timed("compare", aggregate.freeze_comparisons)  # type: ignore[attr-defined]

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
            publish_snapshot(run)
            timed("report", write_report)(Path(run.home), run.run_id)
            seconds["publish"] = time.process_time() - at
            tables = run.warehouse.rows(
                "select schema_name || '.' || table_name as name, estimated_size as n from duckdb_tables()"
                " order by n desc"
            )
        whole = time.process_time() - busy
        home = Path(scratch) / "home"
        timed("leaderboard", read_results)(home, "from leaderboard")
        sizes_of = {
            str(one.relative_to(home)): one.stat().st_size for one in home.rglob("*") if one.is_file()
        }
    seconds["read in"] = whole - sum(seconds.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "n": n_answers,
        "wall": time.perf_counter() - began,
        "cpu": whole,
        "peak": peak,
        "seconds": seconds,
        "asked": asked,
        "rows": {one["name"]: one["n"] for one in tables if one["n"] >= n_answers},
        "bytes": {name: size for name, size in sizes_of.items() if size >= 10_000},
    }


def sizes(counts: list[int], reader: str, aim: int | None) -> Iterator[str]:
    """Measure each size in a process of its own; yield the lines of a table.

    With `aim`, a column says what that many answers would take if everything grew on as between the two largest sizes.
    """
    found = []
    for count in counts:
        command = [sys.executable, "-m", "benchmarks.scale", "one", str(count), "--reader", reader]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    yield from table_of(found, aim)


def table_of(found: list[dict[str, Any]], aim: int | None) -> Iterator[str]:
    """Yield the lines of the table of measured sizes, smallest first."""
    heads = [f"{one['n']:,} answers" for one in found] + ["slope"]
    yield "| | " + " | ".join(heads + ([f"{aim:,}, by the last slope"] if aim else [])) + " |"
    yield "|---|" + "---|" * (len(found) + 1 + bool(aim))
    groups: dict[str, dict[str, list[float]]] = {
        "processor s": {"all": [one["cpu"] for one in found]},
        "s by the clock": {},
        "MB of memory": {"peak": [one["peak"] for one in found]},
        "rows": {},
        "MB": {"work.duckdb": [], "results.duckdb": [], "report": []},
    }
    for kind, unit in (("seconds", "processor s"), ("asked", "s by the clock"), ("rows", "rows")):
        for name in found[-1][kind]:
            groups[unit][name] = [one[kind].get(name, 0.0) for one in found]
    for one in found:
        for name, size in one["bytes"].items():
            if (short := "report" if name.startswith("reports/") else name) in groups["MB"]:
                groups["MB"][short].append(size / 1e6)
    for unit, lines in groups.items():
        for name, values in lines.items():
            if values[-1] < 0.5:
                continue
            cells = [f"{value:,.0f}" if value >= 100 else f"{value:.1f}" for value in values]
            slope = log_slope(found, values, 0)
            cells.append(f"{slope:.2f}" if slope is not None else "")
            if aim:
                last = log_slope(found, values, -2)
                cells.append(
                    f"{values[-1] * (aim / found[-1]['n']) ** last:,.0f}" if last is not None else ""
                )
            yield f"| {name}, {unit} | " + " | ".join(cells) + " |"


def log_slope(found: list[dict[str, Any]], values: list[float], start: int) -> float | None:
    """Return the slope of log values over log answers, from the size at `start` to the largest; None without one."""
    if len(found) < 2 or values[start] <= 0:
        return None
    return log(values[-1] / values[start]) / log(found[-1]["n"] / found[start]["n"])


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


ENGINES = {"one process": ("here", None), "two processes": ("here", 4), "Ray, one node": ("ray", 4)}


def engines(n_answers: int, reader: str) -> Iterator[str]:
    """Evaluate two sizes by each engine, each in a process of its own; yield the lines of a table.

    What the larger takes more is free of starting processes and loading models.
    """
    yield "| engine | start and the first answers, s | further answers a second | × one process |"
    yield "|---|---|---|---|"
    first = None
    for name, (on, parts) in ENGINES.items():
        walls = []
        for count in (n_answers, 3 * n_answers):
            command = [
                sys.executable,
                "-m",
                "benchmarks.scale",
                "by",
                str(count),
                "--reader",
                reader,
                "--on",
                on,
            ]
            command += ["--parts", str(parts)] if parts else []
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if done.returncode:
                yield f"| {name} | could not be measured | | |"
                break
            walls.append(float(done.stdout.splitlines()[-1]))
        else:
            rate = 2 * n_answers / (walls[1] - walls[0])
            first = first or rate
            yield f"| {name} | {walls[0]:.0f} | {rate:.2f} | {rate / first:.2f} |"


def by_engine(n_answers: int, reader: str, on: str, parts: int | None) -> float:
    """Evaluate made answers by an engine; return seconds by the clock."""
    from medassay.flows.engines import with_engine
    from medassay.models.settings import Settings
    from medassay.tasks.pipeline import IN_PROCESS, evaluate

    with tempfile.TemporaryDirectory() as scratch:
        folder, home = made(Path(scratch) / "made", n_answers), Path(scratch) / "home"
        settings = Settings(str(folder), judge="evidence", reader=reader, offline=True, on=on, parts=parts)
        began = time.perf_counter()
        evaluate(home, settings, with_engine(IN_PROCESS, settings, home))
        return time.perf_counter() - began


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    sized = kinds.add_parser("sizes", help="how seconds and memory grow")
    sized.add_argument("counts", type=int, nargs="+")
    sized.add_argument("--reader", default="none")
    sized.add_argument("--aim", type=int, help="answers to which the growth is continued")
    one = kinds.add_parser("one", help="one size in this process, as JSON")
    one.add_argument("count", type=int)
    one.add_argument("--reader", default="none")
    flowing = kinds.add_parser("flow", help="plain functions beside the flow")
    flowing.add_argument("count", type=int)
    flowing.add_argument("--rounds", type=int, default=3)
    for name in ("engines", "by"):
        engine = kinds.add_parser(name, help="engines in turn" if name == "engines" else "one engine here")
        engine.add_argument("count", type=int)
        engine.add_argument("--reader", default="encoder")
        if name == "by":
            engine.add_argument("--on", default="here")
            engine.add_argument("--parts", type=int)
    given = parser.parse_args()
    os.environ.setdefault("NO_PROXY", "*")
    if given.kind == "sizes":
        for line in sizes(given.counts, given.reader, given.aim):
            print(line, flush=True)
    elif given.kind == "engines":
        for line in engines(given.count, given.reader):
            print(line, flush=True)
    elif given.kind == "by":
        print(by_engine(given.count, given.reader, given.on, given.parts))
    elif given.kind == "one":
        print(json.dumps(measured(given.count, given.reader)))
    else:
        print(flow(given.count, given.rounds))


if __name__ == "__main__":
    main()
