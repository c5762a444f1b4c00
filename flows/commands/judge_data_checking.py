"""`medassay judge-data export | import | classify | split`: expert double check and quality classifier."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import NumberBetween, as_json, clear_errors
from medassay.flows.commands.nuggets import editor, text_of, written
from medassay.flows.commands.people import form_of, left_out_told, sheet_problems
from medassay.models.counting import counted

DATA = click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("judge-data"),
    show_default=True,
    help="Folder that `judge-data build` wrote.",
)
BY = click.option("--by", metavar="NAME", help="Who checks; this machine's user unless given.")


@click.command("export")
@click.argument("sheet", type=click.Path(path_type=Path, dir_okay=False))
@DATA
@BY
@click.option(
    "--most", default=300, show_default=True, type=click.IntRange(min=1), help="At most so many cases."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Draws cases, the same for every expert."
)
def export_command(sheet: Path, folder: Path, by: str | None, most: int, seed: int) -> None:
    """Write a SHEET (.csv or .jsonl) of evaluations for an expert to check: yes or no to each of three criteria.

    Medical knowledge: what the evaluation says of medicine is right. No misattribution: no doctor is said to have
    written what he did not. Fluency: it reads well. Systems and evaluators are unnamed.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.judge_training.experts import CHECKS, chosen, sheet_rows
        from medassay.models.judge_training.folder import read_data_folder
        from medassay.models.people.sheets import write_sheet
        from medassay.models.usage import UsageError
        from medassay.tasks.judge_training.checks import stored_checks

        form, expert = form_of(sheet), editor(by)
        data = read_data_folder(folder)
        with held_home("judge-data export") as warehouse:
            data = data.labelled(stored_checks(warehouse))
        rows = sheet_rows(chosen(data.cases, most, seed), expert)
        if not rows:
            raise UsageError(f"{folder}: no case has scores to check; {folder / 'drops.jsonl'} says why")
        written(sheet, write_sheet(form, CHECKS, rows))
        n_scored = sum(case.status == "scored" for case in data.cases)
        click.echo(f"{len(rows):,} of {counted(n_scored, 'scored case')} in {sheet}")
        click.echo(f"fill it in, then: medassay judge-data import {sheet} --data {folder} --by {expert}")


@click.command("import")
@click.argument("sheet", type=click.Path(path_type=Path, dir_okay=False))
@DATA
@BY
@click.option("--json", "machine", is_flag=True, help="Print shares and agreement as one JSON object.")
def import_command(sheet: Path, folder: Path, by: str | None, machine: bool) -> None:
    """Take in a filled-in SHEET, drop every case that fails a criterion, and say what passes and who agrees."""
    with clear_errors(), sheet_problems(sheet):
        from medassay.flows.commands.sources import held_home
        from medassay.models.judge_training.experts import CHECKS, read_checks
        from medassay.models.judge_training.folder import read_data_folder
        from medassay.models.people.sheets import read_sheet
        from medassay.tasks.judge_training.checks import import_checks, stored_checks

        form, expert = form_of(sheet), editor(by)
        rows = read_sheet(form, text_of(sheet, "judge-data export"), CHECKS)
        with left_out_told(sheet) as left_out:
            said = read_checks(rows, left_out)
        data = read_data_folder(folder)
        with held_home("judge-data import") as warehouse:
            taken = import_checks(warehouse, data.cases, said, expert)
            data = data.labelled(stored_checks(warehouse))
        checked, n_dropped = _rewritten(folder, data)
        if machine:
            click.echo(as_json(checked))
            return
        n_complete = sum(len(criteria) == len(CHECKS.filled) for criteria in said.values())
        click.echo(
            f"{expert}: {counted(taken.n_new, 'check')} new, {taken.n_changed:,} changed,"
            f" {taken.n_same:,} as they were; {n_complete:,} of {counted(len(rows), 'case')} complete"
        )
        _tell(checked)
        click.echo(f"{counted(n_dropped, 'case')} dropped by experts, a row each in {folder / 'drops.jsonl'}")
        if n_open := len(rows) - n_complete:
            click.echo(
                f"open      {counted(n_open, 'case')} with an answer missing: fill it in, and import the sheet again"
            )
        click.echo(f"next      medassay judge-data classify --data {folder}")


def _rewritten(folder: Path, data: Any) -> tuple[dict[str, Any], int]:
    """Write the folder with what experts said; return shares and agreement, and how many cases experts dropped."""
    from dataclasses import replace

    from medassay.models.judge_training.experts import agreement, checked_shares
    from medassay.models.judge_training.folder import write_data

    checked = {**checked_shares(data.cases), "agreement": agreement(data.cases)}
    splits = write_data(folder, replace(data, card={**data.card, "experts": checked}))
    return checked, sum(drop.stage == "experts" for drop in splits.drops)


