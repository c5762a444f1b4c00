"""`medassay sources add | refresh | list | export | import`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from medassay.flows.commands.exit_codes import NumberBetween, as_json, clear_errors
from medassay.models.counting import counted

if TYPE_CHECKING:
    from medassay.sql.warehouse import Warehouse


@click.group()
def sources() -> None:
    """The texts that citations are checked against: PubMed's own files, and what was fetched."""


@sources.command("add")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def sources_add(files: tuple[Path, ...]) -> None:
    """Read PubMed baseline or update FILES (.xml, .xml.gz, or folders of them), so that they are asked before PubMed.

    A file that was read before is left alone; later revisions and withdrawn records count. One that cannot be read
    keeps none of the others out.
    """
    with clear_errors():
        from medassay.models.sources.baseline import baseline_files, without_digest
        from medassay.tasks.sources.pubmed_files import add_files

        for line in without_digest(baseline_files(files)[0]):
            click.echo(line, err=True)
        with held_home("sources add") as warehouse, counting() as on_progress:
            for added in add_files(warehouse, files, on_progress):
                withdrawn = f", {added.n_withdrawn:,} withdrawn" if added.n_withdrawn else ""
                unnamed = f", {added.n_unnamed:,} without a PMID left out" if added.n_unnamed else ""
                there = ", read before" if added.was_there else ""
                there += (
                    ": it counts by this name now" if added.counts_as else ": nothing to do" if there else ""
                )
                click.echo(f"{added.name}: {counted(added.n_records, 'record')}{withdrawn}{unnamed}{there}")


@sources.command("refresh")
@click.option(
    "--older-than",
    "days",
    default=30.0,
    show_default=True,
    type=NumberBetween(0, 36_500),
    help="Days since a source was last asked about.",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON object.")
def sources_refresh(days: float, machine: bool) -> None:
    """Ask PubMed, PMC and Crossref again about what was fetched: it may be retracted since.

    Finished runs keep what they read; the next run of the same data reads what was learnt. Ends with exit code 1
    where some were asked about and no answer came; what nobody may be asked about is named.
    """
    with clear_errors():
        from medassay.tasks.sources.refreshing import refresh_sources

        with held_home("sources refresh", made=False) as warehouse, counting("sources") as on_progress:
            came = refresh_sources(
                warehouse,
                timedelta(days=days),
                lambda n: on_progress("asking", n),
                lambda moved: None if machine else click.echo(moved.said()),
            )
        if machine:
            click.echo(as_json(asdict(came)))
        else:
            click.echo(came.said())
            for line in came.left_alone():
                click.echo(line, err=True)
            if came.moved or came.n_new_text:
                click.echo("run `medassay evaluate` again: finished runs keep what they read")
        came.refuse_silence()


@sources.command("list")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def sources_list(machine: bool) -> None:
    """Count what is here by where it came from, with the date of the newest.

    Names are what sources are cited by: a record that is known by PMID and DOI has two.
    """
    with clear_errors():
        from medassay.tasks.sources.storing import list_sources

        with held_home("sources list", made=False) as warehouse:
            rows = list_sources(warehouse)
        if machine:
            click.echo(as_json(rows))
            return
        from rich.table import Table

        from medassay.flows.terminal.console import results_console

        table = Table("from", "names", "records", "with text", "retracted", "newest, UTC")
        for row in rows:
            counts = (row["n_sources"], row["n_records"], row["n_with_text"], row["n_retracted"])
            shown = ("–" if count is None else f"{count:,}" for count in counts)
            table.add_row(row["origin"], *shown, f"{row['newest']:%Y-%m-%d %H:%M}")
        results_console(150).print(table)


@sources.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def sources_export(file: Path) -> None:
    """Write what sources have told this home into FILE (JSON lines; gzipped where it ends in .gz)."""
    with clear_errors():
        from medassay.tasks.sources.transfer import export_sources

        with held_home("sources export", made=False) as warehouse:
            count = export_sources(warehouse, file)
        click.echo(f"{counted(count, 'source')} in {file}")


@sources.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def sources_import(file: Path) -> None:
    """Take in a FILE that another home exported, so that its runs can be repeated here, offline too."""
    with clear_errors():
        from medassay.tasks.sources.transfer import import_sources

        with held_home("sources import") as warehouse:
            imported = import_sources(warehouse, file)
        click.echo(imported.said())


@contextmanager
def held_home(holder: str, *, made: bool = True, wait: bool = True) -> Iterator["Warehouse"]:
    """Hold the home while the warehouse is open, since it has one writer; `made`: make it where there is none."""
    from medassay.flows.terminal.run import Lines
    from medassay.sql.home import WORK_FILE, WarehouseError, home_folder
    from medassay.sql.warehouse import close_warehouse, warehouse_at
    from medassay.tasks.progress import watched_by
    from medassay.tasks.run import home_lock

    home = home_folder()
    if not made and not (home / WORK_FILE).exists():
        raise WarehouseError(
            f"nothing in {home} yet; run `medassay evaluate DATA`, `medassay sources add FILES` or"
            " `medassay sources import FILE` first, or set MEDASSAY_HOME"
        )
    with watched_by(Lines()), home_lock(home, f"({holder})", wait=wait):
        try:
            yield warehouse_at(home)
        finally:
            close_warehouse(home)


@contextmanager
def counting(what: str = "records") -> Iterator[Callable[[str, int], None]]:
    """Show on a terminal how many of what are done, of which file, and how fast; elsewhere nothing."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from medassay.flows.terminal.console import progress_console

    console = progress_console()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.completed:,.0f} " + what),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        line = progress.add_task("reading", total=None, rate="")
        current = [""]

        def show(name: str, count: int) -> None:
            if current[0] != name:
                progress.reset(line, total=None, description=name)
                current[0] = name
            progress.advance(line, count)
            speed = progress.tasks[line].speed
            progress.update(line, rate=f"{speed:,.0f}/s" if speed else "")

        yield show
