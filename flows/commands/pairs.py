"""`medassay entail`."""

from pathlib import Path

import click

from medassay.flows.commands.exit_codes import clear_errors


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the verdicts go, a line a pair."
)
@click.option(
    "--reader",
    "--entailment",
    "entailment",
    default="auto",
    show_default=True,
    metavar="SPEC",
    help="encoder | llm | cascade | auto | hf:<id or folder>.",
)
def entail(pairs: Path, out: Path, entailment: str) -> None:
    """Give every (premise, hypothesis) of PAIRS a label and its three probabilities."""
    with clear_errors():
        from medassay.tasks.nli.pairs import entail_file

        for line in entail_file(pairs, out, entailment):
            click.echo(line, err=True)
