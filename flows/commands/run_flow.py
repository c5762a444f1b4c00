"""Starting a flow from a command: validate options and data, start the server, import models meanwhile."""

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from medassay.models.settings import Settings


def found_data(data: Path) -> str:
    """Return where the data is.

    Raises:
        IntakeError: where nothing is there.
    """
    from medassay.models.intake.file_opening import refuse_absent

    refuse_absent(data)
    return str(data.resolve())


def run_flow(name: str, machine: bool, no_wait: bool, data: Path, chosen: dict[str, Any]) -> dict[str, Any]:
    """Run the flow of this name and return its summary.

    Raises:
        UsageError, SpecError, IntakeError, WarehouseError: for what no run could begin with.
    """
    from medassay.flows.terminal.run import watching
    from medassay.models.intake.feasibility import refuse_unreadable

    settings = refuse(data, chosen)
    if name == "evaluate":
        refuse_nothing_to_measure(settings)
        if (known := _unchanged(settings)) is not None:
            return known
    refuse_unreadable(Path(settings.data), settings.columns)
    from medassay.flows.engine import prepare_prefect, report_lost_server, start_server

    prepare_prefect()
    if not machine:
        click.echo("starting Prefect …", err=True)
    server = start_server()
    flow = getattr(import_module(f"medassay.flows.{name}"), name)
    Thread(target=_import_ahead, name="imports", daemon=True).start()
    with watching(), report_lost_server():
        if server is not None:
            server.wait()
        summary: dict[str, Any] = flow(data=found_data(data), wait=not no_wait, **chosen)
    return summary


def _import_ahead() -> None:
    """Import what the stages need, while the command waits for the server."""
    from medassay.models.embedder_folder import import_ahead
    from medassay.models.intake.expectations import open_context

    with suppress(Exception):  # what needs it imports again, and says what is wrong
        import_module(
            "prefect.utilities.visualization"
        )  # by Prefect at a process's first flow, as is fastapi
        import_module("fastapi")
        open_context()
        import_ahead()


def refuse_nothing_to_measure(settings: Any) -> None:
    """Refuse data in which neither a reference, a nugget nor a citation stands, where no judge marks it by itself.

    Raises:
        IntakeError: saying what to add.
    """
    from medassay.models.intake.feasibility import refuse_nothing_to_measure as refuse

    if settings.judge in ("none", "evidence"):
        refuse(Path(settings.data), settings.columns)


def _unchanged(settings: "Settings") -> dict[str, Any] | None:
    """Finish a run of which nothing is new without waiting for Prefect's server."""
    from medassay.flows.terminal.run import watching
    from medassay.flows.unchanged import evaluate_unchanged
    from medassay.sql.home import home_folder

    with watching():
        return evaluate_unchanged(settings, home_folder())


def refuse(data: Path, chosen: dict[str, Any]) -> "Settings":
    """Look at the choices, the data's place, the prices and the home, as the flow will, and warn of a low threshold.

    Returns the choices.
    """
    from medassay.models.settings import LOUD_THRESHOLD, Settings
    from medassay.sql.home import home_folder, make_home
    from medassay.tasks.spending.caps import check_prices

    names = Settings.__dataclass_fields__.keys()
    settings = Settings(found_data(data), **{name: value for name, value in chosen.items() if name in names})
    check_prices(settings, home_folder())
    make_home(home_folder())
    if settings.threshold < LOUD_THRESHOLD:
        click.secho(
            f"WARNING: threshold {settings.threshold} is below {LOUD_THRESHOLD}: "
            "sentences that merely share a topic will count as matches",
            err=True,
            fg="yellow",
            bold=True,
        )
    return settings
