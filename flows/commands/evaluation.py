"""`medassay evaluate`."""

from pathlib import Path
from typing import Any

import click

from flows.commands.choices import CAPS, DATA, DECIDING, MODELS, PHI, PROFILE, RUN, with_options
from flows.commands.leaving import as_json, clear_errors


@click.command()
@DATA
@with_options(PROFILE)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SPEC",
    help="none | embedded | hf:<id or folder> | <base_url>#<model>; several, or one with commas, are a panel."
    "  [default: embedded where it is pulled]",
)
@click.option(
    "--samples", type=int, default=1, show_default=True, help="How often the judge is asked about an answer."
)
@click.option(
    "--listwise", is_flag=True, help="Have the judge compare a question's answers side by side too."
)
@with_options(PHI, *CAPS, *MODELS)
@click.option(
    "--entail-on",
    type=click.Choice(["here", "gpu"]),
    default="here",
    show_default=True,
    help="Read pairs here, or on the workers of the work pool `gpu`.",
)
@with_options(*DECIDING)
@click.option(
    "--sort-by",
    default="nugget_coverage",
    show_default=True,
    metavar="METRIC",
    help="Metric that sorts the leaderboard.",
)
@with_options(*RUN)
@click.option("--json", "machine", is_flag=True, help="Print the summary as one JSON object.")
def evaluate(
    machine: bool, no_wait: bool, data: Path, threshold: float, judges: tuple[str, ...], **chosen: Any
) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    from flows.terminal import print_leaderboard, watching

    with clear_errors():
        from models.chat.endpoint import parse_spec
        from models.settings import LOUD_THRESHOLD, Settings

        chosen["judge"] = ",".join(judges) or "auto"
        for spec in (*chosen["judge"].split(","), chosen["llm"], chosen["entailment"]):
            if spec != "auto":
                parse_spec(spec)
        Settings(str(data), threshold=threshold, **chosen)
        if threshold < LOUD_THRESHOLD:
            click.secho(
                f"WARNING: threshold {threshold} is below {LOUD_THRESHOLD}: "
                "sentences that merely share a topic will count as matches",
                err=True,
                fg="yellow",
                bold=True,
            )
        if not data.exists():
            from tasks.run import BadData

            raise BadData(
                f"{data}: no such file or folder; give a folder with questions.* and answers.*, or one file"
            )
        from flows.engine import leash_server, prepare_prefect

        prepare_prefect()
        if not machine:
            click.echo("starting Prefect …", err=True)
        leash_server()
        from flows.evaluate import evaluate as flow

        with watching():
            summary = flow(data=str(data.resolve()), threshold=threshold, wait=not no_wait, **chosen)
    if machine:
        click.echo(as_json(summary))
        return
    title = f"{summary['dataset']}: {summary['n_answers']} answers to {summary['n_questions']} questions"
    print_leaderboard(summary["leaderboard"], title)
    for notice in summary["notices"]:
        click.echo(notice)
    if summary["n_quarantined"]:
        click.echo(
            f"{summary['n_quarantined']} rows in quarantine, which --max-failed does not count:"
            ' medassay query "from quarantine"'
        )
    click.echo(f"report    {summary['report']}")
    click.echo(
        f"results   {Path(summary['snapshot']).parent.parent / 'results.duckdb'}  (run {summary['run_id']})"
    )
