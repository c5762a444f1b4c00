"""`medassay judge-data store add | list`: document stores that the evaluator retrieves from."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors
from medassay.models.counting import counted


@click.group()
def store() -> None:
    """Knowledge stores: texts of medicine, and guidelines for evaluators."""


@store.command("add")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--kind", required=True, type=click.Choice(["medicine", "guidelines"]), help="Which store.")
@click.option(
    "--embedder",
    default="embedded",
    show_default=True,
    metavar="SPEC",
    help="Sentence-embedding model: embedded | hf:<id or folder>; `build` embeds anew for another one.",
)
def store_add(files: tuple[Path, ...], kind: Any, embedder: str) -> None:
    """Add FILES (PDF, .txt, .md), cut into chunks that keep their page and place; one that is there is left alone."""
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.tasks.judge_training.stores import add_documents, readable

        read = readable(files)
        with held_home("judge-data store add") as warehouse:
            for added in add_documents(warehouse, kind, read, embedder):
                pages = f", {counted(added.n_pages, 'page')} with text" if added.n_pages is not None else ""
                there = "; it was there already, nothing to do" if added.was_there else ""
                click.echo(f"{added.name}: {counted(added.n_chunks, 'chunk')}{pages}{there}")


@store.command("list")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def store_list(machine: bool) -> None:
    """List the documents of both stores."""
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.tasks.judge_training.stores import list_stores

        with held_home("judge-data store list") as warehouse:
            rows = list_stores(warehouse)
        if machine:
            click.echo(as_json(rows))
            return
        if not rows:
            click.echo(
                "no document in any store; add some with `medassay judge-data store add --kind medicine FILES`"
            )
        for row in rows:
            pages = f", {counted(row['n_pages'], 'page')}" if row["n_pages"] is not None else ""
            click.echo(
                f"{row['store']:<11} {row['name']}: {counted(row['n_chunks'], 'chunk')}{pages},"
                f" added {row['added_at']:%Y-%m-%d %H:%M} UTC, sha256 {row['digest'][:12]}…"
            )
