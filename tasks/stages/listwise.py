"""Stage `listwise`: rankings of a question's answers in balanced orders."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from medassay.models.attribution import JUDGE
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.judges.choosing import NoJudge, choose_panel, endpoint_asked, judges_named
from medassay.models.judges.listwise.judge import (
    FEWEST_ANSWERS,
    MOST_ANSWERS,
    ListwiseInput,
    ListwiseJudge,
    Ranking,
)
from medassay.models.keys import content_key
from medassay.models.phi.guard import guard_texts
from medassay.models.phi.placeholders import restored
from medassay.models.settings import Settings
from medassay.models.specs import TRAINED
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Row
from medassay.tasks.phi import Looked, audit, named_in_questions, policy_at, refuse_findings
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.judge import CONCURRENCY
from medassay.tasks.stages.stage import Stage, Step

STAGE = "listwise"
BATCH = 64


def endpoint_of_judge(settings: Settings) -> Endpoint | str:
    """Return whom to ask: the first judge of the panel that can write; else why nobody can.

    A judge that was trained here does nothing else, and is asked without `--listwise` too.
    """
    if settings.judge.strip().startswith(TRAINED):
        return endpoint_named(settings.judge, "judge")
    if not settings.listwise:
        return "no comparison was asked for (--listwise)"
    panel = choose_panel(settings.judge)
    if isinstance(panel, NoJudge):
        return panel.reason
    able = [endpoint for judge in panel if (endpoint := endpoint_asked(judge)) is not None]
    return (
        able[0]
        if able
        else "marks from evidence compare nobody: name a judge with --judge <base_url>#<model>"
    )


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the judge, its prompt and its parameters, or why there is none."""
    endpoint = endpoint_of_judge(settings)
    if isinstance(endpoint, str):
        return {"judge": "none", "reason": endpoint}
    asked = {**ListwiseJudge(endpoint).fingerprint, "kind": STAGE, "judge": endpoint.label}
    return {**asked, "phi": "redact"} if policy_at(settings, endpoint) == "redact" else asked


def brief(run: RunRef) -> list[str]:
    """Write down which answers are compared; return the questions with too few or too many of them."""
    left_out, inputs = [], []
    for row in run.warehouse.rows("from listwise_material order by question_id"):
        if not FEWEST_ANSWERS <= len(row["answers"]) <= MOST_ANSWERS:
            left_out.append(row["question_id"])
            continue
        answers = tuple((answer["system"], answer["text"]) for answer in row["answers"])
        inputs.append(ListwiseInput(row["question_id"], row["question"], answers))
    run.warehouse.insert(
        "listwise_input",
        [{"input_key": i.input_key, "input": json.dumps(asdict(i), ensure_ascii=False)} for i in inputs],
    )
    run.warehouse.insert(
        "run_listwise_input",
        [{"run_id": run.run_id, "question_id": i.question_id, "input_key": i.input_key} for i in inputs],
    )
    return left_out


def input_from(row: Row) -> ListwiseInput:
    """Read a stored input back; its own key stands in for the question, which may be another run's."""
    fields = json.loads(row["input"])
    return ListwiseInput(
        row["item_key"], fields["question"], tuple((s, text) for s, text in fields["answers"])
    )


def work(step: Step) -> None:
    """Ask for a ranking of each question's answers in every order."""
    endpoint = endpoint_of_judge(step.settings)
    if isinstance(endpoint, str):
        raise ValueError(f"nobody to ask: {endpoint}")
    ledger = ledger_for(step)
    cap = cap_for(step.run, endpoint)
    pending = guarded(step, endpoint, [input_from(row) for row in step.pending()])
    with reachable(endpoint) as served:
        judge = ListwiseJudge(served, home_secret(Path(step.run.home)))
        for start in range(0, len(pending), BATCH):
            batch = pending[start : start + BATCH]
            found = judge.compare([shown for shown, _ in batch], ledger, concurrency=CONCURRENCY, cap=cap)
            for shown, meaning in batch:
                of_question = [r for r in found if r.question_id == shown.question_id]
                store(step, shown.question_id, of_question, meaning)
            step.advance(len(batch))
    note_cap(step, cap)


