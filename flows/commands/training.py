"""`medassay train entailment`."""

from pathlib import Path

import click

from flows.commands.leaving import clear_errors


@click.group()
def train() -> None:
    """Train the models of this project."""


@train.command("entailment")
@click.option(
    "--sets", required=True, type=click.Path(path_type=Path, exists=True), help="Folder of labelled sets."
)
@click.option(
    "--corpus", required=True, type=click.Path(path_type=Path, exists=True), help="Folder of abstracts."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where adapter and config go.")
@click.option("--minutes", default=60.0, show_default=True, help="Stop after this long.")
@click.option("--epochs", default=3.0, show_default=True, help="Passes over the pairs.")
@click.option("--seed", default=17, show_default=True, help="Seed of sampling and initial weights.")
@click.option(
    "--start-from",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="An adapter.safetensors to go on from; its cue reader is fitted anew.",
)
def train_entailment(
    sets: Path, corpus: Path, out: Path, minutes: float, epochs: float, seed: int, start_from: Path | None
) -> None:
    """Train the embedded entailment model's adapter; the base is the pulled all-mpnet-base-v2.

    Each set is a folder of SETS with train.jsonl(.gz) and perhaps dev.jsonl(.gz): id, premise, hypothesis, label.
    To use what was trained, put both files of OUT into models/entailment/weights.
    """
    with clear_errors():
        from models.entailment.loading import EMBEDDED_BASE
        from models.entailment.training.run import train as run
        from models.registry import ensure

        out.mkdir(parents=True, exist_ok=True)
        record = run(
            ensure(EMBEDDED_BASE),
            sets,
            corpus,
            out,
            minutes=minutes,
            epochs=epochs,
            seed=seed,
            start_from=start_from,
            say=click.echo,
        )
        click.echo(f"{out}: {record.get('dev_macro_f1', 'trained')}")
