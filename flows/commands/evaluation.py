"""`medassay evaluate`."""

from pathlib import Path
from typing import Any

import click

from flows.commands.choices import (
    CAPS,
    DATA,
    DECIDING,
    MODELS,
    PHI,
    PRIMARY_METRICS,
    PROFILE,
    RUN,
    with_options,
)
from flows.commands.leaving import as_json, clear_errors
from flows.commands.starting import run_flow


@click.command()
@DATA
@with_options(PROFILE)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SPEC",
    help="none | embedded[:quick] | hf:<id, folder or GGUF file> | <base_url>#<model>; several, or one with commas, are"
    " a panel; `,temperature=0.7` behind one that writes draws its replies.  [default: embedded where it is pulled]",
)
@click.option(
    "--samples", type=int, default=1, show_default=True, help="How often the judge is asked about an answer."
)
@click.option(
    "--listwise",
    is_flag=True,
    help="Have the judge, of a panel the first that writes, compare a question's answers side by side too.",
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
@with_options(PRIMARY_METRICS, *RUN)
@click.option("--json", "machine", is_flag=True, help="Print the summary as one JSON object.")
def evaluate(machine: bool, no_wait: bool, data: Path, judges: tuple[str, ...], **chosen: Any) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    from tasks.summary import TooManyFailed

    with clear_errors():
        chosen["judge"] = ",".join(judges) or "auto"
        try:
            summary = run_flow("evaluate", machine, no_wait, data, chosen)
        except TooManyFailed as over:
            if over.summary is not None:
                show(over.summary, machine)
            raise
    show(summary, machine)


def show(summary: dict[str, Any], machine: bool) -> None:
    """Print what a published run came to, for a person or for a machine."""
    from flows.terminal import print_leaderboard
    from models.counting import counted

    if machine:
        click.echo(as_json(summary))
        return
    answers, questions = counted(summary["n_answers"], "answer"), counted(summary["n_questions"], "question")
    print_leaderboard(summary["leaderboard"], f"{summary['dataset']}: {answers} to {questions}")
    for notice in summary["notices"]:
        click.echo(notice)
    if summary["n_quarantined"]:
        rows = counted(summary["n_quarantined"], "row")
        click.echo(
            f'{rows} in quarantine, which --max-failed does not count: medassay query "from quarantine"'
        )
    click.echo(f"report    {summary['report']}")
    click.echo(
        f"results   {Path(summary['snapshot']).parent.parent / 'results.duckdb'}  (run {summary['run_id']})"
    )
