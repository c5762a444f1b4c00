"""`medassay annotate` and `medassay blind`: export and import annotation sheets."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import BAD_INPUT, COULD_NOT_RUN, as_json, clear_errors, stop
from medassay.flows.commands.nuggets import editor, refuse_no_home, suffix_of, text_of, written
from medassay.models.counting import counted

MOST_PROBLEMS = 20
STEP = click.option(
    "--step",
    type=click.Choice(["answers", "evaluations"]),
    default="answers",
    show_default=True,
    help="Answers come first: an annotator sees a judge's evaluation only after scoring the answer.",
)
BY = click.option("--by", metavar="NAME", help="Who scores; this machine's user unless given.")
RUN = click.option(
    "--run", metavar="RUN", help="Whose answers, by id or name; the last finished run's unless given."
)


@click.group()
def annotate() -> None:
    """Human scores of answers, then of their evaluations: in the browser, or sheets out and filled-in sheets in."""


@annotate.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@STEP
@BY
@RUN
@click.option(
    "--next",
    "next_n",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the N answers whose scores would narrow the interval most.",
)
@click.option(
    "--metric",
    default="nugget_coverage",
    show_default=True,
    help="With --next: the metric that people check.",
)
def annotate_export(
    file: Path, step: Any, by: str | None, run: str | None, next_n: int | None, metric: str
) -> None:
    """Write a sheet to fill in, FILE (.csv or .jsonl): scores from 1 to 5, systems and judges unnamed.

    Aspects: relevancy, fluency, knowledge correctness; of evaluations also reference correctness.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.people.sheets import write_sheet
        from medassay.models.usage import UsageError
        from medassay.tasks.finished_runs import finished_run
        from medassay.tasks.people.annotating import SHEETS, export_answers, export_evaluations

        form = form_of(file)
        refuse_no_home()
        if step == "evaluations" and next_n is not None:
            raise UsageError("--next chooses answers: leave --step evaluations out")
        with held_home("annotate export") as warehouse:
            chosen = finished_run(warehouse, run)
            exported = (
                export_answers(warehouse, chosen, editor(by), next_n, metric)
                if step == "answers"
                else export_evaluations(warehouse, chosen, editor(by))
            )
        written(file, write_sheet(form, SHEETS[step], exported.rows))
        click.echo(
            f"{len(exported.rows):,} of {exported.n_cases:,} {step} of run {chosen.run_id} ({chosen.dataset}) in {file}"
        )
        if exported.n_waiting:
            click.echo(
                f"{exported.n_waiting:,} wait until {editor(by)} has scored their answers on every aspect"
            )
        if exported.choice is not None and exported.choice.after is not None:
            before = exported.choice.before
            click.echo(
                f"the mean difference from {metric} would be known to ± {exported.choice.after:.3f}"
                + ("" if before is None else f", now ± {before:.3f}")
            )
        click.echo(f"fill it in, then: medassay annotate import {file} --step {step} --by {editor(by)}")


@annotate.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@STEP
@BY
@RUN
@click.option(
    "--role",
    type=click.Choice(["tune", "test"]),
    default="test",
    show_default=True,
    help="Whether the scores may fit something, or test it; no answer is both.",
)
def annotate_import(file: Path, step: Any, by: str | None, run: str | None, role: Any) -> None:
    """Take in a filled-in sheet FILE; a score that is sent again replaces the one before, which is kept as history.

    A cell that is no score is left out, with a line that names it.
    """
    with clear_errors(), sheet_problems(file):
        from medassay.flows.commands.sources import held_home
        from medassay.models.people.sheets import read_scores, read_sheet
        from medassay.tasks.finished_runs import finished_run
        from medassay.tasks.people.annotating import SHEETS, import_scores

        form, annotator = form_of(file), editor(by)
        sheet = SHEETS[step]
        rows = read_sheet(form, text_of(file, "annotate export"), sheet)
        with left_out_told(file) as left_out:
            scores = read_scores(rows, sheet, left_out)
        refuse_no_home()
        with held_home("annotate import") as warehouse:
            chosen = finished_run(warehouse, run)
            taken = import_scores(warehouse, chosen, step, scores, annotator, role)
        n_complete = sum(len(aspects) == len(sheet.filled) for aspects in scores.values())
        click.echo(
            f"{annotator}: {counted(taken.n_new, 'score')} new, {taken.n_changed:,} changed,"
            f" {taken.n_same:,} as they were; {n_complete:,} of {len(rows):,} {step} complete"
        )
        if step == "answers" and n_complete:
            click.echo(
                f"next      medassay annotate export evaluations.csv --step evaluations --by {annotator}"
            )
        click.echo(f"the next `medassay agree` of {chosen.dataset} uses them")


