"""`medassay template`: write an empty input sheet."""

from pathlib import Path

import click

from medassay.flows.commands.exit_codes import clear_errors
from medassay.models.counting import counted

SYSTEMS = ("System A", "System B")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default="medassay-template.csv")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="A column for each system's answers; may be repeated.",
)
def template(file: Path, systems: tuple[str, ...]) -> None:
    """Write FILE, a CSV to fill in with a spreadsheet: a row a question, a column a system.

    `evaluate` reads it as it comes back, as CSV or XLSX, also with further columns and without the optional ones.
    """
    with clear_errors():
        from medassay.models.atomic_files import written_whole
        from medassay.models.spreadsheets import write_spreadsheet
        from medassay.models.usage import UsageError

        if file.suffix.lower() != ".csv":
            raise UsageError(
                f"{file}: the template is a .csv; a spreadsheet opens it and saves it as it likes"
            )
        if file.exists():
            raise UsageError(f"{file} is there already; name another file")
        columns = ["question_id", "question", "reference_answer", *(systems or SYSTEMS)]
        with written_whole(file) as out:
            # A spreadsheet takes UTF-8 without a mark for its own old encoding.
            out.write("\ufeff" + write_spreadsheet(columns, []))
        click.echo(
            f"{file}  {counted(len(columns), 'column')}: a row a question; reference_answer is what a good answer says"
        )
        click.echo(f"next  medassay evaluate {file}")
