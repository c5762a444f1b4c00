"""Answers → the rubric's four marks, by the judge that was chosen."""

import json
import os
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Any

from models.judges.choosing import NoJudge, choose_judge
from models.judges.judgement import JudgeInput, Judgement
from models.records import Reference
from models.settings import Settings
from sql.warehouse import Row
from tasks.ledger import WarehouseLedger
from tasks.progress import watcher
from tasks.run import RunRef
from tasks.stages import Report, Stage, Step

BATCH = 64
BRIEFED_AT_ONCE = 2_000


def home_secret(home: Path) -> bytes:
    """Return the home's secret, made when first asked for: it makes the judge's fences unguessable."""
    path = home / "secret"
    if not path.exists():
        draft = path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        os.replace(draft, path)
    return path.read_bytes()


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the judge, its prompt and its parameters, or why there is none."""
    chosen = choose_judge(settings.judge)
    if isinstance(chosen, NoJudge):
        return {"judge": "none", "reason": chosen.reason}
    return {**chosen.fingerprint, "kind": chosen.fingerprint["judge"], "judge": chosen.name}


def brief(run: RunRef) -> None:
    """Write down what the judge is shown for each answer, and which answer it is of."""
    warehouse = run.warehouse
    rows = warehouse.rows("from judge_material order by question_id, system")
    for start in range(0, len(rows), BRIEFED_AT_ONCE):
        batch = rows[start : start + BRIEFED_AT_ONCE]
        inputs = [judge_input_of(row) for row in batch]
        with warehouse.transaction():
            warehouse.insert(
                "judge_input",
                [
                    {
                        "input_key": shown.input_key,
                        "input": json.dumps(asdict(shown), ensure_ascii=False),
                        "has_references": shown.has_references,
                        "guidance_given": shown.guidance is not None,
                    }
                    for shown in inputs
                ],
            )
            warehouse.insert(
                "run_judge_input",
                [
                    {
                        "run_id": run.run_id,
                        "question_id": row["question_id"],
                        "system": row["system"],
                        "input_key": shown.input_key,
                    }
                    for row, shown in zip(batch, inputs, strict=True)
                ],
            )


def judge_input_of(row: Row) -> JudgeInput:
    """Build what the judge is shown from a row of `judge_material`."""
    return JudgeInput(
        question=row["question"],
        answer=row["text"],
        references=tuple(reference_of(source) for source in row["sources"] or []),
        has_references=row["has_references"],
        profile=row["profile"],
        messages=row["messages"],
        guidance=row["guidance"],
        risk_level=row["risk_level"],
    )


def reference_of(source: Row) -> Reference:
    """Describe a cited source as the judge sees it."""
    scheme, _, value = source["source_id"].partition(":")
    named = {scheme: value} if scheme in ("pmid", "pmcid", "doi", "nct", "url", "document") else {}
    return Reference(
        **{
            "marker": source["marker"],
            "url": source["url"],
            "title": source["title"],
            "content": source["content"],
            "source": source["origin"],
            **named,
        }
    )


def work(step: Step) -> None:
    """Ask the judge about every answer that has no marks yet; each call is on disk before the next is made."""
    chosen = choose_judge(step.settings.judge, home_secret(Path(step.run.home)))
    if isinstance(chosen, NoJudge):
        raise ValueError(f"no judge to ask: {chosen.reason}")
    with chosen as judge:
        ledger = WarehouseLedger(step.warehouse, step.run.run_id, step.stage)
        for batch in step.batches(BATCH):
            inputs = [judge_input_from(row["input"]) for row in batch]
            for sample_no in range(step.settings.samples):
                judged = judge.judge(inputs, ledger, sample_no=sample_no, on_done=lambda _: step.advance(1))
                store(step, judged)


def judge_input_from(text: str) -> JudgeInput:
    """Read a stored judge input back."""
    fields = json.loads(text)
    return JudgeInput(**{**fields, "references": tuple(Reference(**entry) for entry in fields["references"])})


def store(step: Step, judged: list[Judgement]) -> None:
    """Write the marks; what was not scored is set aside with the reason."""
    for judgement in judged:
        if judgement.status != "scored":
            reason = judgement.reason or "the judge gave no reason"
            step.set_aside(judgement.input_key, judgement.status, reason, judgement.n_calls)
    step.warehouse.insert(
        "judgement",
        [
            {
                "input_key": judgement.input_key,
                "fingerprint": step.fingerprint,
                "sample_no": judgement.sample_no,
                "medical_correctness": judgement.medical_correctness,
                "evidence_sufficiency_raw": judgement.evidence_sufficiency_raw,
                "response_alignment": judgement.response_alignment,
                "safety": judgement.safety,
                "justification": judgement.justification,
                "justification_reason": judgement.justification_reason,
                "model_answered": judgement.model_answered,
            }
            for judgement in judged
            if judgement.status == "scored"
        ],
    )


JUDGE = Stage("judge", work, spec, retries=1)


def judge_answers(run: RunRef) -> Report | None:
    """Brief the judge and ask it; without a judge, say so once."""
    chosen = choose_judge(run.settings.judge)
    if isinstance(chosen, NoJudge):
        watcher().say(f"no rubric scores: {chosen.reason}")
        JUDGE.pin(run)
        return None
    brief(run)
    return JUDGE(run)
