"""The steps of a training: what is done already is found in its folder, and a watcher is told of the rest."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from medassay.models.judge_training.bases import prepare_base
from medassay.models.judge_training.fitting import Fitted, Target, fit_rows
from medassay.models.judge_training.folders import built, folder_digest, read_json, write_json
from medassay.models.judge_training.introspection import (
    Review,
    Reviewers,
    Round,
    counts_of,
    introspect,
    read_reviews,
    revise,
    targets_of,
    write_reviews,
)
from medassay.models.judge_training.plan import (
    DATA_FILE,
    REVIEWS_FILE,
    STAGES,
    Plan,
    curriculum_targets,
    read_splits,
    texts_of,
)
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.replies import Speaker, evaluations_of
from medassay.models.judge_training.stage_requests import train_requested, write_request
from medassay.models.judge_training.training import STAGE_FILE, StageCard, card_of
from medassay.models.keys import content_key
from medassay.tasks.judge_training.jury_votes import with_votes
from medassay.tasks.progress import watcher

FITTING_FILE, ROUND_FILE = "fitting.json", "round.json"
Train = Callable[[Path], StageCard]


def prepare(plan: Plan) -> Path:
    """Return the folder of the base, made where it has to be."""
    watcher().begin("base", 1, 1)
    write_json(plan.folder / DATA_FILE, {"data": str(plan.data)})
    base = prepare_base(plan.preset, texts_of(read_splits(plan.data)), plan.base, plan.seed)
    watcher().end("base", "")
    return base


def request_stage(
    plan: Plan,
    base: Path,
    parent: Path,
    out: Path,
    stage: str,
    targets: Sequence[Target],
    *,
    steps: int | None = None,
) -> Path:
    """Fit targets to the tokens that there are and write the stage's request; what was refused is in `fitting.json`."""
    from transformers import AutoTokenizer

    watcher().begin(f"fit {stage}", len(targets), len(targets))
    fitted = fit_rows(
        targets,
        AutoTokenizer.from_pretrained(parent),
        plan.preset.max_tokens,
        lambda count: watcher().advance(f"fit {stage}", count),
    )
    watcher().end(f"fit {stage}", _told_of_fit(fitted))
    write_json(
        out / FITTING_FILE,
        {
            "n_rows": len(fitted.rows),
            "n_shortened": fitted.n_shortened,
            "refused": [list(one) for one in fitted.refused],
        },
    )
    preset = replace(plan.preset, steps=steps)
    return write_request(out, stage, preset, base, parent, fitted.rows, plan.seed)


def train_here(out: Path) -> StageCard:
    """Train a requested stage on this machine; its steps are told to the watcher."""
    stage = f"train {read_json(out / 'request.json')['stage']}"
    done = 0

    def on_step(step: int, n_steps: int, loss: float | None) -> None:
        nonlocal done
        if done == 0:
            watcher().begin(stage, n_steps, n_steps)
        watcher().advance(stage, max(0, step - done))
        done = max(done, step)

    card = train_requested(out, on_step)
    if done:
        watcher().end(stage, f"loss {card.losses[-1][1]:.3f}" if card.losses else "")
    return card


def train_curriculum(plan: Plan, base: Path, train: Train = train_here) -> list[StageCard]:
    """Train the three stages, each from the one before; without a curriculum one stage on everything."""
    if plan.before_introspection.parent != plan.stage("curriculum"):
        return []
    cards, parent = [], base
    for stage, targets in curriculum_targets(read_splits(plan.data), plan.seed, plan.stages).items():
        out = plan.stage("curriculum", stage)
        title, steps = plan.titled(f"stage {stage}"), steps_of_whole(plan, "curriculum", stage)
        cards.append(train(request_stage(plan, base, parent, out, title, targets, steps=steps)))
        parent = out / "model"
    return cards


def steps_of_whole(plan: Plan, kind: str, stage: str) -> int | None:
    """Return the steps of the whole recipe in the place of an ablation's stage; None where the plan is the whole one.

    A single stage in place of a curriculum gets the steps of all its stages.
    """
    if plan.whole is None:
        return None
    names = plan.whole.stages if kind == "curriculum" and len(plan.stages) == 1 else (stage,)
    files = [plan.whole.stage(kind, name) / STAGE_FILE for name in names]
    return sum(card_of(file).n_steps for file in files if file.is_file()) or None


