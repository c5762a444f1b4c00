"""`medassay export`: results as tables for any tool, or a run as the files of a peer's tool."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.models.counting import counted

TABLES = ("parquet", "csv")
PEERS = ("nuggetizer", "open-rag-eval", "ragchecker", "biogen", "trec-run", "inspect")


@click.command()
@click.argument("run", required=False)
@click.option(
    "--as",
    "form",
    type=click.Choice([*TABLES, *PEERS]),
    default="parquet",
    show_default=True,
    help="The views as tables, or a run as a peer's tool reads it.",
)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where the files go; export/FORM here unless given.",
)
@click.option("--view", "views", multiple=True, metavar="VIEW", help="Only this view; may be repeated.")
@click.option(
    "--for-spreadsheets",
    "guarded",
    is_flag=True,
    help="With --as csv: put an apostrophe before texts that begin as a formula does (=, +, -, @); without it they are"
    " as they stand in the view, for scripts.",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects: file, rows.")
def export(
    run: str | None, form: Any, folder: Path | None, views: tuple[str, ...], guarded: bool, machine: bool
) -> None:
    """Write published results as files.

    Parquet and CSV: one file a view, of every run, or of RUN (an id, a name, or `last`). A peer's form: the files of
    RUN, the last one unless given.
    """
    with clear_errors():
        from medassay.models.usage import UsageError
        from medassay.sql.home import home_folder
        from medassay.tasks.exporting import export_for_peer, export_views, run_named

        if guarded and form != "csv":
            raise UsageError(f"--for-spreadsheets goes with --as csv, not with {form}")
        home, target = home_folder(), folder or Path("export") / form
        if form in TABLES:
            written = export_views(
                home, target, form, views, run_named(home, run) if run else None, guarded=guarded
            )
        elif views:
            raise UsageError(f"--view goes with {' and '.join(TABLES)}; {form} has its own files")
        else:
            written = export_for_peer(
                home, target, form, run_named(home, run), lambda line: click.echo(f"{form}: {line}", err=True)
            )
        if machine:
            click.echo(as_json([{"file": str(path), "rows": count} for path, count in written.items()]))
            return
        for path, count in written.items():
            click.echo(f"{path}  {counted(count, 'row')}")
