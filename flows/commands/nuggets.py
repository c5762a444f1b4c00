"""`medassay nuggets export | import`: edit nugget sets as tables."""

import getpass
from pathlib import Path

import click

from medassay.flows.commands.exit_codes import BAD_INPUT, clear_errors, stop
from medassay.models.atomic_files import written_whole
from medassay.models.counting import counted

MOST_PROBLEMS = 20


@click.group()
def nuggets() -> None:
    """The facts that answers are held against: out as a table, back in as a new version."""


@nuggets.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--run", metavar="RUN", help="Whose nuggets, by id or name; the last finished run's unless given."
)
def nuggets_export(file: Path, run: str | None) -> None:
    """Write the nuggets of a run's questions into FILE (.csv or .jsonl), newer edits included."""
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.nuggets.editing import to_csv, to_jsonl
        from medassay.tasks.nuggets.editing import current_rows, run_to_edit

        as_text = to_csv if suffix_of(file) == ".csv" else to_jsonl
        refuse_no_home()
        with held_home("nuggets export") as warehouse:
            chosen = run_to_edit(warehouse, run)
            rows = current_rows(warehouse, chosen)
        written(file, as_text(rows))
        n_questions = len({row.question_id for row in rows})
        click.echo(
            f"{counted(len(rows), 'nugget')} of {counted(n_questions, 'question')} of run {chosen.run_id}"
            f" ({chosen.dataset}) in {file}"
        )


@nuggets.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--by", metavar="NAME", help="Who edited; this machine's user unless given.")
@click.option(
    "--run", metavar="RUN", help="Whose questions, by id or name; the last finished run's unless given."
)
def nuggets_import(file: Path, by: str | None, run: str | None) -> None:
    """Take in FILE (.csv or .jsonl) as a person edited it; the next `evaluate` uses it.

    Of a question that occurs in FILE, nuggets that are missing are removed; the others are left alone.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.nuggets.editing import NuggetRowsUnreadable, from_csv, from_jsonl
        from medassay.tasks.nuggets.editing import import_rows, run_to_edit

        read = from_csv if suffix_of(file) == ".csv" else from_jsonl
        try:
            rows = read(text_of(file))
            refuse_no_home()
            with held_home("nuggets import") as warehouse:
                chosen = run_to_edit(warehouse, run)
                changes = import_rows(warehouse, chosen, rows, editor(by))
        except NuggetRowsUnreadable as unreadable:
            lines = [f"{file}: {problem}" for problem in unreadable.problems]
            more = [f"{file}: … and {len(lines) - MOST_PROBLEMS} more"] if len(lines) > MOST_PROBLEMS else []
            stop("\n".join(lines[:MOST_PROBLEMS] + more), BAD_INPUT)
        for change in changes:
            click.echo(change)
        n_same = len({row.question_id for row in rows}) - len(changes)
        click.echo(f"{counted(len(changes), 'question')} changed, {n_same:,} as they were")
        if changes:
            click.echo(f"the next `medassay evaluate` of {chosen.dataset} uses them")


def written(file: Path, text: str) -> None:
    """Write a sheet; a spreadsheet takes UTF-8 without a mark for its own old encoding."""
    with written_whole(file) as sheet:
        sheet.write(f"\ufeff{text}" if file.suffix.lower() == ".csv" else text)


def suffix_of(file: Path) -> str:
    """Return the file's form by its name.

    Raises:
        UsageError: for a form that is neither.
    """
    from medassay.models.usage import UsageError

    suffix = file.suffix.lower()
    if suffix not in (".csv", ".jsonl"):
        raise UsageError(f"{file}: neither .csv nor .jsonl; give it one of these names")
    return suffix


def text_of(file: Path, exporter: str = "nuggets export") -> str:
    """Read a file's text.

    Raises:
        UsageError: when it is missing, or not UTF-8.
    """
    from medassay.models.usage import UsageError

    if not file.is_file():
        raise UsageError(f"{file}: no such file; write one with: medassay {exporter} {file}")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{file}: line {line}: not UTF-8; save it again as CSV UTF-8") from None


def refuse_no_home() -> None:
    """Make no home for somebody who only looks.

    Raises:
        WarehouseError: saying what to do first.
    """
    from medassay.sql.home import WORK_FILE, WarehouseError, home_folder

    if not (home_folder() / WORK_FILE).exists():
        raise WarehouseError(
            f"no finished run in {home_folder()}; run `medassay evaluate DATA` first, or set MEDASSAY_HOME"
        )


def editor(named: str | None) -> str:
    """Return who edits, scores or prefers.

    Raises:
        UsageError: where nobody is named and the machine does not know.
    """
    from medassay.models.usage import UsageError

    if named is not None and not named.strip():
        raise UsageError("--by is blank: name the person")
    try:
        return (named or getpass.getuser()).strip()
    except (OSError, KeyError):
        raise UsageError("this machine knows no user: name the person with --by") from None
