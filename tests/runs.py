"""Runs taken as far as several tests need them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medassay.models.settings import Settings
from medassay.tasks.ingest import ingest
from medassay.tasks.progress import Silence
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.validate import validate


@contextmanager
def read_in(home: Path, settings: Settings) -> Iterator[RunRef]:
    """Start a run, take its data in and validate them; the run ends with the block."""
    with started_run(home, settings) as run:
        ingest(run)
        validate(run)
        yield run


class Told(Silence):
    """Keeps what was said to whoever watches."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep it."""
        self.lines.append(line)
