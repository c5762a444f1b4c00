"""Options of an evaluation as options of commands, made from their record."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from medassay.flows.commands.exit_codes import share
from medassay.models.options import Option, type_of
from medassay.models.settings import CAPS, OPTIONS, Settings

DATA = click.argument("data", type=click.Path(path_type=Path))
MACHINE = click.option("--json", "machine", is_flag=True, help="Print everything as one JSON object.")
NO_WAIT = click.option(
    "--no-wait", is_flag=True, help="End with exit code 3 where another run holds the home."
)
_CODE = re.compile(r"`([^`]*)`")
C = TypeVar("C", bound=Callable[..., Any])


class GroupedCommand(click.Command):
    """A command whose help lists the options of an evaluation under their headings, its own first."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(context):
            if (
                isinstance(parameter, click.Option)
                and (record := parameter.get_help_record(context)) is not None
            ):
                of_evaluation = OPTIONS.get(parameter.name or "")
                sections.setdefault(of_evaluation.group if of_evaluation else "Options", []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def with_options(*options: Callable[..., Any]) -> Callable[[C], C]:
    """Give a command these options, in this order."""

    def given(command: C) -> C:
        for option in reversed(options):
            command = option(command)
        return command

    return given


def settings_options(*names: str) -> tuple[Callable[..., Any], ...]:
    """Return the options of these fields, or of all, as click has them."""
    return tuple(_as_click(name, OPTIONS[name]) for name in names or OPTIONS if name != "data")


def evaluating(command: C) -> C:
    """Give a command the data and every option of an evaluation; it gets a `data`, and the rest by name."""
    return with_options(DATA, *settings_options(), NO_WAIT)(command)


def _as_click(name: str, option: Option) -> Callable[..., Any]:
    field = Settings.model_fields[name]
    kind = type_of(field)
    given: dict[str, Any] = {"help": _CODE.sub(r"\1", option.summary), "metavar": option.metavar}
    flags = option.flags or ("--" + name.replace("_", "-"),)
    if kind is bool:
        return click.option(*flags, name, is_flag=True, help=given["help"])
    if get_origin(kind) is tuple:
        given["default"] = ",".join(field.default) or None
        if option.is_repeated:
            return click.option(*flags, name, multiple=True, help=given["help"], metavar=option.metavar)
        given["callback"] = _split
    elif get_origin(kind) is Literal and option.metavar is None:
        given["type"] = click.Choice(get_args(kind))
    elif kind is float:
        given |= (
            {"type": float} if field.default is None else {"type": share, "default": f"{field.default:g}"}
        )
    elif kind is int:
        given["type"] = int
    given.setdefault("default", field.default)
    if name == "judge":
        given |= {"multiple": True, "callback": _joined, "default": None}
        given["help"] += "  [default: evidence]"
    return click.option(*flags, name, show_default=given["default"] is not None, **given)


def _split(_context: click.Context, _option: click.Parameter, named: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in named.split(",") if part.strip())


def _joined(_context: click.Context, _option: click.Parameter, judges: tuple[str, ...]) -> str:
    return ",".join(judges) or str(Settings.model_fields["judge"].default)


LIMITS = settings_options(*CAPS, "prices", "phi")
"""What a command takes that asks models, and evaluates nothing."""
