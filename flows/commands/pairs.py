"""`medassay entail`."""

from pathlib import Path

import click

from flows.commands.leaving import clear_errors


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the verdicts go, a line a pair."
)
@click.option("--entailment", default="embedded", show_default=True, metavar="SPEC", help="Entailment model.")
def entail(pairs: Path, out: Path, entailment: str) -> None:
    """Give every (premise, hypothesis) of PAIRS a label and its three probabilities."""
    with clear_errors():
        from tasks.citations.pairs import entail_file

        for line in entail_file(pairs, out, entailment):
            click.echo(line, err=True)
