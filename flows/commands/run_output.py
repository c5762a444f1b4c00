"""Output of a command at the end of its run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json

Summary = dict[str, Any]


def told(run: Callable[[], Summary], machine: bool, show: Callable[[Summary], None]) -> Summary:
    """Run, print what came of it, for a machine as one JSON object, and return it; where too much failed, print it too.

    Raises:
        TooManyFailed: after what was measured is printed.
    """
    from medassay.tasks.summary import summary_and_failure

    summary, over = summary_and_failure(run)
    if machine:
        click.echo(as_json(summary))
    else:
        show(summary)
    if over:
        raise over
    return summary


def show_first_pass(summary: Summary) -> None:
    """Print what the encoder alone read, and what comes now."""
    show_leaderboard(summary, ": a first pass, read by the encoder alone")
    show_places(summary)
    click.echo(
        "the language model now reads what the encoder was not sure of; stopped here, the first pass stands",
        err=True,
    )


def show_changes(summary: Summary) -> None:
    """Print how many verdicts of the first pass the run changed, where there was one."""
    from medassay.flows.first_pass import told as told_changes

    if summary.get("first_pass"):
        click.echo(told_changes(summary["first_pass"]))


def show_leaderboard(summary: Summary, remark: str = "") -> None:
    """Print every system's metrics, under a title that ends in the remark."""
    from medassay.flows.terminal.run import print_leaderboard
    from medassay.models.counting import counted

    answers, questions = counted(summary["n_answers"], "answer"), counted(summary["n_questions"], "question")
    print_leaderboard(summary["leaderboard"], f"{summary['dataset']}: {answers} to {questions}{remark}")


def show_notices(summary: Summary) -> None:
    """Print what the numbers leave out: what abstained, failed or went to quarantine."""
    from medassay.flows.terminal.console import visible
    from medassay.models.counting import counted

    for notice in summary["notices"]:
        click.echo(visible(notice))
    if summary["n_quarantined"]:
        rows = counted(summary["n_quarantined"], "row")
        click.echo(
            f'{rows} in quarantine, which --max-failed does not count: medassay query "from quarantine"'
        )


def show_places(summary: Summary) -> None:
    """Print where the report and the results are."""
    click.echo(f"report    {summary['report']}")
    click.echo(
        f"results   {Path(summary['snapshot']).parent.parent / 'results.duckdb'}  (run {summary['run_id']})"
    )
