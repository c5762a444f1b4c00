"""`medassay evaluate`."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.choices import (
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
from medassay.flows.commands.exit_codes import clear_errors
from medassay.flows.commands.run_flow import run_flow
from medassay.flows.commands.run_output import (
    show_changes,
    show_leaderboard,
    show_notices,
    show_places,
    told,
)


@click.command()
@DATA
@with_options(PROFILE)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SPEC",
    help="evidence | none | trained:<name> | hf:<id, folder or GGUF file> | <base_url>#<model>; several, or"
    " one with commas, are a panel; `,temperature=0.7` behind one that writes draws its replies."
    "  [default: evidence, marks made of what was read]",
)
@click.option(
    "--samples", type=int, default=1, show_default=True, help="How often the judge is asked about an answer."
)
@click.option(
    "--listwise",
    is_flag=True,
    help="Have the judge, of a panel the first that writes, compare a question's answers side by side too.",
)
@click.option(
    "--criteria-per-call",
    type=int,
    default=8,
    show_default=True,
    help="How many criteria of one answer the judge is asked about in a call.",
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
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar='FIELD="HEADING"',
    help='What a heading in the data means, as reference_answer="Gold Answer"; may be repeated.',
)
@click.option(
    "--first-pass/--no-first-pass",
    "first_pass",
    default=None,
    envvar="MEDASSAY_FIRST_PASS",
    help="Show what the encoder alone reads, as a run of its own, before the cascade reads.  [default: on a terminal]",
)
@click.option(
    "--pull",
    is_flag=True,
    help="Fetch the models that are not here; the language model meanwhile, where there is a first pass.",
)
@click.option("--json", "machine", is_flag=True, help="Print the summary as one JSON object.")
def evaluate(
    machine: bool,
    no_wait: bool,
    data: Path,
    judges: tuple[str, ...],
    first_pass: bool | None,
    pull: bool,
    **chosen: Any,
) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    with clear_errors():
        chosen["judge"] = ",".join(judges) or "auto"
        told(lambda: run_flow("evaluate", machine, no_wait, data, chosen, first_pass, pull), machine, show)


def show(summary: dict[str, Any]) -> None:
    """Print what a published run came to."""
    show_leaderboard(summary)
    show_changes(summary)
    show_notices(summary)
    show_places(summary)
