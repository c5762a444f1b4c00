"""Annotation sheets of a finished run: export and import."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medassay.models.keys import content_key
from medassay.models.people.active_selection import Choice, levels, next_labels
from medassay.models.people.sheets import (
    ANSWERS,
    ASPECTS,
    EVALUATIONS,
    OF_EVALUATIONS,
    Sheet,
    SheetUnreadable,
)
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Readable, Row, Warehouse, statement
from medassay.tasks.finished_runs import FinishedRun
from medassay.tasks.people.score_import import Taken, take_scores

Step = Literal["answers", "evaluations"]
Role = Literal["tune", "test"]
SHEETS: dict[Step, Sheet] = {"answers": ANSWERS, "evaluations": EVALUATIONS}
LETTERS: dict[Step, str] = {"answers": "a", "evaluations": "e"}
"""What the names of items begin with: twelve digits, or 1234e5678901, a spreadsheet would make a number of."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The rows of a sheet, how many cases the run has, and how many wait for the step before."""

    rows: tuple[Row, ...]
    n_cases: int
    n_waiting: int
    choice: Choice | None = None


def answer_item(dataset: str, question_id: str, system: str) -> str:
    """Name an answer on a sheet without saying whose it is."""
    return LETTERS["answers"] + content_key(["answer", dataset, question_id, system])[:12]


def evaluation_item(dataset: str, question_id: str, system: str, judge: str) -> str:
    """Name an evaluation on a sheet without saying whose it is."""
    return LETTERS["evaluations"] + content_key(["evaluation", dataset, question_id, system, judge])[:12]


def export_answers(
    warehouse: Warehouse, run: FinishedRun, annotator: str | None, next_n: int | None, metric: str
) -> Exported:
    """Return a sheet of the run's answers, systems unnamed, in an order that tells nothing.

    What the annotator scored before stands there. With `next_n`, only the answers whose scores would narrow the
    interval most: see `medassay.models.people.active_selection`.
    """
    answers = warehouse.rows(statement("statements/people/annotating/export_answers"), [run.run_id])
    scored = scores_of(warehouse, run.dataset, "answer", annotator)
    choice = None
    chosen = answers
    if next_n is not None:
        choice = choose_next(warehouse, run, answers, metric, next_n)
        chosen = [answers[place] for place in choice.items]
    rows = [
        {
            **answer,
            "item": answer_item(run.dataset, answer["question_id"], answer["system"]),
            **shown(scored.get((answer["question_id"], answer["system"], ""), {}), ASPECTS),
        }
        for answer in chosen
    ]
    return Exported(
        tuple(in_blind_order(rows, run.run_id) if choice is None else rows), len(answers), 0, choice
    )


def choose_next(warehouse: Readable, run: FinishedRun, answers: Sequence[Row], metric: str, n: int) -> Choice:
    """Choose the answers to label next by the automatic metric and what people have scored so far.

    Both scores are brought to 0 to 1 before they are held against each other.

    Raises:
        UsageError: when the run did not score the metric.
    """
    automatic = {
        (row["question_id"], row["system"]): row["value"]
        for row in warehouse.rows(
            "select question_id, system, avg(value) as value from mart.score"
            " where run_id = ? and metric = ? and value is not null and profile in ('any', ?) group by all",
            [run.run_id, metric, run.profile],
        )
    }
    if not automatic:
        known = [
            row["metric"]
            for row in warehouse.rows(
                "select distinct metric from mart.score where run_id = ? and value is not null order by metric",
                [run.run_id],
            )
        ]
        raise UsageError(
            f"--metric {metric}: not scored in run {run.run_id}; choose one of {', '.join(known)}"
        )
    top = 100.0 if max(automatic.values()) > 1 else 1.0
    means: dict[tuple[str, str], list[float]] = {}
    for (question_id, system, _), aspects in scores_of(warehouse, run.dataset, "answer", None).items():
        means.setdefault((question_id, system), []).extend(aspects.values())
    places = [(row["question_id"], row["system"]) for row in answers]
    residuals = {
        number: (sum(means[place]) / len(means[place]) - 1) / 4 - automatic[place] / top
        for number, place in enumerate(places)
        if place in means and place in automatic
    }
    done = {number: 0.0 for number, place in enumerate(places) if place in means and place not in automatic}
    strata = levels([automatic.get(place) for place in places])
    return next_labels(strata, [place[0] for place in places], {**done, **residuals}, n)


