"""`medassay export`: results as tables for any tool, or a run as the files of a peer's tool."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.models.counting import counted

SHARED, TABLES = "shared", ("parquet", "csv")
PEERS = ("nuggetizer", "open-rag-eval", "ragchecker", "biogen", "trec-run", "inspect")


@click.command()
@click.argument("run", required=False)
@click.option(
    "--as",
    "form",
    type=click.Choice([SHARED, *TABLES, *PEERS]),
    help="`shared`: marts and texts, for `query --from`; the views as tables; or a run as a peer's tool reads it."
    "  [default: shared with --to; parquet without, or with --view]",
)
@click.option(
    "--to",
    "target",
    metavar="PLACE",
    help="Where the files go: a folder, for the form `shared` also a URL (s3://, gs://, abfs:// …); export/FORM here"
    " unless given.",
)
@click.option("--view", "views", multiple=True, metavar="VIEW", help="Only this view; may be repeated.")
@click.option(
    "--for-spreadsheets",
    "guarded",
    is_flag=True,
    help="With --as csv: put an apostrophe before texts that begin as a formula does (=, +, -, @); without it they are"
    " as they stand in the view, for scripts.",
)
@click.option(
    "--phi",
    type=click.Choice(["block", "allow"]),
    default="block",
    show_default=True,
    help="What happens where something that may name a patient would be written to a URL off this machine.",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects: file, rows.")
def export(
    run: str | None,
    form: Any,
    target: str | None,
    views: tuple[str, ...],
    guarded: bool,
    phi: Any,
    machine: bool,
) -> None:
    """Write published results as files.

    `shared`: a folder a run, of every finished run, or of RUN (an id, a name, or `last`), partitioned by data set and
    run. Homes that export to one place share it: `medassay query --from PLACE` reads all of them. A run appears whole
    or not at all, and in place of an earlier export of it. Parquet and CSV: one file a view, likewise. A peer's form:
    the files of RUN, the last one unless given.
    """
    with clear_errors():
        from medassay.models.usage import UsageError
        from medassay.sql.home import home_folder
        from medassay.tasks.exporting import export_for_peer, export_views, run_named
        from medassay.tasks.sharing import share_runs

        form = form or (SHARED if target and not views and not guarded else "parquet")
        if guarded and form != "csv":
            raise UsageError(f"--for-spreadsheets goes with --as csv, not with {form}")
        if views and form not in TABLES:
            raise UsageError(f"--view goes with {' and '.join(TABLES)}; {form} has its own files")
        home, target = home_folder(), target or str(Path("export") / form)
        run_id = run_named(home, run) if run or form in PEERS else None
        written: dict[str, int] = {}
        if form == SHARED:
            share_runs(home, target, run_id, phi, written.__setitem__)
        else:
            folder = _folder(target, form)
            if form in TABLES:
                files = export_views(home, folder, form, views, run_id, guarded=guarded)
            else:
                files = export_for_peer(
                    home, folder, form, str(run_id), lambda line: click.echo(f"{form}: {line}", err=True)
                )
            written = {str(path): count for path, count in files.items()}
        if machine:
            click.echo(as_json([{"file": path, "rows": count} for path, count in written.items()]))
            return
        for path, count in written.items():
            click.echo(f"{path}  {counted(count, 'row')}")


def _folder(target: str, form: str) -> Path:
    from medassay.models.usage import UsageError

    if "://" in target:
        raise UsageError(f"{form} is written into a folder; only --as {SHARED} takes a URL")
    if Path(target).is_file():
        raise UsageError(f"{target}: a folder is needed there, and this is a file: name another place")
    return Path(target)
