"""Training flow of a judge: data → curriculum → introspection → table → examination."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.utilities.annotations import quote
from pydantic import Field

from medassay.flows.artifacts import progress_on_run_page, report_link, show_table
from medassay.flows.engines.prefect_pool import EngineUnavailable
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import with_form, with_groups
from medassay.models.judge_training.introspection import Review
from medassay.models.judge_training.plan import ABLATIONS, TRAININGS, Plan
from medassay.models.judge_training.presets import preset_named, refuse_missing, refuse_without_data
from medassay.models.judge_training.training import STAGE_FILE, StageCard, card_of
from medassay.models.options import AtLeastOne
from medassay.models.report.training_page import write_training_page
from medassay.models.settings import Phi
from medassay.sql.home import home_folder
from medassay.tasks.judge_training.finishing import examine_judge, install_judge
from medassay.tasks.judge_training.source import held, reviewing, source_of_data, source_of_world
from medassay.tasks.judge_training.steps import (
    prepare,
    review_training,
    train_curriculum,
    train_here,
    train_introspection,
)
from medassay.tasks.judge_training.table import make_table
from medassay.tasks.progress import watcher

PresetName = Literal["tiny", "small", "paper", "paper-lora"]
TrainOn = Literal["here", "gpu"]
Ablation = Literal["no_chain", "no_curriculum", "no_introspection", "vanilla"]
JudgeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
N_WORLD_QUESTIONS = 450
GPU_STAGE = "train_stage/gpu-training"
N_ATTACKED_TINY = 1


@with_form
@flow(name="train_judge", validate_parameters=True, persist_result=False)
@with_failure_message
@with_groups(
    model=("base", "full", "epochs", "questions", "seed"),
    introspection=("plain_evaluator", "iterations", "introspect_at_most", "phi"),
    comparisons=("ablations", "unaided", "examine"),
    machine=("train_on",),
)
def train_judge(  # noqa: D417  what all flows take is added
    data: str | None = None,
    preset: PresetName = "tiny",
    name: JudgeName = "tiny",
    base: str | None = None,
    full: bool = False,
    epochs: float | None = None,
    evaluator: str | None = None,
    plain_evaluator: str | None = None,
    iterations: Annotated[int, Field(ge=0, le=9)] = 1,
    introspect_at_most: AtLeastOne = 200,
    ablations: tuple[Ablation, ...] = (),
    unaided: str | None = None,
    questions: AtLeastOne = N_WORLD_QUESTIONS,
    train_on: TrainOn = "here",
    examine: bool = True,
    seed: int = 17,
    phi: Phi = "block",
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Train a judge that compares answers, say how good it is, and keep it as `trained:NAME`.

    What is done already, from the same data and settings, is not done again; a stage that was killed goes on from its
    last checkpoint.

    Args:
        data: Folder that `judge-data` wrote; without one, a small invented world with scripted evaluators.
        preset: tiny (random weights, minutes on two cores), small, paper or paper-lora.
        name: Under which the judge is kept: `--judge trained:NAME`.
        base: Model to start from: a folder, a hub id, or a name of `medassay models list`.
        full: Train all weights where the preset would train an adapter.
        epochs: Passes over the cases of each stage; the preset's unless given.
        evaluator: Who suggests corrections, with passages from the knowledge stores; none, no introspection.
        plain_evaluator: Who accepts or rejects suggestions; the evaluator, without passages, unless given.
        iterations: How many times the judge is shown where its order differs from the reference, and trained again.
        introspect_at_most: Most training cases that are looked at in an iteration.
        ablations: What else to train for comparison, each for as many steps: no_chain, no_curriculum,
            no_introspection, vanilla.
        unaided: Folder of data made without the knowledge stores, for no_chain and vanilla.
        questions: How many questions the invented world has.
        train_on: `gpu` hands each stage to the GPU work pool; both machines have to see the home.
        examine: Whether the licence and the attacks are tried at the end.
        seed: Of draws, random weights and order.
        model: What is trained: its base, how long, and the draws.
        introspection: Rounds in which an evaluator corrects the judge where its order differs from the reference.
        comparisons: What the judge is held against at the end.
        machine: Where it is trained, and in which home.
    """
    folder = Path(home).absolute() if home else home_folder()
    chosen = preset_named(preset, base=base, full=full, epochs=epochs)
    if train_on == "here":
        refuse_missing(chosen)
    refuse_without_data(chosen, data)
    with progress_on_run_page(), ExitStack() as stack:
        source = stack.enter_context(
            source_of_data(data, unaided, evaluator, plain_evaluator)
            if data
            else source_of_world(
                folder,
                questions,
                seed,
                wait=wait,
                with_unaided=any("chain" in ABLATIONS[one] for one in ablations),
            )
        )
        if source.advisor is None and iterations:
            watcher().say("no introspection: nobody was named to suggest corrections (--evaluator)")
            iterations = 0
        if iterations == 0 and "no_introspection" in ablations:
            watcher().say("no ablation no_introspection: the judge itself is trained without introspection")
            ablations = tuple(one for one in ablations if one != "no_introspection")
        plan = Plan(
            name, folder / TRAININGS / name, source.data, chosen, seed, iterations, introspect_at_most,
            tuple(ablations), source.unaided,
        )  # fmt: skip
        train = train_here if train_on == "here" else train_on_gpu
        start = _step("base", prepare, plan)
        review = partial(reviewing, folder, source, phi, wait=wait)
        for one in (plan, *(plan.ablation(name) for name in plan.ablations)):
            _train(one, start, review, train)
        table = _step("table", make_table, plan, start)
        judge = _step("install", install_judge, plan, start, table)
        card: dict[str, Any] = {"licensed": False, "licence": "not examined"}
        if examine:
            with held(folder, wait) as warehouse:
                n_attacked = N_ATTACKED_TINY if preset == "tiny" else None
                card = _step("examination", examine_judge, warehouse, name, judge, n_attacked)
        page = write_training_page(folder / "reports" / f"judge-{name}.html", {**table, "card": card})
    summary = {
        **table, "licensed": card["licensed"], "licence": card["licence"], "card": card,
        "folder": str(judge), "report": str(page),
    }  # fmt: skip
    _show(summary)
    return summary


