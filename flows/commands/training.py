"""`medassay train reader | entailment | label | findings | judge | judge-gguf | jury-export | jury-import`."""

from pathlib import Path

import click

from medassay.flows.commands.exit_codes import clear_errors
from medassay.flows.commands.judge_training import (
    judge_gguf_command,
    jury_export_command,
    jury_import_command,
    train_judge_command,
)
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
    "--sets",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Folder of labelled sets, or a file of pairs; may be given again.",
)
@click.option(
    "--recipe-data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Learn what the reader's recipe makes of this folder by rule, too, and its sets of answers and claims.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where adapter and config go.")
@click.option("--minutes", default=60.0, show_default=True, help="Stop after this long.")
@click.option("--epochs", default=2.0, show_default=True, help="Passes over the pairs.")
@click.option("--seed", default=17, show_default=True, help="Seed of sampling and initial weights.")
@click.option("--most", type=click.IntRange(min=1), help="Take at most so many pairs of each labelled set.")
@click.option(
    "--leave-out", multiple=True, help="A set to keep out of training and to measure; may be given again."
)
@click.option(
    "--start-from",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="An adapter.safetensors to go on from.",
)
def train_entailment(
    sets: tuple[Path, ...],
    recipe_data: Path | None,
    out: Path,
    minutes: float,
    epochs: float,
    seed: int,
    most: int | None,
    leave_out: tuple[str, ...],
    start_from: Path | None,
) -> None:
    """Train the encoder that reads pairs: adapters and head on the pulled all-mpnet-base-v2.

    A set is a folder NAME with train.jsonl(.gz) and perhaps dev.jsonl(.gz), or a file NAME.jsonl(.gz): premise,
    hypothesis and label (or the three `shares` that `medassay train label` writes). The project's own written pairs are
    learnt with them. To use what was trained, put both files of OUT into models/nli/encoder/weights.
    """
    with clear_errors():
        from medassay.models.nli.encoder.embedded import BASE
        from medassay.models.nli.encoder.training.run import train as train_encoder
        from medassay.models.weights import ensure

        out.mkdir(parents=True, exist_ok=True)
        record = train_encoder(
            ensure(BASE),
            sets,
            out,
            minutes=minutes,
            epochs=epochs,
            seed=seed,
            start_from=start_from,
            without=leave_out,
            most=most,
            recipe_data=recipe_data,
            say=click.echo,
        )
        click.echo(f"{out}: {record['dev_macro_f1']}")


@train.command("label")
@click.option(
    "--corpus",
    required=True,
    type=click.Path(path_type=Path, exists=True),
    help="Abstracts or answers: a file, or a folder.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="JSON lines to write."
)
@click.option("--reader", default="llm", show_default=True, help="Who labels, as in `evaluate --reader`.")
@click.option("--passages", default=1600, show_default=True, help="Passages, four to six pairs each.")
@click.option("--seed", default=17, show_default=True, help="Seed of what is drawn.")
def label_pairs(corpus: Path, out: Path, reader: str, passages: int, seed: int) -> None:
    """Let a reader label pairs made from CORPUS, for the encoder to learn from; a run that was stopped goes on."""
    with clear_errors():
        from medassay.models.nli.encoder.training.unlabelled import label, read_abstracts, unlabelled_pairs
        from medassay.models.nli.loading import load_entailment

        pairs = list(unlabelled_pairs(list(read_abstracts(corpus)), passages, seed))
        n_pairs = label(pairs, load_entailment(reader, warn=click.echo), out, click.echo)
        click.echo(f"{out}: {n_pairs} labelled pairs")


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

    The entailment model reads findings first. To use what was learnt, put OUT into models/nli/encoder/weights as
    findings.json, and train the entailment model on it.
    """
    with clear_errors():
        from medassay.models.nli.encoder.tokenisation import write_findings
        from medassay.models.nli.encoder.training.headings import examined, labelled_sentences, read_sections

        labelled = list(labelled_sentences(read_sections(corpus), seed))
        findings, right = examined(labelled)
        out.parent.mkdir(parents=True, exist_ok=True)
        write_findings(findings, out)
        click.echo(
            f"{out}: {len(findings.words)} words from {len(labelled)} sentences; "
            f"right on {right:.1%} of those of held-out articles"
        )