@annotate.command("serve")
@click.option(
    "--by",
    "names",
    multiple=True,
    metavar="NAME",
    help="Who scores, with a link of their own; may be repeated.",
)
@RUN
@click.option(
    "--order",
    type=click.Choice(["blind", "telling"]),
    default="blind",
    show_default=True,
    help="In an order that tells nothing, or first those whose scores would narrow the interval most.",
)
@click.option("--named", is_flag=True, help="Say whose answer it is.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Check the evaluations of this folder of `judge-data build` instead: yes or no to three criteria each.",
)
@click.option(
    "--jury",
    metavar="NAME",
    help="Decide what waits for a jury in the training of the judge NAME instead: accept a correction or refuse it.",
)
@click.option(
    "--iteration", type=click.IntRange(min=1), default=1, show_default=True, help="With --jury: which one."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address; any but loopback is open to others."
)
@click.option("--port", type=click.IntRange(0, 65535), default=4202, show_default=True, help="0: a free one.")
def annotate_serve(
    names: tuple[str, ...],
    run: str | None,
    order: Any,
    named: bool,
    data: Path | None,
    jury: str | None,
    iteration: int,
    host: str,
    port: int,
) -> None:
    """Score answers in the browser, several people at once; Ctrl-C ends it.

    Relevancy, correctness, completeness, freedom from harm and fluency, 1 to 5 each, with the claims, the verdicts and
    the cited passages beside them. Each click is on the disk at once, and in the home's scores when no run holds it.
    """
    with clear_errors():
        from medassay.flows.serve.annotating import NotServing, serve_annotators
        from medassay.models.usage import UsageError

        refuse_no_home()
        if data and jury:
            raise UsageError("--data and --jury: choose one of them")
        of_jury = (jury, iteration) if jury else None
        try:
            serve_annotators(
                names or (editor(None),), run, order, host, port, named=named, data=data, jury=of_jury
            )
        except NotServing as error:
            stop(str(error), COULD_NOT_RUN)
        except KeyboardInterrupt:
            click.echo("stopped; what was scored is in the home", err=True)


@click.group()
def blind() -> None:
    """Which of two judges' evaluations of one answer people prefer, without knowing whose is whose."""


@blind.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("run_a")
@click.argument("run_b")
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Where to keep which side is whose.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws sides and order.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="At most so many pairs.")
def blind_export(file: Path, run_a: str, run_b: str, key: Path, seed: int, most: int | None) -> None:
    """Write a sheet FILE with the evaluations of RUN_A and RUN_B side by side; give it to several annotators.

    Each fills in left, right or tie for knowledge correctness, reference correctness and fluency.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.people.sheets import BLIND, write_sheet
        from medassay.models.usage import UsageError
        from medassay.tasks.finished_runs import finished_run
        from medassay.tasks.people.blinding import export_pairs, write_key

        form = form_of(file)
        refuse_no_home()
        if key.resolve() == file.resolve():
            raise UsageError("--key names the sheet itself: keep the key apart from it")
        if key.exists():
            raise UsageError(f"{key} is there already, and a sheet may depend on it: name another file")
        with held_home("blind export") as warehouse:
            pairs = export_pairs(
                warehouse, finished_run(warehouse, run_a), finished_run(warehouse, run_b), seed, most
            )
        written(file, write_sheet(form, BLIND, pairs.rows))
        write_key(key, pairs.key)
        click.echo(
            f"{counted(len(pairs.rows), 'pair')} in {file}; the key is {key}: keep it from whoever fills the sheet in"
        )
        if pairs.n_single:
            click.echo(f"{pairs.n_single:,} answers have only one evaluation, or differ, and are left out")


@blind.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--key", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The sheet's key."
)
@BY
@click.option("--json", "machine", is_flag=True, help="Print the shares as one JSON array.")
def blind_import(file: Path, key: Path, by: str | None, machine: bool) -> None:
    """Take in one annotator's FILE, and say how often each judge's evaluation is preferred, and by whom."""
    with clear_errors(), sheet_problems(file):
        from medassay.flows.commands.sources import held_home
        from medassay.models.people.sheets import BLIND, read_sheet, read_sides
        from medassay.tasks.people.blinding import import_pairs, read_key, shares

        form, annotator = form_of(file), editor(by)
        rows = read_sheet(form, text_of(file, "blind export"), BLIND)
        with left_out_told(file) as left_out:
            sides, known = read_sides(rows, left_out), read_key(key)
        refuse_no_home()
        with held_home("blind import") as warehouse:
            taken = import_pairs(warehouse, known, sides, annotator)
            one = next(iter(known.values()))
            found = shares(warehouse, one["run_a"], one["run_b"])
        if machine:
            click.echo(as_json(found))
            return
        from medassay.flows.terminal.tables import print_shares

        click.echo(
            f"{annotator}: {counted(taken.n_new, 'preference')} new, {taken.n_changed:,} changed,"
            f" {taken.n_same:,} as they were"
        )
        print_shares(found, one["judge_a"], one["judge_b"])


def form_of(file: Path) -> Any:
    """Return a sheet's form by its file's name.

    Raises:
        UsageError: for a name that is neither .csv nor .jsonl.
    """
    return suffix_of(file).removeprefix(".")


@contextmanager
def sheet_problems(file: Path) -> Iterator[None]:
    """End with a line for each problem of a sheet, the first twenty of them."""
    from medassay.models.people.sheets import SheetUnreadable

    try:
        yield
    except SheetUnreadable as unreadable:
        lines = [f"{file}: {problem}" for problem in unreadable.problems]
        more: list[Any] = (
            [f"{file}: … and {len(lines) - MOST_PROBLEMS} more"] if len(lines) > MOST_PROBLEMS else []
        )
        stop("\n".join(lines[:MOST_PROBLEMS] + more), BAD_INPUT)


@contextmanager
def left_out_told(file: Path) -> Iterator[list[str]]:
    """Give a list for what of a sheet is left out, and name each of it."""
    left_out: list[str] = []
    yield left_out
    for line in left_out:
        click.echo(f"{file}: left out: {line}", err=True)