def export_evaluations(warehouse: Warehouse, run: FinishedRun, annotator: str) -> Exported:
    """Return a sheet of the run's evaluations of the answers that this annotator has scored on every aspect.

    Raises:
        UsageError: when there is no evaluation, or no answer was scored before.
    """
    cases = warehouse.rows(statement("statements/people/annotating/export_evaluations"), [run.run_id])
    if not cases:
        raise UsageError(f"run {run.run_id} has no evaluations: evaluate the data with a --judge first")
    ready = complete_answers(warehouse, run.dataset, annotator)
    scored = scores_of(warehouse, run.dataset, "evaluation", annotator)
    rows = [
        {
            **case,
            "item": evaluation_item(run.dataset, case["question_id"], case["system"], case["judge"]),
            **shown(scored.get((case["question_id"], case["system"], case["judge"]), {}), OF_EVALUATIONS),
        }
        for case in cases
        if (case["question_id"], case["system"]) in ready
    ]
    if not rows:
        raise UsageError(
            f"{annotator} has scored no answer of run {run.run_id} yet, and answers come first: "
            "medassay annotate export FILE, fill it in, medassay annotate import FILE"
        )
    return Exported(tuple(in_blind_order(rows, run.run_id)), len(cases), len(cases) - len(rows))


def complete_answers(warehouse: Warehouse, dataset: str, annotator: str) -> set[tuple[str, str]]:
    """Return the answers that an annotator has scored on every aspect."""
    return {
        (question_id, system)
        for (question_id, system, _), aspects in scores_of(warehouse, dataset, "answer", annotator).items()
        if set(ASPECTS) <= aspects.keys()
    }


def scores_of(
    warehouse: Readable, dataset: str, target: str, annotator: str | None
) -> dict[tuple[str, str, str], dict[str, float]]:
    """Return the scores that hold now, by answer and judge, then by aspect: of one annotator, or everybody's mean."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in warehouse.rows(
        "select question_id, system, judge, metric, avg(score) as score from human_score"
        " where dataset = $dataset and target = $target and score is not null and metric in (select unnest($aspects))"
        " and coalesce(annotator = $annotator, true) group by all",
        {"dataset": dataset, "target": target, "annotator": annotator, "aspects": list(OF_EVALUATIONS)},
    ):
        found.setdefault((row["question_id"], row["system"], row["judge"]), {})[row["metric"]] = row["score"]
    return found


def shown(scores: dict[str, float], aspects: Sequence[str]) -> dict[str, str]:
    """Return what an annotator filled in before."""
    return {name: f"{scores[name]:g}" for name in aspects if name in scores}


def in_blind_order(rows: list[Row], seed: str) -> list[Row]:
    """Order rows so that neither questions nor systems stand together."""
    ordered = sorted(rows, key=lambda row: str(row["item"]))
    random.Random(seed).shuffle(ordered)
    return ordered


def import_scores(
    warehouse: Warehouse,
    run: FinishedRun,
    step: Step,
    scores: dict[str, dict[str, float]],
    annotator: str,
    role: Role,
) -> Taken:
    """Take in the scores of a sheet; those of evaluations only where the annotator scored the answer before.

    Raises:
        SheetUnreadable: naming items that are not of this run, and evaluations that came before their answers.
    """
    cases = warehouse.rows(
        "select question_id, system, '' as judge from mart.answer where run_id = ?"
        if step == "answers"
        else "select distinct question_id, system, judge from mart.judgement where run_id = ?",
        [run.run_id],
    )
    places = {
        (
            answer_item(run.dataset, case["question_id"], case["system"])
            if step == "answers"
            else evaluation_item(run.dataset, case["question_id"], case["system"], case["judge"])
        ): case
        for case in cases
    }
    other_step: Step = "evaluations" if step == "answers" else "answers"
    if scores and all(item.startswith(LETTERS[other_step]) for item in scores):
        raise SheetUnreadable([f"its items are {other_step}: say --step {other_step}"])
    problems = [
        f"item {item}: not of run {run.run_id} ({run.dataset}); name its run with --run"
        for item in scores
        if item not in places
    ]
    if step == "evaluations":
        ready = complete_answers(warehouse, run.dataset, annotator)
        problems += [
            f"item {item}: {annotator} has not scored this answer on every aspect yet, and answers come first"
            for item in scores
            if item in places and (places[item]["question_id"], places[item]["system"]) not in ready
        ]
    other = {
        (row["question_id"], row["system"]): row["role"]
        for row in warehouse.rows(
            "select distinct question_id, system, role from human_score where dataset = ? and role <> ?",
            [run.dataset, role],
        )
    }
    problems += [
        f"item {item}: its answer is kept for {other[place]}, and no answer is both; say --role {other[place]}"
        for item in scores
        if item in places and (place := (places[item]["question_id"], places[item]["system"])) in other
    ]
    if problems:
        raise SheetUnreadable(problems)
    return take_scores(
        warehouse,
        run.dataset,
        [
            {
                "question_id": places[item]["question_id"],
                "system": places[item]["system"],
                "annotator": annotator,
                "metric": aspect,
                "target": "answer" if step == "answers" else "evaluation",
                "judge": places[item]["judge"],
                "role": role,
                "score": score,
            }
            for item, aspects in scores.items()
            for aspect, score in aspects.items()
        ],
        "sheet",
    )
