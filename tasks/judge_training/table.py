"""The table of a training: every checkpoint, every ablation and every baseline on the same test cases."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.convergence import (
    PUBLISHED_AT_SIX_BY_EQUATION,
    PUBLISHED_AT_SIX_BY_TEXT,
    PUBLISHED_POINTS,
    SIXTH_ROUND,
    fit_curve,
)
from medassay.models.judge_training.folders import read_json, write_json
from medassay.models.judge_training.plan import Plan, read_splits
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.replies import judged
from medassay.models.judge_training.table import (
    Scored,
    TableRow,
    advantage,
    one_a_question,
    scored_by_rankings,
    summary_of,
    table_row,
)
from medassay.models.judge_training.training import STAGE_FILE, StageCard, card_of
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.steps import FITTING_FILE, ROUND_FILE, cards_of
from medassay.tasks.progress import watcher

TABLE_FILE = "table.json"
SIZES: dict[str, Literal[2, 3]] = {"accuracy_2tuple": 2, "accuracy_triple": 3}


def make_table(plan: Plan, base: Path) -> dict[str, Any]:
    """Judge the test cases with every checkpoint, and return table, summary, rounds and curves; kept in `table.json`.

    Raises:
        UsageError: where there is no test case with scores.
    """
    splits = read_splits(plan.data)
    cases = one_a_question(splits.test)
    if not cases:
        raise UsageError(f"{plan.data}: no test case has scores; nothing can be said of the judge")
    cards = cards_of(plan)
    scored = {name: _scored(plan, base, name, cases) for name in cards}
    rows = {name: table_row(one, cases) for name, one in scored.items()}
    others = [table_row(one, cases) for one in baselines(splits.train, cases)]
    found = {
        "name": plan.name,
        "preset": plan.preset.name,
        "judge": plan.last,
        "n_questions": len(cases),
        "gold": _told_of_gold(cases),
        **summary_of(rows, plan.last),
        "table": [{**row.as_dict(), "checkpoint": name, **_effort(plan, name)} for name, row in rows.items()]
        + [{**row.as_dict(), "checkpoint": None, "n_steps": None, "n_tokens": None} for row in others],
        "ablations": [_without(scored[plan.last], scored[name], cases) for name in plan.ablations],
        "rounds": rounds_of(plan),
        "stages": [
            {"checkpoint": name, "losses": card.losses, "n_rows": card.n_rows, "n_steps": card.n_steps,
             "seconds": card.seconds, "parent": card.parent, "model": card.model, "fitting": _fitting(plan, name)}
            for name, card in cards.items()
        ],
        "courses": {name: _course(plan, name) for name in (plan.last, *plan.ablations)},
        "convergence": convergence_of(rows, plan),
    }  # fmt: skip
    write_json(plan.folder / TABLE_FILE, found)
    return found


def rounds_of(plan: Plan) -> list[dict[str, Any]]:
    """Return the counts of each iteration of introspection."""
    files = [plan.stage("introspection", str(n)) / ROUND_FILE for n in range(1, plan.iterations + 1)]
    return [
        {"iteration": n, **read_json(file)["counts"]}
        for n, file in enumerate(files, start=1)
        if file.is_file()
    ]


def convergence_of(rows: dict[str, TableRow], plan: Plan) -> dict[str, Any]:
    """Return where further rounds would lead, of this training and of the paper's three points."""
    names = ["stage 3", *(f"introspection {n}" for n in range(1, plan.iterations + 1))]
    values = [rows[name].accuracy_triple.value for name in names if name in rows]
    ours = fit_curve([100 * value for value in values if value is not None])
    paper = fit_curve(PUBLISHED_POINTS)
    return {
        "ours": {
            "points": values,
            "limit": ours.limit,
            "low": ours.low,
            "high": ours.high,
            "reason": ours.reason,
        },
        "paper": {
            "points": PUBLISHED_POINTS,
            "refitted_limit": paper.limit,
            "refitted_at_six": paper.at(SIXTH_ROUND),
            "published_at_six_by_equation": PUBLISHED_AT_SIX_BY_EQUATION,
            "published_at_six_by_text": PUBLISHED_AT_SIX_BY_TEXT,
        },
    }


def _course(plan: Plan, name: str) -> list[dict[str, Any]]:
    """Return the stages that a checkpoint's weights went through, with their losses."""
    return [
        {"stage": card.stage, "n_steps": card.n_steps, "losses": card.losses} for card in _cards(plan, name)
    ]


def _cards(plan: Plan, name: str) -> list[StageCard]:
    files = [folder / STAGE_FILE for folder in plan.folders_until(name)]
    return [card_of(file) for file in files if file.is_file()]


def _effort(plan: Plan, name: str) -> dict[str, Any]:
    """Return the steps and tokens that a checkpoint's weights were trained for, from the base on."""
    cards = _cards(plan, name)
    tokens = [card.n_tokens for card in cards if card.n_tokens is not None]
    return {
        "n_steps": sum(card.n_steps for card in cards),
        "n_tokens": sum(tokens) if len(tokens) == len(cards) else None,
    }


def _without(judge: Scored, ablation: Scored, cases: Sequence[EvaluationCase]) -> dict[str, Any]:
    """Return how much more the judge gets right than it does without a part of the recipe."""
    found: dict[str, Any] = {"ablation": ablation.name, "judge": judge.name}
    for key, size in SIZES.items():
        estimate = advantage(judge, ablation, cases, size)
        found |= {key: estimate.value, f"{key}_low": estimate.low, f"{key}_high": estimate.high}
    return found


def _scored(plan: Plan, base: Path, name: str, cases: Sequence[EvaluationCase]) -> Scored:
    watcher().begin(f"judge with {name}", len(cases), len(cases))
    rankings = judged(plan.folder_of(name), base, cases)
    watcher().advance(f"judge with {name}", len(cases))
    scored = scored_by_rankings(name, cases, rankings)
    value = table_row(scored, cases).accuracy_2tuple.value
    watcher().end(f"judge with {name}", "" if value is None else f"2-tuple {value:.3f}")
    return scored


def _fitting(plan: Plan, name: str) -> dict[str, Any]:
    fitting: dict[str, Any] = read_json(plan.folder_of(name) / FITTING_FILE)
    return {**fitting, "refused": len(fitting["refused"])}


def _told_of_gold(cases: Sequence[EvaluationCase]) -> str:
    n = sum(case.gold is not None for case in cases)
    return (
        "gold scores"
        if n == len(cases)
        else f"gold scores of {n} of {len(cases)} cases, else the evaluator's"
    )
