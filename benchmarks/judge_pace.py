"""How fast answers are judged through one and the same server, and how many get lost: ours, RAGAS, DeepEval.

Run from the checkout; the others live in an environment of their own, outside the project:
    python -m venv ~/rivals && ~/rivals/bin/pip install ragas deepeval "langchain<1" "langchain-openai<1"
(ragas 0.4.3 imports a part of langchain-community that its 0.4 has dropped, hence the bounds)
    python -m benchmarks.judge_pace --rivals ~/rivals/bin/python [--n 200] [--latency 0.2] [--concurrency 16]

`--marks 4` has the others give four marks an answer, as the rubric does: one metric a mark, one call a metric.
`--marks 0` has them use what their users would take for the rubric's four: RAGAS its FactualCorrectness, Faithfulness,
ResponseRelevancy (embeddings cost nothing here) and an AspectCritic for harm, 8 calls an answer; DeepEval two GEval,
its FaithfulnessMetric and its AnswerRelevancyMetric, 9 calls an answer. The server replies in the form each asks for.

The server listens on loopback in a process of its own (`tests/judge_server.py`); it needs `--latency` seconds for a
reply, and misbehaves on `--faulty-share` of the calls in every way it knows. Everybody asks one question an answer
with the same concurrency: ours for the rubric with every call on disk before the next, RAGAS for an AspectCritic,
DeepEval for a GEval with given steps. The reply holds the keys that each wants, so the faults that only break the
rubric's keys (a mark out of range, a missing one) are no faults to the others.

Measured once, on two cores shared with other work (load 5 to 7), 0.2 s a reply, 16 at once:

    1,000 answers, ours alone   no faults: 4,069 answers a minute, 1.17 × the ideal 12.6 s, none lost (idle cores)
                                30 %:      1,888 answers a minute, 61 lost, each with its reason, 1,236 calls
    200 answers, one mark       no faults: ours 2,887 answers a minute, RAGAS 0.4.3 3,137, DeepEval 4.3.1 1,067
                                30 %:      ours 1,968 (9 lost), RAGAS 2,352 (33 lost), DeepEval 613 (36 lost)
    200 answers, four marks     no faults: ours 3,182 (201 calls), RAGAS 1,040 (808 calls), DeepEval 175 (804 calls)
                                30 %:      ours 1,727 (8 lost, 237 calls), RAGAS 164 (122 lost, 1,104 calls),
                                           DeepEval 51 (109 lost, 834 calls)

With their own metrics (`--marks 0`), 200 answers, two idle cores:

    RAGAS     no faults: ours 3,850 a minute (200 calls), RAGAS 0.4.3 691 (1,605 calls): 5.6 times
              30 %:      ours 2,107 (8 lost, 240 calls), RAGAS 80 (146 lost, 2,021 calls): 26 times
    DeepEval  no faults: ours 2,993 a minute, DeepEval 4.3.1 189 (900 calls): 16 times (100 answers)
              30 %:      ours 1,755 (7 lost), DeepEval 34 (83 lost): 51 times

So whoever asks for four such marks gets them five times as fast and more, by an eighth of the calls.
Every answer that ours lost has its reason: a refusal, a content filter, a refused request, two unreadable replies.
Four marks from a server that fails come 10 times as fast as from RAGAS and 34 times as fast as from DeepEval. At one
call an answer the server sets the pace, and nobody can be five times as fast as RAGAS; nor can anybody at four marks
from a server that never fails: RAGAS takes 1.15 times the ideal of its four calls, so an ideal judge with one call
would be 4.6 times as fast, and ours was 3 times.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.rival_replies import reply_to
from medassay.models.chat.endpoint import Endpoint
from medassay.models.judges.examining.gold_pairs import gold_pairs
from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.rubric import RubricJudge
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.spending.ledger import WarehouseLedger

ROOT = Path(__file__).resolve().parent.parent
RIVALS = Path(__file__).with_name("judge_pace_rivals.py")


@contextmanager
def served(latency_s: float, faulty_share: float) -> Iterator[tuple[str, "list[dict[str, Any]]"]]:
    """Serve while the block runs; the list holds what the server saw when the block is over."""
    seen: list[dict[str, Any]] = []
    command = [sys.executable, "-m", "benchmarks.judge_pace", "--serve", str(latency_s), str(faulty_share)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            yield process.stdout.readline().strip(), seen
        finally:
            process.stdin.close()
            seen.append(json.loads(process.stdout.readline()))


def serve(latency_s: float, faulty_share: float) -> None:
    """Be the server until standard input ends, then say what was seen."""
    sys.path.insert(0, str(ROOT / "tests"))
    from judge_server import JudgeServer, verdict_by_digest  # type: ignore[import-not-found]

    server = JudgeServer()
    server.behaviour.latency_s, server.behaviour.faulty_share = latency_s, faulty_share
    server.behaviour.verdict = lambda body: {**verdict_by_digest(body), **reply_to(body)}
    print(server.base_url, flush=True)
    sys.stdin.read()
    print(json.dumps({"calls": len(server.bodies), "most_at_once": server.most_at_once}), flush=True)
    server.close()


def inputs(n: int) -> list[JudgeInput]:
    """Make `n` different answers of usual length from the gold pairs."""
    shown = [judge_input for pair in gold_pairs() for judge_input in (pair.clean, pair.flawed)]
    return [
        JudgeInput(one.question, f"{one.answer} This was said {n_said} times.", one.references, True)
        for n_said in range(n)
        for one in (shown[n_said % len(shown)],)
    ]


def ours(base_url: str, n: int, concurrency: int) -> dict[str, Any]:
    """Judge with the rubric, every call in a warehouse on disk."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = WarehouseLedger(warehouse_at(folder), None, "pace")
        judge = RubricJudge(Endpoint(base_url, "judge"))
        shown = inputs(n)
        judge.judge(shown[:1], ledger)
        began = time.perf_counter()
        judged = judge.judge(shown[1:], ledger, concurrency=concurrency)
        seconds = time.perf_counter() - began
        close_warehouse(folder)
    lost = [one for one in judged if one.status != "scored"]
    return {
        "tool": "ours",
        "n": n - 1,
        "seconds": seconds,
        "lost": len(lost),
        "without_reason": sum(not one.reason for one in lost),
    }