def review_training(
    plan: Plan, base: Path, iteration: int, reviewers: Reviewers, asked: dict[str, Any]
) -> tuple[list[Review], Round]:
    """Have the evaluators review training cases that the judge orders differently; done already, it is read back.

    `asked` says who the reviewers are; with others, or other documents, cases are reviewed anew.
    """
    parent = parent_of(plan, iteration)
    cases = reviewed_cases(plan)
    out = plan.stage("introspection", str(iteration))
    key = content_key({"model": folder_digest(parent), "cases": [case.case_id for case in cases], **asked})
    kept = out / ROUND_FILE
    if kept.is_file() and (read := read_json(kept))["key"] == key:
        reviews = _after_the_jury(out, cases, reviewers)
        known = built(Round, read["counts"])
        found = counts_of(reviews, known.n_judged, known.n_unreadable)
        write_json(kept, {"key": key, "counts": asdict(found)})
        return reviews, found
    name = plan.titled(f"introspection {iteration}")
    watcher().begin(name, len(cases), len(cases))
    own = evaluations_of(Speaker(parent, base), cases)
    reviews, found = introspect(cases, own, reviewers, lambda count: watcher().advance(name, count))
    write_reviews(out / REVIEWS_FILE, reviews)
    write_json(kept, {"key": key, "counts": asdict(found)})
    watcher().end(
        name, f"{found.n_differing} of {found.n_judged} differ, {sum(found.accepted_in_round)} accepted"
    )
    return reviews, found


def _after_the_jury(out: Path, cases: Sequence[EvaluationCase], reviewers: Reviewers) -> list[Review]:
    """Return an iteration's reviews with what people have decided since; what they accepted gets its revision."""
    file = out / REVIEWS_FILE
    before = read_reviews(file)
    reviews = revise(with_votes(file), cases, reviewers)
    if reviews != before:
        write_reviews(file, reviews)
    return reviews


def train_introspection(
    plan: Plan, base: Path, iteration: int, reviews: Sequence[Review], train: Train = train_here
) -> StageCard:
    """Train on the revisions, with the strong cases of the last stage beside them, so that nothing is unlearnt.

    Without introspection there are no reviews, and these steps are made on the cases of the last stage alone.
    """
    splits = read_splits(plan.data)
    stages = plan.stages if "introspection" in plan.without else STAGES
    targets = [*targets_of(reviews, splits.train), *curriculum_targets(splits, plan.seed, stages)[stages[-1]]]
    out = plan.stage("introspection", str(iteration))
    title = plan.titled(f"introspection {iteration}")
    steps = steps_of_whole(plan, "introspection", str(iteration))
    rate = plan.preset.learning_rate * plan.preset.introspection_rate
    slower = replace(plan, preset=replace(plan.preset, learning_rate=rate, epochs=1))
    return train(request_stage(slower, base, parent_of(plan, iteration), out, title, targets, steps=steps))


def parent_of(plan: Plan, iteration: int) -> Path:
    """Return the model that an iteration of introspection begins with."""
    if iteration == 1:
        return plan.before_introspection / "model"
    return plan.stage("introspection", str(iteration - 1)) / "model"


def reviewed_cases(plan: Plan) -> list[EvaluationCase]:
    """Return the training cases that are reviewed: the strong evaluator's, at most as many as the plan says."""
    scored = [case for case in read_splits(plan.data).strong if case.scores is not None]
    drawn = sorted(scored, key=lambda case: content_key([plan.seed, case.case_id]))
    return drawn[: plan.introspect_at_most]


def cards_of(plan: Plan) -> dict[str, StageCard]:
    """Return the cards of every checkpoint that is there, by its name."""
    found = {name: plan.folder_of(name) / STAGE_FILE for name in plan.checkpoint_names()}
    return {name: card_of(file) for name, file in found.items() if file.is_file()}


def _told_of_fit(fitted: Fitted) -> str:
    said = [f"{len(fitted.rows)} rows"]
    if fitted.n_shortened:
        said.append(f"{fitted.n_shortened} with shortened answers")
    if fitted.refused:
        said.append(f"{len(fitted.refused)} refused ({fitted.refused[0][1]})")
    return ", ".join(said)
