"""`medassay prune`."""

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.models.counting import counted


@click.command()
@click.option("--keep", default=20, show_default=True, metavar="N", help="Finished runs that stay.")
@click.option(
    "--raw",
    is_flag=True,
    help="Drop models' raw replies and fetched bodies too. No result needs them, but equal calls are paid for again.",
)
@click.option("--dry-run", is_flag=True, help="Say which runs would go, and change nothing.")
@click.option("--json", "machine", is_flag=True, help="Print one JSON object.")
def prune(keep: int, raw: bool, dry_run: bool, machine: bool) -> None:
    """Drop all but the last runs, then what no run reaches, then give the space back.

    The last run of every data set stays whatever N is, and so does one that was killed and has no successor yet.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.tasks.prune import kept_runs
        from medassay.tasks.prune import prune as run

        with held_home("prune", made=False) as warehouse:
            if dry_run:
                kept = set(kept_runs(warehouse, keep))
                runs = warehouse.rows(
                    "select run_id, name, dataset, state, started_at from run order by started_at, run_id"
                )
                going = [row for row in runs if row["run_id"] not in kept]
                if machine:
                    click.echo(as_json({"kept": sorted(kept), "dropped": [row["run_id"] for row in going]}))
                    return
                for row in going:
                    named = f" ({row['name']})" if row["name"] else ""
                    click.echo(f"would go: {row['run_id']}{named}  {row['dataset']}, {row['state']}")
                stay = "stays" if len(kept) == 1 else "stay"
                click.echo(f"{len(going)} of {counted(len(runs), 'run')} would go, {len(kept)} {stay}")
                return
            done = run(warehouse.path.parent, keep, raw=raw)
        if machine:
            click.echo(as_json(done.as_dict()))
            return
        for table, (before, after) in done.rows.items():
            if before != after:
                click.echo(f"{table}: {before:,} rows → {after:,}")
        click.echo(
            f"{counted(len(done.dropped), 'run')} dropped, {len(done.kept)} kept;"
            f" work file {done.bytes_before / 1e6:,.1f} MB → {done.bytes_after / 1e6:,.1f} MB"
        )
