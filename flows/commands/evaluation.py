"""`medassay evaluate`."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.alerts import alerting
from medassay.flows.commands.choices import GroupedCommand, evaluating
from medassay.flows.commands.exit_codes import clear_errors
from medassay.flows.commands.run_flow import run_flow
from medassay.flows.commands.run_output import (
    show_changes,
    show_leaderboard,
    show_notices,
    show_places,
    told,
)


@click.command(cls=GroupedCommand)
@evaluating
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
    machine: bool, no_wait: bool, data: Path, first_pass: bool | None, pull: bool, **chosen: Any
) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    with clear_errors(), alerting(f"evaluation of {data} ended red"):
        told(lambda: run_flow("evaluate", machine, no_wait, data, chosen, first_pass, pull), machine, show)


def show(summary: dict[str, Any]) -> None:
    """Print what a published run came to."""
    show_leaderboard(summary)
    show_changes(summary)
    show_notices(summary)
    show_places(summary)
