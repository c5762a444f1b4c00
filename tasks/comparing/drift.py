"""Judge drift: judge a finished run's answers again and compare the marks."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from medassay.models.judges.choosing import endpoint_asked
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.comparing.grid import no_anchor, seed_of
from medassay.tasks.judging.panel import Member, members_of
from medassay.tasks.phi import guarded_inputs
from medassay.tasks.progress import watcher
from medassay.tasks.run import BadData, RunRef, home_lock
from medassay.tasks.spending.caps import cap_for
from medassay.tasks.spending.ledger import WarehouseLedger, count_late
from medassay.tasks.stages.judge import judge_input_from
from medassay.tasks.stages.stage import Step

STAGE = "drift"
SUB_METRICS = ("medical_correctness", "evidence_sufficiency_raw", "response_alignment", "safety")
FIRST_SAMPLE = 1_000_000
"""Numbers of the samples that are asked for drift's sake, far from those that marks are made of."""


@dataclass(frozen=True)
class Drift:
    """One judge's marks on one sub-metric, now less then, over the anchor's answers; points of 100."""

    judge: str
    sub_metric: str
    n_answers: int
    n_unscored: int
    before: float | None
    now: float | None
    difference: float | None
    low: float | None
    high: float | None
    drifted: bool
    model_before: str | None
    model_now: str | None
    reason: str | None


def judge_anchor(
    home: Path, run_id: str, anchor: str, most: int, *, wait: bool = True
) -> list[dict[str, Any]]:
    """Ask the run's judges about up to `most` answers of the anchor again, and publish how far the marks moved.

    The anchor is a finished run of this home, by id or name. Its answers never change and each is asked about with
    the same words, so what moves is the judge: the model behind the name, or its own unsteadiness.

    Raises:
        BadData: when there is no such run, or it has no marks of a judge.
    """
    with home_lock(home, run_id, wait=wait):
        run = RunRef(str(home), run_id)
        warehouse = run.warehouse
        frozen = anchor_run(warehouse, anchor)
        found: list[Drift] = []
        for member in members_of(run):
            found += of_member(run, member, frozen, most)
        rows = [asdict(drift) for drift in found]
        warehouse.execute("delete from mart.judge_drift where run_id = ?", [run_id])
        warehouse.append(
            "mart.judge_drift", [{"run_id": run_id, "anchor_run_id": frozen, **row} for row in rows]
        )
        count_late(run, STAGE)
        publish(warehouse, home, run_id)
    return rows


def anchor_run(warehouse: Warehouse, named: str) -> str:
    """Find the anchor by its id or name.

    Raises:
        BadData: when there is none, or nothing in it was judged.
    """
    found = warehouse.value(
        "select run_id from run where state = 'finished' and (run_id = $named or name = $named)"
        " order by started_at desc limit 1",
        {"named": named},
    )
    if found is None:
        raise no_anchor(named)
    if not warehouse.value(
        "select count(*) from mart.judgement where run_id = ? and status = 'scored'", [found]
    ):
        raise BadData(f"--anchor {named}: no answer of that run was judged; evaluate it with a --judge")
    return str(found)


def of_member(run: RunRef, member: Member, anchor: str, most: int) -> list[Drift]:
    """Ask one judge about the anchor's answers, and compare with the marks that it gave first."""
    warehouse = run.warehouse
    chosen = warehouse.rows(
        statement("statements/comparing/drift/of_member"), [anchor, member.fingerprint, most]
    )
    if not chosen:
        why = f"the anchor was judged by another judge than {member.judge.name}, or with another prompt"
        watcher().say(f"no drift measured: {why}")
        return [nothing(member, sub_metric, why) for sub_metric in SUB_METRICS]
    now = ask(run, member, chosen)
    model_now = next((row["model_answered"] for row in now.values() if row["model_answered"]), None)
    found = []
    for sub_metric in SUB_METRICS:
        pairs = [
            (row[sub_metric], now[row["input_key"]][sub_metric])
            for row in chosen
            if row["input_key"] in now and row[sub_metric] is not None
        ]
        found.append(
            of_sub_metric(member, sub_metric, pairs, len(chosen), chosen[0]["model_answered"], model_now)
        )
    for drift in found:
        if drift.drifted:
            watcher().say(
                f"{drift.judge} has drifted: {drift.sub_metric} {drift.difference:+.1f} points"
                f" ({drift.low:+.1f} to {drift.high:+.1f}) on {drift.n_answers} frozen answers"
            )
    return found


def ask(run: RunRef, member: Member, rows: list[Row]) -> dict[str, Row]:
    """Ask about each answer once more, as a sample of its own; return the marks by input."""
    warehouse = run.warehouse
    endpoint = endpoint_asked(member.judge)
    step = Step(run, STAGE, member.fingerprint, warehouse, run.settings)
    asked_before = warehouse.value(
        "select max(sample_no) from model_call where stage = ? and sample_no >= ?", [STAGE, FIRST_SAMPLE]
    )
    sample_no = FIRST_SAMPLE if asked_before is None else int(asked_before) + 1
    guarded = guarded_inputs(step, endpoint, [judge_input_from(row["input"]) for row in rows])
    watcher().begin(STAGE, len(rows), len(rows))
    with member.judge as judge:
        judged = judge.judge(
            [shown for shown, _ in guarded],
            WarehouseLedger(warehouse, run.run_id, STAGE),
            sample_no=sample_no,
            cap=cap_for(run, endpoint),
            on_done=lambda _: watcher().advance(STAGE, 1),
        )
    watcher().end(STAGE, "")
    return {
        row["input_key"]: {
            **{name: getattr(found, name) for name in SUB_METRICS},
            "model_answered": found.model_answered,
        }
        for row, found in zip(rows, judged, strict=True)
        if found.status == "scored"
    }


def of_sub_metric(
    member: Member,
    sub_metric: str,
    pairs: list[tuple[int, int]],
    n_asked: int,
    before: str | None,
    now: str | None,
) -> Drift:
    """Compare the marks of one sub-metric, paired by answer; drifted where the 95 % interval leaves zero out."""
    from medassay.models.statistics.contrast import contrasts

    if not pairs:
        return nothing(member, sub_metric, "no answer was marked again")
    first, again = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    column = (again - first)[:, None]
    (found,) = contrasts(column, seed=seed_of(column), most=100.0)
    drifted = found.low is not None and found.high is not None and not found.low <= 0.0 <= found.high
    return Drift(
        member.judge.name, sub_metric, len(pairs), n_asked - len(pairs), float(first.mean()), float(again.mean()),
        found.difference, found.low, found.high, drifted, before, now, found.reason,
    )  # fmt: skip


def nothing(member: Member, sub_metric: str, reason: str) -> Drift:
    """Return the row of what could not be compared."""
    return Drift(member.judge.name, sub_metric, 0, 0, None, None, None, None, None, False, None, None, reason)