def guarded(
    step: Step, endpoint: Endpoint, inputs: Sequence[ListwiseInput]
) -> list[tuple[ListwiseInput, Mapping[str, str]]]:
    """Return inputs as they may leave, and what their placeholders mean; every one has its audit line.

    Raises:
        PhiFound: under `block`, when anything was found in any of them; none was sent then.
    """
    policy = policy_at(step.settings, endpoint)
    if policy is None:
        return [(shown, {}) for shown in inputs]
    # Neither profiles nor messages are shown, which may be all that says of a name that it is the patient's.
    known = named_in_questions(step.run)
    clean: list[tuple[ListwiseInput, Mapping[str, str]]] = []
    looked: list[Looked] = []
    for shown in inputs:
        texts = {"question": shown.question, **{f"answer of {s}": text for s, text in shown.answers}}
        counts, kept, meaning = guard_texts(texts, "allow" if policy == "block" else policy, known)
        answers = tuple((system, kept[f"answer of {system}"]) for system, _ in shown.answers)
        leaves = replace(shown, question=kept["question"], answers=answers)
        clean.append((leaves, meaning))
        looked.append(Looked(shown.question_id, leaves.input_key, counts, meaning))
    audit(step, endpoint, policy, looked)
    if policy == "block":
        refuse_findings(step, endpoint, "the answers", looked)
    return clean


def store(step: Step, input_key: str, rankings: Sequence[Ranking], meaning: Mapping[str, str]) -> None:
    """Write a question's orders, unless one failed for a reason of the world: then all are asked for again.

    Where the reply to one could not be used, the question is set aside with the reason until `--retry`.
    """
    failed = [ranking for ranking in rankings if ranking.status == "failed"]
    if failed:
        step.set_aside(input_key, "failed", failed[0].reason or "the judge was not reached")
        return
    if unread := [ranking for ranking in rankings if ranking.points is None]:
        step.set_aside(
            input_key,
            "abstained",
            f"{len(unread)} of {len(rankings)} orders have no points: {unread[0].reason}",
        )
    # What was asked again is told anew.
    step.warehouse.execute(
        "delete from listwise_ranking where input_key = ? and fingerprint = ?", [input_key, step.fingerprint]
    )
    step.warehouse.insert(
        "listwise_ranking",
        [
            {
                "input_key": input_key,
                "fingerprint": step.fingerprint,
                "order_no": ranking.order_no,
                "systems": list(ranking.systems),
                "points": list(ranking.points) if ranking.points else None,
                "rationale": restored(ranking.rationale, meaning) if ranking.rationale else None,
                "reason": ranking.reason,
                "model_answered": ranking.model_answered,
                "n_left_out": list(ranking.n_left_out),
                "is_strict": ranking.is_strict,
            }
            for ranking in rankings
        ],
    )


def is_asked(run: RunRef) -> bool:
    """Return whether a comparison was asked for and somebody can make it; where only the judge is missing, why."""
    endpoint = endpoint_of_judge(run.settings)
    if isinstance(endpoint, str) and run.settings.listwise:
        watcher().say(f"no comparison of answers: {endpoint}")
    return not isinstance(endpoint, str)


def prepare(run: RunRef) -> None:
    """Brief the judge on the answers of each question."""
    endpoint = endpoint_of_judge(run.settings)
    if isinstance(endpoint, str):
        raise ValueError(f"nobody to ask: {endpoint}")
    if len(judges_named(run.settings.judge)) > 1:
        watcher().say(f"of the panel, {endpoint.label} alone compares answers side by side")
    judge = ListwiseJudge(endpoint, home_secret(Path(run.home)))
    of_run = {"run_id": run.run_id, "judge": endpoint.label, "judge_key": content_key(judge.fingerprint)}
    run.warehouse.insert("run_comparing_judge", [of_run])
    if left_out := brief(run):
        watcher().say(
            f"{len(left_out)} questions are not compared side by side: only {FEWEST_ANSWERS} to {MOST_ANSWERS} "
            f"answers can be; the first is {left_out[0]}"
        )


listwise = Stage(
    STAGE, work, spec, JUDGE, is_asked, prepare, retries=1, writes=("listwise_input", "listwise_ranking")
)
