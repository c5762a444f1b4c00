"""The command `medassay`. Imports wait inside the commands, so that `--help` answers at once."""

import atexit
import os
import sys
from typing import Any

import click

from medassay.flows.commands.answering import answer
from medassay.flows.commands.calibrating import calibrate
from medassay.flows.commands.comparison import agree, compare
from medassay.flows.commands.differences import diff
from medassay.flows.commands.embedded import models
from medassay.flows.commands.evaluation import evaluate
from medassay.flows.commands.examination import doctor
from medassay.flows.commands.exporting import export
from medassay.flows.commands.judge_data import judge_data
from medassay.flows.commands.leaving import clear_errors, heed_signals
from medassay.flows.commands.nuggets import nuggets
from medassay.flows.commands.pairs import entail
from medassay.flows.commands.people import annotate, blind
from medassay.flows.commands.planning import plan
from medassay.flows.commands.results import query, report
from medassay.flows.commands.retention import prune
from medassay.flows.commands.service import serve
from medassay.flows.commands.sources import sources
from medassay.flows.commands.templates import template
from medassay.flows.commands.training import train
from medassay.flows.engine import leave_socks_aside


class Commands(click.Group):
    """The commands; a signal before or after a command's own work ends it in one line as well."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with clear_errors():
            for line in leave_socks_aside():
                click.echo(line, err=True)
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="medassay")
def main() -> None:
    """Measure biomedical answers: what they cover, what they get wrong, whether their citations hold."""


for command in (
    answer,
    template,
    evaluate,
    plan,
    compare,
    agree,
    diff,
    calibrate,
    report,
    query,
    export,
    prune,
    entail,
    nuggets,
    annotate,
    blind,
    models,
    sources,
    train,
    judge_data,
    doctor,
    serve,
):
    main.add_command(command)


def run() -> None:
    """Run the command and leave with its exit code.

    The last thing to happen is `os._exit`, after every other exit handler: the interpreter's own teardown lets
    DuckDB's bindings print a page of leak warnings whenever Prefect has kept a frame alive.
    """
    code: list[int] = [0]

    def leave() -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code[0])

    atexit.register(leave)
    heed_signals()
    try:
        main()
    except SystemExit as end:
        code[0] = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        code[0] = 3
        raise


if __name__ == "__main__":
    run()
