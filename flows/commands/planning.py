"""`medassay plan`."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.choices import MACHINE, GroupedCommand, evaluating
from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.flows.commands.run_flow import found_data


@click.command(cls=GroupedCommand)
@evaluating
@MACHINE
def plan(data: Path, no_wait: bool, machine: bool, **chosen: Any) -> None:
    """Print what evaluating DATA takes: calls, tokens, money and time by stage. Nobody is asked, nothing is kept."""
    with clear_errors():
        from medassay.flows.terminal.run import watching
        from medassay.models.settings import Settings
        from medassay.sql.home import home_folder
        from medassay.tasks.spending.estimating import total
        from medassay.tasks.spending.planning import plan as planned

        settings = Settings(found_data(data), **chosen)
        with watching():
            found = planned(home_folder(), settings, wait=not no_wait)
        whole = total(found.stages)
        if machine:
            click.echo(as_json({**found.as_dict(), "total": whole.as_dict()}))
            return
        from medassay.flows.terminal.tables import print_plan

        print_plan(found, whole)
        limits = {
            "--max-calls": (settings.max_calls, whole.n_calls),
            "--max-tokens": (settings.max_tokens, whole.prompt_tokens + whole.reply_tokens),
            "--max-money": (settings.max_money, whole.money),
        }
        for option, (most, amount) in limits.items():
            if most is not None and amount is not None and amount > most:
                click.echo(f"{option} {most:g} would stop the run: {amount:,.2f} is expected")
