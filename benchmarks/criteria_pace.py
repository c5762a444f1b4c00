"""How fast criteria are judged: batched, several calls at once, against one call a criterion in sequence.

    python -m benchmarks.criteria_pace [--questions 100] [--latency 0.2] [--per-call 8]

Questions in HealthBench's form, each with as many criteria as its questions have on average (11) and one answer. The
judge is a server on loopback in this process (`tests/judge_server.py`) that needs `--latency` seconds for any reply.
Our arm is the stage of an evaluation, from an empty home: fences, ledger and verdicts on disk, so that it could go on
after a kill. The other arm is the same judge with one criterion a call and one call at a time, over `--share` of them.

Measured on two cores shared with other work, 0.2 s a reply: 1,100 criteria by 200 calls in 8.3 s, in sequence 4.8 a
second: 27 times the pace.
"""

import argparse
import importlib.util
import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from medassay.models.chat.asking import ask_all
from medassay.models.chat.endpoint import endpoint_of, parse_spec
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.criteria.judge import CriteriaJudge
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.ingest import ingest
from medassay.tasks.run import started_run
from medassay.tasks.stages.criteria import criteria, material
from medassay.tasks.validate import validate

CRITERIA_A_QUESTION = 11


def write_data(file: Path, n_questions: int) -> None:
    """Write questions in HealthBench's form, each with a completion."""
    with file.open("w", encoding="utf-8") as out:
        for number in range(n_questions):
            rubrics = [
                {
                    "criterion": f"Criterion {n} of question {number}: says what to do next and when to seek care",
                    "points": 5 if n % 4 else -5,
                    "tags": [f"axis:{n % 5}"],
                }
                for n in range(CRITERIA_A_QUESTION)
            ]
            turns = [{"role": "user", "content": f"I have complaint number {number}. What now?"}]
            said = f"Rest, drink enough, and see a doctor on day {number}. " * 20
            row = {"prompt_id": f"p{number}", "prompt": turns, "rubrics": rubrics, "completion": said}
            out.write(json.dumps(row) + "\n")


def replying(body: dict[str, Any]) -> str:
    """Say of every criterion that it is met."""
    ids = re.findall(r"^\| (k\d+): ", body["messages"][1]["content"], re.MULTILINE)
    return json.dumps({"verdicts": [{"id": name, "evidence": "drink enough", "met": True} for name in ids]})


def judge_server() -> Any:
    """Start the tests' server."""
    path = Path(__file__).resolve().parent.parent / "tests" / "judge_server.py"
    spec = importlib.util.spec_from_file_location("judge_server", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.JudgeServer()


def main() -> None:
    """Measure both arms and print their paces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds a reply takes")
    parser.add_argument("--per-call", type=int, default=8)
    parser.add_argument("--share", type=float, default=0.1, help="of the criteria that are asked in sequence")
    given = parser.parse_args()
    server = judge_server()
    server.behaviour.text, server.behaviour.latency_s = replying, given.latency
    with tempfile.TemporaryDirectory() as folder:
        file, home = Path(folder) / "healthbench.jsonl", Path(folder) / "home"
        write_data(file, given.questions)
        settings = Settings(str(file), judge=server.spec, criteria_per_call=given.per_call)
        with started_run(home, settings) as run:
            ingest(run)
            validate(run)
            criteria.pin(run)
            shown = [one for _, one in material(run)]
            report = criteria.run(run)
            judged = run.warehouse.value("select count(*) from criterion_verdict")
        close_warehouse(home)
    n_calls = len(server.bodies)
    print(
        f"batched: {judged} of {report['n_items']} criteria by {n_calls} calls in {report['seconds']:.1f} s"
    )
    endpoint = endpoint_of(parse_spec(server.spec), "judge")
    judge = CriteriaJudge(endpoint, 1)
    requests = [judge.request(one, part) for one in shown for part in judge.parts(one)]
    requests = requests[: round(given.share * len(requests))]
    began = time.monotonic()
    outcomes = ask_all(requests, endpoint, MemoryLedger(), concurrency=1)
    seconds = time.monotonic() - began
    server.close()
    n_answered = sum(outcome.status == "answered" for outcome in outcomes)
    print(f"in sequence: {n_answered} criteria by as many calls in {seconds:.1f} s")
    ours, theirs = judged / report["seconds"], n_answered / seconds
    print(f"{ours:.1f} against {theirs:.1f} criteria a second: {ours / theirs:.1f} times the pace")


if __name__ == "__main__":
    main()
