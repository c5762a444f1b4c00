"""Download and verify models with progress bars."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from medassay.flows.terminal.console import progress_console
from medassay.models.nli.language_model.merging import BASE, base_in_use, ensure_merged
from medassay.models.weights import MODELS, ModelMissing, WrongDigest, pull, verify
from medassay.models.weights import Progress as OnProgress
from medassay.models.weights.pulling import MirrorName

DEFAULTS = ("all-MiniLM-L6-v2", "all-mpnet-base-v2", "qwen2.5-coder-1.5b-instruct-q4_k_m")


@contextmanager
def bar(name: str) -> Iterator[OnProgress]:
    """Show bytes done of bytes to do while the block runs, once there are any: what is here needs no bar."""
    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=progress_console(),
    )
    with shown:
        task = shown.add_task(name, total=None, visible=False)

        def show(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total, visible=True)

        yield show


def pull_models(names: tuple[str, ...], everything: bool, mirror: MirrorName | None = None) -> None:
    """Fetch the models named, all of them, or those that an evaluation uses by default; the reader is made ready."""
    wanted = [model.name for model in MODELS] if everything else list(names or DEFAULTS)
    for name in wanted:
        with bar(name) as show:
            path = pull(name, show, mirror=mirror)
        click.echo(f"{name}  {path}")
    if BASE in wanted and base_in_use() is None:
        click.echo(f"reader  {ensure_merged(say=click.echo)}")


def verify_models(names: tuple[str, ...]) -> bool:
    """Hash the models named, or all that are here, and say of each whether it is what it should be."""
    sound = True
    for name in names or [model.name for model in MODELS]:
        try:
            path = verify(name)
        except ModelMissing as error:
            click.echo(f"{name}  not here" if not names else str(error), err=bool(names))
            sound = sound and not names
        except WrongDigest as error:
            click.echo(str(error), err=True)
            sound = False
        else:
            click.echo(f"{name}  sound  {path}")
    return sound
