"""A judging process that is killed in the middle: what is on disk is not paid for again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb

from medassay.models.settings import Settings
from medassay.tasks.judging.panel import pin_members
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.judge import CONCURRENCY, brief, judge
from tests.rows import write_tables
from tests.runs import read_in

ROOT = Path(__file__).resolve().parents[3]
N_ANSWERS = 60
SCRIPT = """
import sys
from pathlib import Path
from tests.tasks.judging.test_judge_killed import judged
judged(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
"""


def judged(home: Path, folder: str, spec: str) -> dict[str, Any]:
    with read_in(home, Settings(folder, judge=spec)) as run:
        decompose.run(run)
        brief(run)
        pin_members(run)
        return judge.run(run)


def test_no_call_that_is_on_disk_is_made_again_after_kill_9(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    question = {"question_id": "q", "question": "Is it safe?"}
    rows = [
        {"question_id": "q", "system": f"s{n}", "answer": f"It is {n} times safe."} for n in range(N_ANSWERS)
    ]
    folder = write_tables(tmp_path / "d", questions=[question], answers=rows)
    judge_server.behaviour.holds_after = N_ANSWERS // 3 - 1
    judge_server.behaviour.faulty_share = 0.3
    judge_server.behaviour.faults = ("bad_json", "missing_key", "fenced", "rate_limit")
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(home), str(folder), judge_server.spec],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(judge_server.bodies) < N_ANSWERS // 3 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(judge_server.bodies)
    assert N_ANSWERS // 3 <= before < N_ANSWERS
    with duckdb.connect(str(home / "work.duckdb")) as left:
        kept = left.execute("select count(*) from model_call").fetchall()[0][0]
        answered = left.execute(
            "select count(distinct request_key) from model_call where status in ('ok', 'bad_json')"
        ).fetchall()[0][0]
    # What was on its way when the process died is all that can be lost.
    assert before - CONCURRENCY <= kept <= before
    judge_server.behaviour.holds_after = None
    report = judged(home, str(folder), judge_server.spec)
    assert (report["n_done"], report["n_failed"]) == (N_ANSWERS, 0)
    again = [json.dumps(body["messages"]) for body in judge_server.bodies[before:]]
    first = [json.dumps(body["messages"]) for body in judge_server.bodies[:before]]
    repeated = [sent for sent in set(again) if sent in first]
    # Sent twice: only what had no answer on disk (lost on its way, or told to wait).
    assert len(repeated) <= len(set(first)) - answered
