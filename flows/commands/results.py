"""`medassay report` and `medassay query`: published results for people and scripts."""

import csv
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from medassay.flows.commands.exit_codes import BAD_INPUT, as_json, clear_errors, stop
from medassay.flows.terminal.console import visible

if TYPE_CHECKING:
    from medassay.sql.shared import Shared

_NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE)


@click.command()
@click.argument("run", required=False)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to this file, for a colleague or from a home that may only be read.  [default: in the home]",
)
def report(run: str | None, show: bool, out: Path | None) -> None:
    """Write the report of RUN, the last finished one unless given, and say where it is."""
    with clear_errors():
        from medassay.sql.home import home_folder
        from medassay.tasks.exporting import run_named
        from medassay.tasks.publish import write_report

        home = home_folder()
        path = write_report(home, run_named(home, run), out)
        click.echo(path)
        if show:
            click.launch(path.resolve().as_uri())


# A comment at the head of SQL begins as an option does.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query", required=False)
@click.option(
    "--run",
    metavar="RUN",
    help="Where QUERY is a view's name: the run's id or name, or `all`.  [default: the newest run]",
)
@click.option(
    "--from",
    "place",
    metavar="PLACE",
    help="Read the runs that `medassay export --to PLACE` wrote, a folder or URL, in place of this home's.",
)
@click.option(
    "--all-columns", is_flag=True, help="Of a view, every column: one below the other where they do not fit."
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
@click.option("--csv", "sheet", is_flag=True, help="Print CSV with a header.")
@click.option(
    "--ui", "page", is_flag=True, help="Open a page of ready questions with charts, for this machine alone."
)
def query(
    query: str | None,
    run: str | None,
    place: str | None,
    all_columns: bool,
    machine: bool,
    sheet: bool,
    page: bool,
) -> None:
    """Run QUERY against the published results, which it cannot change.

    QUERY is a view's name, such as leaderboard, for its rows of the newest run; SQL, such as "from leaderboard", for
    those of every run; the path of a .sql file; or - to read it from the input. `show views`
    lists what there is, `describe nugget_states` what a view holds. Where no column is named, a view's first columns
    stand side by side as far as they fit; other rows too wide for a table stand one below the other. DuckDB reads and
    writes the files that QUERY names itself, as in `copy (…) to 'file.csv'`; it writes none inside the home, and loads
    no extension.
    """
    with clear_errors():
        import duckdb

        from medassay.models.usage import UsageError
        from medassay.sql.home import home_folder
        from medassay.sql.shared import Shared
        from medassay.sql.snapshot import only_reads, read_table
        from medassay.sql.view_map import view_asked

        if machine and sheet:
            raise UsageError("--json and --csv: choose one of them")
        home = Shared(place) if place else home_folder()
        if page:
            serve_page(_sql(query) if query and not _NAME.fullmatch(query) else query and f"from {query}")
            return
        if query is None:
            raise UsageError('name a view, write SQL, such as "from leaderboard", or choose --ui')
        if _NAME.fullmatch(query):
            asked = _rows_of(home, query, run)
        elif run is not None:
            raise UsageError("--run goes with a view's name; in SQL write: where run_id = '…'")
        else:
            asked = _sql(query)
        try:
            if not duckdb.extract_statements(asked):
                raise UsageError('the query is empty: write one, such as "from leaderboard"')
            if place and not only_reads(asked):
                raise UsageError(
                    "with --from a query only selects; --csv or --json print its rows for a file"
                )
            table = read_table(home, asked, confined=True)
        except duckdb.Error as error:
            stop(_said(error), BAD_INPUT)
        if machine:
            names, _, rows = table
            click.echo(as_json([dict(zip(names, row, strict=True)) for row in rows]))
        elif sheet:
            lines: list[Sequence[object]] = [table[0], *table[2]]
            if sys.stdout.isatty():
                lines = [[visible(one) if isinstance(one, str) else one for one in line] for line in lines]
            csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
        elif (view := view_asked(query)) and not all_columns:
            from medassay.flows.terminal.core_columns import print_view

            print_view(view, table)
        else:
            from medassay.flows.terminal.query import print_rows

            print_rows(table)


def serve_page(query: str | None) -> None:
    """Serve the page of questions until interrupted."""
    from medassay.flows.commands.exit_codes import COULD_NOT_RUN
    from medassay.flows.serve.asking import serve_questions
    from medassay.flows.serve.serving import NotServing

    try:
        serve_questions(query)
    except NotServing as error:
        stop(str(error), COULD_NOT_RUN)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _rows_of(home: "Path | Shared", view: str, run: str | None) -> str:
    """Return the query of a view's rows of one run, the newest unless named; of views that are of no run, all rows."""
    from medassay.sql.snapshot import read_results
    from medassay.tasks.exporting import run_named

    of_runs = read_results(
        home,
        "select 1 from duckdb_columns() where table_name = ? and column_name = 'run_id' and schema_name = 'main'",
        [view.lower()],
    )
    from medassay.sql.view_map import view_map

    known = view_map().get(view.lower())
    order = f" order by {known.order}" if known and known.order else ""
    a_row_a_run = known is not None and known.keys in (("run_id",), ("dataset",))
    if not of_runs or run == "all" or (a_row_a_run and run is None):
        return f"from {view}{order}"
    return f"from {view} where run_id = '{run_named(home, run)}'{order}"


def _sql(query: str) -> str:
    if query == "-":
        return sys.stdin.read()
    if re.fullmatch(r"show\s+views\s*;?", query.strip(), re.IGNORECASE):
        return (
            "select view_name as view, comment as holds from duckdb_views()"
            " where not internal and comment is not null order by all"
        )
    if query.endswith(".sql") and (len(query.split()) == 1 or os.path.isfile(query)):
        try:
            return Path(query).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
            stop(f"{query}: {why}; give a .sql file, or the query itself", BAD_INPUT)
    return query


def _said(error: Exception) -> str:
    """Keep the database's own words and where they point; a wrong name gets the way to the right ones."""
    from medassay.sql.snapshot import refused_file

    text = str(error).strip()
    if refused_file(error):
        return (
            f"{visible(text.splitlines()[0])}\na query loads no extension and writes nothing inside the home; files"
            " elsewhere it names whole, between plain quotes"
        )
    if "read-only" in text:
        return "results are read-only: query them with select; what runs do is in the views"
    if "Catalog Error: Table" in text:
        text += '\nsee: medassay query "show views"'
    return text