def rivals(python: str, tool: str, base_url: str, n: int, concurrency: int, marks: int) -> dict[str, Any]:
    """Have another tool judge the same answers in its own environment."""
    rows = [
        {
            "question": one.question,
            "answer": one.answer,
            "reference": one.answer.rpartition(" This was said")[0],
        }
        for one in inputs(n)
    ]
    with tempfile.TemporaryDirectory() as folder:
        asked = subprocess.run(
            [python, str(RIVALS), tool, base_url, str(concurrency), str(marks)],
            input=json.dumps(rows),
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    try:
        found: dict[str, Any] = json.loads(asked.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return {"tool": tool, "failed": (asked.stderr.strip().splitlines() or ["no output"])[-1][-300:]}
    return {"tool": tool, **found}


def main() -> None:
    """Measure and print one line a tool and server."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--serve", nargs=2, type=float, help=argparse.SUPPRESS)
    parser.add_argument("--rivals", help="Python of the environment that holds ragas and deepeval")
    parser.add_argument("--tools", nargs="*", default=["ragas", "deepeval"], help="which of the others")
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--marks", type=int, default=1, choices=range(5))
    parser.add_argument("--faulty-share", type=float, default=0.3)
    given = parser.parse_args()
    if given.serve:
        serve(*given.serve)
        return
    print(
        f"{'tool':<20} {'faults':>6} {'answers':>7} {'seconds':>8} {'a minute':>8} {'lost':>5} {'calls':>6} × ideal"
    )
    tools = ["ours", *(given.tools if given.rivals else [])]
    for share in (0.0, given.faulty_share):
        for tool in tools:
            with served(given.latency, share) as (base_url, seen):
                found = (
                    ours(base_url, given.n, given.concurrency)
                    if tool == "ours"
                    else rivals(given.rivals, tool, base_url, given.n, given.concurrency, given.marks)
                )
            if "failed" in found:
                print(f"{tool:<20} {share:>6.0%} could not run: {found['failed']}", flush=True)
                continue
            n, seconds = found["n"], found["seconds"]
            ideal = -(-n // given.concurrency) * given.latency
            print(
                f"{tool + ' ' + found.get('version', ''):<20} {share:>6.0%} {n:>7} {seconds:>8.1f} "
                f"{60 * (n - found['lost']) / seconds:>8.0f} {found['lost']:>5} {seen[0]['calls']:>6} "
                f"{seconds / ideal:>7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
