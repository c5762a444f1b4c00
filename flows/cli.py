"""The command `medassay`; commands and their dependencies are imported when they are called."""

import atexit
import os
import sys
from importlib import import_module
from typing import Any

import click

from medassay.flows.commands.exit_codes import clear_errors, install_signal_handlers
from medassay.flows.engine import drop_socks_proxies

GROUPS = {
    "Evaluate": {
        "evaluate": "evaluation",
        "plan": "planning",
        "answer": "answering",
        "entail": "pairs",
        "part": "parts",
        "template": "templates",
    },
    "Compare and look": {
        "compare": "comparison",
        "diff": "differences",
        "gate": "gating",
        "report": "results",
        "query": "results",
        "export": "exporting",
        "serve": "service",
    },
    "People": {
        "agree": "comparison",
        "annotate": "people",
        "blind": "people",
        "calibrate": "calibrating",
        "nuggets": "nuggets",
    },
    "Judges and readers": {
        "doctor": "examination",
        "judge-data": "judge_data",
        "train": "training",
    },
    "Sources": {
        "sources": "sources",
    },
    "House-keeping": {
        "models": "embedded",
        "prune": "retention",
    },
}
"""The commands by what they are for, and where each is defined."""
MODULES = {name: module for group in GROUPS.values() for name, module in group.items()}
"""Where each command is defined, in `flows/commands`; imported when it is asked for."""

LONGEST = 1_000
"""Of a command's first sentence in the list of commands: it is wrapped, never cut."""


class Commands(click.Group):
    """The commands; a signal before or after a command's own work ends it in one line as well."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names, in the order of the alphabet."""
        return sorted(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; of an unknown name import all, since click proposes the nearest of those that it holds."""
        for name in [cmd_name] if cmd_name in MODULES else MODULES:
            module = import_module(f"medassay.flows.commands.{MODULES[name]}")
            self.commands[name] = getattr(module, name.replace("-", "_"))
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for, each with its first sentence, whole."""
        for heading, names in GROUPS.items():
            found = [
                (name, command) for name in names if (command := self.get_command(ctx, name)) is not None
            ]
            with formatter.section(heading):
                formatter.write_dl([(name, command.get_short_help_str(LONGEST)) for name, command in found])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with clear_errors():
            for line in drop_socks_proxies():
                click.echo(line, err=True)
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="medassay")
def main() -> None:
    """Measure biomedical answers: what they cover, what they get wrong, whether their citations hold."""


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
    install_signal_handlers()
    try:
        main()
    except SystemExit as end:
        code[0] = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        code[0] = 3
        raise


if __name__ == "__main__":
    run()
