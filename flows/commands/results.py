"""`medassay report` and `medassay query`: what was published, for people and for scripts."""

import sys

import click

from flows.commands.leaving import BAD_INPUT, as_json, clear_errors, stop


@click.command()
@click.argument("run", required=False)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def report(run: str | None, show: bool) -> None:
    """Write the report of RUN, the last finished one unless given, and say where it is."""
    with clear_errors():
        from sql.snapshot import NothingPublished, read_results
        from sql.warehouse import home_folder
        from tasks.publish import write_report

        home = home_folder()
        known = read_results(
            home, "select run_id, name from runs where state = 'finished' order by started_at desc"
        )
        chosen = next((row["run_id"] for row in known if run in (None, row["run_id"], row["name"])), None)
        if chosen is None:
            raise NothingPublished(f'no finished run {run!r} in {home}; see: medassay query "from runs"')
        path = write_report(home, chosen)
        click.echo(path)
        if show:
            click.launch(path.as_uri())


@click.command()
@click.argument("query")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def query(query: str, machine: bool) -> None:
    """Run QUERY against the published results, read-only."""
    with clear_errors():
        import duckdb

        from sql.snapshot import read_results
        from sql.warehouse import home_folder

        try:
            rows = read_results(home_folder(), query)
        except duckdb.Error as error:
            stop(str(error).strip(), BAD_INPUT)
        if machine:
            click.echo(as_json(rows))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(*(rows[0] if rows else ("no rows",)))
        for row in rows:
            table.add_row(*("–" if value is None else str(value) for value in row.values()))
        Console(width=None if sys.stdout.isatty() else 200, markup=False).print(table)
