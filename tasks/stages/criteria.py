"""Stage `criteria`: verdicts on weighted criteria, several of one answer a request."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medassay.models.attribution import JUDGE
from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import reachable
from medassay.models.judges.choosing import NoJudge, choose_panel, endpoint_asked
from medassay.models.judges.criteria.judge import CriteriaInput, CriteriaJudge, Verdict
from medassay.models.settings import Settings
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Row
from medassay.tasks.phi import guarded_requests, policy_at
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.judge import CONCURRENCY
from medassay.tasks.stages.stage import Stage, Step

STAGE = "criteria"
ANSWERS_AT_ONCE = 256
Verdicts = dict[str, Verdict]


def endpoint_of_judge(settings: Settings) -> Endpoint | str:
    """Return whom to ask: the first judge of the panel that writes; else why nobody can."""
    panel = choose_panel(settings.judge)
    if isinstance(panel, NoJudge):
        return panel.reason
    able = [endpoint for judge in panel if (endpoint := endpoint_asked(judge)) is not None]
    return (
        able[0]
        if able
        else "marks from evidence cannot judge criteria: name a judge with --judge <base_url>#<model>"
    )


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the judge, its prompt and its parameters, or why there is none."""
    endpoint = endpoint_of_judge(settings)
    if isinstance(endpoint, str):
        return {"judge": "none", "reason": endpoint}
    asked = {
        **CriteriaJudge(endpoint, settings.criteria_per_call).fingerprint,
        "kind": STAGE,
        "judge": endpoint.label,
    }
    return {**asked, "phi": "redact"} if policy_at(settings, endpoint) == "redact" else asked


def material(run: RunRef) -> list[tuple[Row, CriteriaInput]]:
    """Return each answer with a pending criterion, and what the judge is shown of it."""
    return [
        (
            row,
            CriteriaInput(
                row["answer_key"],
                row["question"],
                row["answer"],
                tuple(one["text"] for one in row["criteria"]),
            ),
        )
        for row in run.warehouse.rows("from criteria_material")
    ]


def judge_of(run: RunRef, endpoint: Endpoint) -> CriteriaJudge:
    """Return the judge of a run as it asks at an endpoint."""
    return CriteriaJudge(endpoint, run.settings.criteria_per_call, home_secret(Path(run.home)))


def work(step: Step) -> None:
    """Ask for verdicts on criteria; an unusable one is asked for once more, alone."""
    named = endpoint_of_judge(step.settings)
    if isinstance(named, str):
        raise ValueError(f"nobody to ask: {named}")
    ledger, cap = ledger_for(step), cap_for(step.run, named)
    pending = {row["item_key"] for row in step.pending()}
    shown = material(step.run)
    with reachable(named) as endpoint:
        judge = judge_of(step.run, endpoint)

        def ask(requests: Sequence[Request[Verdicts]]) -> list[Outcome[Verdicts]]:
            guarded = guarded_requests(step, endpoint, requests)
            return ask_all(guarded, endpoint, ledger, concurrency=CONCURRENCY, cap=cap)

        for start in range(0, len(shown), ANSWERS_AT_ONCE):
            batch = shown[start : start + ANSWERS_AT_ONCE]
            parts = [(one, part) for _, one in batch for part in judge.parts(one)]
            told = dict(zip(parts, ask([judge.request(one, part) for one, part in parts]), strict=True))
            alone = [
                (one, (criterion,))
                for (one, part), outcome in told.items()
                for criterion in part
                if len(part) > 1 and outcome.status != "failed" and criterion not in (outcome.value or {})
            ]
            told |= dict(zip(alone, ask([judge.request(one, part) for one, part in alone]), strict=True))
            with step.warehouse.transaction():
                for row, one in batch:
                    store(step, row, {part: o for (of, part), o in told.items() if of is one}, pending)
    note_cap(step, cap)


def store(step: Step, row: Row, told: dict[tuple[str, ...], Outcome[Verdicts]], pending: set[str]) -> None:
    """Write the verdicts on an answer's pending criteria, and set aside those that have none with the reason.

    Of a criterion that was asked about twice the second asking, alone, counts.
    """
    key, verdicts = row["answer_key"], []
    of_criterion = {criterion: outcome for part, outcome in told.items() for criterion in part}
    for one in row["criteria"]:
        outcome, item_key = of_criterion[one["text"]], key + one["text_key"]
        if item_key not in pending:
            continue
        verdict = (outcome.value or {}).get(one["text"])
        if verdict is None:
            state = "failed" if outcome.status == "failed" else "abstained"
            step.set_aside(
                item_key, state, outcome.reason or "the judge gave no sound verdict", outcome.n_sent
            )
            continue
        verdicts.append(
            {
                "answer_key": key,
                "text_key": one["text_key"],
                "fingerprint": step.fingerprint,
                "met": verdict.met,
                "evidence": verdict.evidence,
                "span_start": verdict.span and verdict.span.start,
                "span_end": verdict.span and verdict.span.end,
                "note": verdict.note,
                "model_answered": next(
                    (c.model_answered for c in reversed(outcome.calls) if c.model_answered), None
                ),
            }
        )
    step.warehouse.insert("criterion_verdict", verdicts)
    step.advance(sum(key + one["text_key"] in pending for one in row["criteria"]))


def is_asked(run: RunRef) -> bool:
    """Return whether the run has criteria and somebody to judge them; where only the judge is missing, why."""
    n_criteria = run.warehouse.value("select count(*) from criteria_items")
    endpoint = endpoint_of_judge(run.settings)
    if n_criteria and isinstance(endpoint, str):
        watcher().say(f"no criteria are judged: {endpoint}")
    return bool(n_criteria) and not isinstance(endpoint, str)


criteria = Stage(STAGE, work, spec, JUDGE, is_asked, retries=1, writes=("criterion_verdict",))
