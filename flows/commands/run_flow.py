"""Starting a flow from a command: validate options and data, start the server, import models meanwhile."""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from medassay.flows.fetching import LanguageModelPull
    from medassay.models.settings import Settings


def found_data(data: Path) -> str:
    """Return where the data is.

    Raises:
        IntakeError: where nothing is there.
    """
    from medassay.models.intake.file_opening import refuse_absent

    refuse_absent(data)
    return str(data.resolve())


def run_flow(
    name: str,
    machine: bool,
    no_wait: bool,
    data: Path,
    chosen: dict[str, Any],
    first_pass: bool | None = False,
    pull: bool = False,
) -> dict[str, Any]:
    """Run the flow of this name and return its summary.

    Args:
        name: `evaluate`, `compare` or `agree`.
        machine: whether the summary is printed as JSON.
        no_wait: whether a home that another run holds ends the command.
        data: what is evaluated.
        chosen: the flow's parameters.
        first_pass: whether the encoder's results are shown before; None where that is decided here.
        pull: whether missing models are fetched.

    Raises:
        UsageError, SpecError, IntakeError, WarehouseError: for what no run could begin with.
    """
    from medassay.models.intake.feasibility import refuse_unreadable

    settings = refuse(data, chosen)
    fetching = None
    if pull:
        settings, fetching = _fetch_missing(settings, chosen)
        chosen = {**chosen, "reader": settings.reader}
    if name == "evaluate":
        refuse_nothing_to_measure(settings)
        if fetching is None and (known := _unchanged(settings)) is not None:
            return known
    refuse_unreadable(Path(settings.data), settings.columns)
    warn_of_silence(settings)
    first = _first_pass(first_pass, settings, machine, no_wait)
    if fetching is not None:
        fetching.wait()
    summary = _run_with_prefect(name, machine, no_wait, data, chosen)
    if first:
        from medassay.flows.first_pass import changes
        from medassay.sql.home import home_folder

        summary["first_pass"] = changes(home_folder(), first["run_id"], summary["run_id"])
    return summary


def _run_with_prefect(
    name: str, machine: bool, no_wait: bool, data: Path, chosen: dict[str, Any]
) -> dict[str, Any]:
    """Start Prefect's server where none is named, and run the flow on it."""
    from medassay.flows.engine import prepare_prefect, report_lost_server, start_server
    from medassay.flows.terminal.run import watching

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


def _fetch_missing(
    settings: "Settings", chosen: dict[str, Any]
) -> "tuple[Settings, LanguageModelPull | None]":
    """Fetch the small models, begin to fetch the language model; the cascade reads where no other reader is named.

    Raises:
        UsageError: where nothing may be fetched.
        PullFailed: when no mirror serves a small model.
    """
    from medassay.flows.fetching import pull_language_model, pull_small_models
    from medassay.models.nli.choosing import CASCADE, READS_LETTERS
    from medassay.models.usage import UsageError

    if settings.offline:
        raise UsageError("--pull fetches models and --offline forbids it: leave one of the two out")
    pull_small_models()
    is_open = chosen.get("reader") == "auto" and not os.environ.get("MEDASSAY_READER", "").strip()
    if is_open:
        settings = settings.but(reader=CASCADE)
    return settings, pull_language_model() if settings.reader in READS_LETTERS else None


def _first_pass(
    asked: bool | None, settings: "Settings", machine: bool, no_wait: bool
) -> dict[str, Any] | None:
    """Evaluate with the encoder alone and print what came of it, where that is wanted; return its summary."""
    from medassay.flows.first_pass import evaluate_first, is_wanted
    from medassay.flows.terminal.run import watching
    from medassay.sql.home import home_folder

    if asked is False or not is_wanted(asked, settings, machine=machine):
        return None
    with watching():
        summary = evaluate_first(settings, home_folder(), wait=not no_wait)
    if not machine:
        from medassay.flows.commands.run_output import show_first_pass

        show_first_pass(summary)
    return summary


def _import_ahead() -> None:
    """Import what the stages need, while the command waits for the server."""
    from medassay.models.embedder_folder import import_ahead

    with suppress(Exception):  # what needs it imports again, and says what is wrong
        import_module(
            "prefect.utilities.visualization"
        )  # by Prefect at a process's first flow, as is fastapi
        import_module("fastapi")
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


def warn_of_silence(settings: "Settings") -> None:
    """Print at once which named model gives no answer, rather than when the run comes to ask it."""
    from medassay.models.chat.silence import silent

    for address, why in silent((settings.judge, settings.llm, settings.reader, settings.embedder)).items():
        click.secho(
            f"WARNING: {address} does not answer ({why}): start it, or stop this run (Ctrl-C) and name another;"
            " what it would say is missing else, and asked for again by the next run",
            err=True,
            fg="yellow",
            bold=True,
        )


def refuse(data: Path, chosen: dict[str, Any]) -> "Settings":
    """Look at the choices, the data's place, the prices and the home, as the flow will, and warn of a low threshold.

    Returns the choices.
    """
    from medassay.models.settings import LOUD_THRESHOLD, Settings
    from medassay.sql.home import home_folder, make_home
    from medassay.tasks.spending.caps import check_prices

    settings = Settings.chosen(found_data(data), chosen)
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
