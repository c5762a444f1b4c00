"""`medassay train reader | entailment | findings | judge | judge-gguf | jury-export | jury-import`."""

from pathlib import Path

import click

from medassay.flows.commands.judge_training import (
    judge_gguf_command,
    jury_export_command,
    jury_import_command,
    train_judge_command,
)
from medassay.flows.commands.leaving import NumberBetween, clear_errors
from medassay.flows.commands.reader_training import train_reader_command


@click.group()
def train() -> None:
    """Train the models of this project."""


for command in (
    train_reader_command,
    train_judge_command,
    judge_gguf_command,
    jury_export_command,
    jury_import_command,
):
    train.add_command(command)


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
@click.option(
    "--kept",
    default=0.5,
    show_default=True,
    type=NumberBetween(0, 1),
    help="Share of what those weights add that is kept at the start.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Processes that train together, a core each.",
)
def train_entailment(
    sets: Path,
    corpus: Path,
    out: Path,
    minutes: float,
    epochs: float,
    seed: int,
    start_from: Path | None,
    kept: float,
    workers: int,
) -> None:
    """Train the embedded entailment model's adapter; the base is the pulled all-mpnet-base-v2.

    Each set is a folder of SETS with train.jsonl(.gz) and perhaps dev.jsonl(.gz): id, premise, hypothesis, label.
    To use what was trained, put both files of OUT into models/entailment/weights.
    """
    with clear_errors():
        from medassay.models.entailment.loading import EMBEDDED_BASE
        from medassay.models.entailment.training.workers import train_together
        from medassay.models.registry import ensure

        out.mkdir(parents=True, exist_ok=True)
        record = train_together(
            workers,
            ensure(EMBEDDED_BASE),
            sets,
            corpus,
            out,
            minutes=minutes,
            epochs=epochs,
            seed=seed,
            start_from=start_from,
            kept=kept,
            say=click.echo,
        )
        click.echo(f"{out}: {record.get('dev_macro_f1', 'trained')}")


@train.command("findings")
@click.option(
    "--corpus", required=True, type=click.Path(path_type=Path, exists=True), help="Folder of articles."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="JSON file to write."
)
@click.option("--seed", default=17, show_default=True, help="Seed of which headings are kept.")
def train_findings(corpus: Path, out: Path, seed: int) -> None:
    """Learn what tells a finding from a method, from the headings of CORPUS's structured abstracts.

    The entailment model reads findings first. To use what was learnt, put OUT into models/entailment/weights as
    findings.json, and train the entailment model on it.
    """
    with clear_errors():
        from medassay.models.entailment.findings import write_findings
        from medassay.models.entailment.training.headings import examined, labelled_sentences, read_sections

        labelled = list(labelled_sentences(read_sections(corpus), seed))
        findings, right = examined(labelled)
        out.parent.mkdir(parents=True, exist_ok=True)
        write_findings(findings, out)
        click.echo(
            f"{out}: {len(findings.words)} words from {len(labelled)} sentences; "
            f"right on {right:.1%} of those of held-out articles"
        )
