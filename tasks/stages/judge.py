"""Stage `judge`: the rubric's four marks by the selected judges."""

import json
from dataclasses import asdict, replace

from medassay.models.attribution import JUDGE
from medassay.models.judges.choosing import NoJudge, choose_panel, endpoint_asked
from medassay.models.judges.evidence import EvidenceJudge
from medassay.models.judges.judgement import JudgeInput, Judgement
from medassay.models.judges.rubric_material import described
from medassay.models.phi.placeholders import restored
from medassay.models.records import CitedSource, Reference
from medassay.sql.warehouse import Row
from medassay.tasks.judging.panel import STAGE, Member, members_of, panel_spec, pin_members
from medassay.tasks.phi import guarded_inputs
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.stage import Stage, Step

BATCH = 512
CONCURRENCY = 16
BRIEFED_AT_ONCE = 2_000


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
    """Describe a source of `judge_material` as the judge sees it."""
    marker = source.pop("marker")
    return described(CitedSource(**source), marker)


def work(step: Step) -> None:
    """Ask each judge for marks of answers that it has not marked yet."""
    pending = step.pending()
    for member in members_of(step.run):
        if isinstance(member.judge, EvidenceJudge):
            continue
        rows = [row for row in pending if row["judge_no"] == member.judge_no]
        if rows:
            ask(step, member, rows)


def ask(step: Step, member: Member, rows: list[Row]) -> None:
    """Ask one judge; what would leave this machine is looked at first, all of it."""
    endpoint = endpoint_asked(member.judge)
    cap = cap_for(step.run, endpoint)
    ledger = ledger_for(step)
    guarded = guarded_inputs(step, endpoint, [judge_input_from(row["input"]) for row in rows])
    with member.judge as judge:
        for start in range(0, len(rows), BATCH):
            batch, shown = rows[start : start + BATCH], guarded[start : start + BATCH]
            of_batch: list[Judgement] = []
            for sample_no in range(step.settings.samples):
                is_last = sample_no == step.settings.samples - 1
                judged = judge.judge(
                    [judge_input for judge_input, _ in shown],
                    ledger,
                    sample_no=sample_no,
                    concurrency=CONCURRENCY,
                    cap=cap,
                    on_done=(lambda _: step.advance(1)) if is_last else None,
                )
                meant = [
                    replace(
                        judgement,
                        input_key=row["input_key"],
                        justification=restored(judgement.justification, meaning)
                        if judgement.justification
                        else None,
                    )
                    for row, judgement, (_, meaning) in zip(batch, judged, shown, strict=True)
                ]
                store(step, member, meant)
                of_batch += meant
            set_aside_unscored(step, member, of_batch)
    note_cap(step, cap)


def judge_input_from(text: str) -> JudgeInput:
    """Read a stored judge input back."""
    fields = json.loads(text)
    return JudgeInput(**{**fields, "references": tuple(Reference(**entry) for entry in fields["references"])})


def set_aside_unscored(step: Step, member: Member, judged: list[Judgement]) -> None:
    """Set aside what was not scored in every sample, with the reason.

    A sample that failed counts before one that abstained, whichever came last: it is asked again by the next run.
    """
    for status in ("abstained", "failed"):
        for judgement in judged:
            if judgement.status == status:
                step.set_aside(
                    f"{judgement.input_key}:{member.fingerprint}",
                    status,
                    judgement.reason or "the judge gave no reason",
                    judgement.n_calls,
                )


def store(step: Step, member: Member, judged: list[Judgement]) -> None:
    """Write the marks of a sample, and what the reply of one that abstained gave all the same."""
    step.warehouse.insert(
        "judgement",
        [
            {**given_by(member, judgement), "justification_reason": judgement.justification_reason}
            for judgement in judged
            if judgement.status == "scored"
        ],
    )
    # What was asked again is told anew.
    step.warehouse.execute(
        "delete from incomplete_judgement where fingerprint = $fingerprint"
        " and (input_key, sample_no) in (select (unnest($keys), unnest($samples)))",
        {
            "fingerprint": member.fingerprint,
            "keys": [judgement.input_key for judgement in judged],
            "samples": [judgement.sample_no for judgement in judged],
        },
    )
    step.warehouse.insert(
        "incomplete_judgement",
        [
            {**given_by(member, judgement), "reason": judgement.reason or "the judge gave no reason"}
            for judgement in judged
            if judgement.status == "abstained"
        ],
    )


def given_by(member: Member, judgement: Judgement) -> Row:
    """Lay out what a judge gave of one sample, as both tables of judgements keep it."""
    return {
        "input_key": judgement.input_key,
        "fingerprint": member.fingerprint,
        "sample_no": judgement.sample_no,
        "medical_correctness": judgement.medical_correctness,
        "evidence_sufficiency_raw": judgement.evidence_sufficiency_raw,
        "response_alignment": judgement.response_alignment,
        "safety": judgement.safety,
        "justification": judgement.justification,
        "model_answered": judgement.model_answered,
        "n_left_out": judgement.n_left_out,
        "notes": "; ".join(judgement.notes) or None,
    }


def is_asked(run: RunRef) -> bool:
    """Return whether there is a judge; without one, say why to whoever watches."""
    panel = choose_panel(run.settings.judge)
    if isinstance(panel, NoJudge):
        watcher().say(f"no rubric scores: {panel.reason}")
        return False
    return True


def prepare(run: RunRef) -> None:
    """Brief the judges."""
    brief(run)
    run.warehouse.let_go("current_answer")  # which names what the judges are shown
    pin_members(run)


judge = Stage(
    STAGE, work, panel_spec, JUDGE, is_asked, prepare, retries=1, writes=("judge_input", "judgement")
)