def _tell(checked: dict[str, Any]) -> None:
    click.echo(
        f"checked   {checked['n_checked']:,} cases, {checked['n_checked_twice']:,} of them by more than one expert"
    )
    for name, shares in [("together", checked["together"]), *checked["by_expert"].items()]:
        said = ", ".join(
            f"{criterion.replace('_', ' ')} {_percent(one['value'])}" for criterion, one in shares.items()
        )
        click.echo(f"passes    {name}: {said}")
    for row in checked["agreement"]:
        kappa = f"κ {row['kappa']:.2f}" if row["kappa"] is not None else f"no κ: {row['reason']}"
        click.echo(
            f"agreement {row['first']} and {row['second']}, {row['criterion'].replace('_', ' ')}:"
            f" {_percent(row['agree'])} of {row['n']:,}, {kappa}"
        )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


@click.command("classify")
@DATA
@click.option(
    "--embedder",
    default="embedded",
    show_default=True,
    metavar="SPEC",
    help="Sentence-embedding model: embedded | hf:<id or folder>, SimCSE's among them.",
)
@click.option(
    "--threshold",
    type=NumberBetween(0, 1),
    help="Least quality that is kept; the one of best balanced accuracy, out of fold, unless given.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the questions that are held out.")
@click.option("--json", "machine", is_flag=True, help="Print the classifier's card as one JSON object.")
def classify_command(folder: Path, embedder: str, threshold: float | None, seed: int, machine: bool) -> None:
    """Train the quality classifier on what experts checked, measure it on held-out questions, and apply it.

    Every case gets its quality; the splits R′ and S′ are those that reach the threshold, no question in both.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.embedding import load_embedder
        from medassay.models.judge_training.folder import read_data_folder, write_data
        from medassay.models.judge_training.quality import classified, train
        from medassay.tasks.judge_training.checks import stored_checks

        data = read_data_folder(folder)
        with held_home("judge-data classify") as warehouse:
            data = data.labelled(stored_checks(warehouse))
        classifier, card = train(data.cases, load_embedder(embedder), seed=seed, threshold=threshold)
        splits = write_data(folder, classified(data, classifier, card))
        if machine:
            click.echo(as_json(card))
            return
        held = card["held_out"]
        click.echo(
            f"learnt    from {card['n_learnt_from']:,} checked cases of"
            f" {counted(card['n_questions_learnt_from'], 'question')}; best of the grid: {_best(card)}"
        )
        click.echo(
            f"held out  accuracy {_interval(held['accuracy'])} on {held['n_cases']:,} cases of"
            f" {counted(held['n_questions'], 'question')}; always keeping: {held['accuracy_of_always_keeping']:.3f}"
        )
        click.echo(
            f"passing   {_interval(held['passing_among_kept'])} among kept,"
            f" {_interval(held['passing_among_all'])} among all, held out"
        )
        _tell_splits(folder, splits.files)


def _best(card: dict[str, Any]) -> str:
    return ", ".join(f"{name.removeprefix('svc__')} {value}" for name, value in card["grid"]["best"].items())


def _interval(estimate: dict[str, Any]) -> str:
    if estimate["value"] is None:
        return f"– ({estimate['reason']})"
    return f"{estimate['value']:.3f} ({estimate['low']:.3f} to {estimate['high']:.3f})"


@click.command("split")
@DATA
@click.option("--threshold", type=NumberBetween(0, 1), help="Another least quality of R′ and S′.")
def split_command(folder: Path, threshold: float | None) -> None:
    """Write the splits anew: with what experts said since, or at another threshold of quality."""
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.judge_training.folder import at_threshold, read_data_folder, write_data
        from medassay.tasks.judge_training.checks import stored_checks

        data = read_data_folder(folder)
        if threshold is not None:
            data = at_threshold(data, threshold)
        with held_home("judge-data split") as warehouse:
            data = data.labelled(stored_checks(warehouse))
        _tell_splits(folder, write_data(folder, data).files)


def _tell_splits(folder: Path, files: dict[str, Any]) -> None:
    for name, cases in files.items():
        n_questions = len({case.question_id for case in cases})
        click.echo(
            f"{folder / 'splits' / name}.jsonl: {counted(len(cases), 'case')} of {counted(n_questions, 'question')}"
        )


check_commands = (export_command, import_command, classify_command, split_command)