def _train(plan: Plan, start: Path, review: Callable[[], Any], train: Callable[[Path], StageCard]) -> None:
    """Train the whole recipe, or one ablation of it: the curriculum, then the rounds of introspection."""
    _step(plan.titled("curriculum"), train_curriculum, plan, start, train)
    for number in range(1, plan.iterations + 1):
        reviews: list[Review] = []
        if "introspection" not in plan.without:
            with review() as (reviewers, asked):
                name = plan.titled(f"review {number}")
                reviews, _ = _step(name, review_training, plan, start, number, reviewers, asked)
        name = plan.titled(f"introspection {number}")
        _step(name, train_introspection, plan, start, number, reviews, train)


@flow(name="train_stage", validate_parameters=True, persist_result=False)
def train_stage_flow(stage: str) -> dict[str, Any]:
    """Train one stage that a training elsewhere asks for, on the machine that takes it, and return its card.

    Args:
        stage: Folder of the stage, which both machines see under this path.
    """
    with progress_on_run_page():
        return asdict(train_here(Path(stage)))


def train_on_gpu(stage: Path) -> StageCard:
    """Have a worker of the GPU pool train a stage, and return its card.

    Raises:
        EngineUnavailable: where there is no server with the deployment, or the stage failed there.
    """
    from prefect.deployments import run_deployment
    from prefect.exceptions import ObjectNotFound

    try:
        run = cast(Any, run_deployment)(GPU_STAGE, parameters={"stage": str(stage)}, as_subflow=False)
    except ObjectNotFound:
        raise EngineUnavailable(
            f"there is no deployment {GPU_STAGE}: start `medassay serve --gpu-pool`, and set"
            " PREFECT_API_URL to its address"
        ) from None
    if not run.state.is_completed():
        raise EngineUnavailable(
            f"the GPU pool did not train {stage.name} ({run.state.message}): its run's page says why"
        )
    return card_of(stage / STAGE_FILE)


def _step(name: str, do: Callable[..., Any], *given: Any) -> Any:
    """Run a step as a task of its own; what it did before is in its folder."""
    return task(name=name, task_run_name=name, persist_result=False, cache_policy=NO_CACHE)(do)(
        *(quote(one) for one in given)
    )


def _show(summary: dict[str, Any]) -> None:
    """Show the table, the curves and where the judge lies on the run's page."""
    columns = (
        "judge",
        "format_valid",
        "accuracy_2tuple",
        "accuracy_triple",
        "accuracy_untied",
        "spearman",
        "icc",
    )
    rows = [{name: row[name] for name in columns} for row in summary["table"]]
    show_table(
        "judge-table", rows, f"{summary['name']} on {summary['n_questions']} questions it was not trained on"
    )
    curves = [
        {"stage": stage["checkpoint"], "step": step, "loss": loss}
        for stage in summary["stages"]
        for step, loss in stage["losses"]
    ]
    show_table("judge-losses", curves, "Loss on the evaluations, by stage")
    said = [f"### {summary['name']}: {summary['licence']}", "", f"- `--judge trained:{summary['name']}`"]
    create_markdown_artifact(
        key="judge", markdown="\n".join([*said, f"- page: {report_link(summary['report'])}"])
    )
