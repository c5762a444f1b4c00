"""docs/commands.md: every command with its options, as `-h` shows them."""

from collections.abc import Iterator

import click

from medassay.flows.cli import main

HEAD = """# Commands

What `medassay COMMAND -h` says; written by `make docs`.
"""


def page() -> str:
    """Return the page: a section a command."""
    return "\n".join([HEAD, *(section(context) for context in commands())])


def commands() -> Iterator[click.Context]:
    """Yield the context of every command that can be called, depth first, in the order of `medassay -h`."""
    yield from _below(click.Context(main, info_name="medassay", max_content_width=110, terminal_width=110))


def _below(context: click.Context) -> Iterator[click.Context]:
    command = context.command
    if not isinstance(command, click.Group):
        yield context
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if child is not None and not child.hidden:
            yield from _below(click.Context(child, info_name=name, parent=context, terminal_width=110))


def section(context: click.Context) -> str:
    """Return one command's help."""
    return f"## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
