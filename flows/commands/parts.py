"""`medassay part`: evaluate one part of a run, as a job of any scheduler."""

import click

from medassay.flows.commands.exit_codes import clear_errors


@click.command()
@click.argument("part")
def part(part: str) -> None:
    """Evaluate PART, a folder or URL that `medassay evaluate --on …` wrote, and write its rows beside it."""
    with clear_errors():
        from medassay.tasks.parts.evaluating import evaluate_part

        evaluate_part(part)
