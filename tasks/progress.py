"""Progress of stages for whoever watches: terminal, Prefect page, or nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from medassay.models.chat.response_limits import report_silent_servers_to


class Watcher(Protocol):
    """Somebody who watches the stages of a run."""

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Hear that a stage starts: `total` items, of which `pending` are still to do."""

    def advance(self, stage: str, count: int) -> None:
        """Hear that `count` more items are done."""

    def end(self, stage: str, note: str) -> None:
        """Hear that a stage is over, with a note on what it left undone."""

    def say(self, line: str) -> None:
        """Hear one line that the person at the terminal should read."""


class Silence:
    """Watches nothing."""

    def begin(self, stage: str, total: int, pending: int) -> None:
        """Let it pass."""

    def advance(self, stage: str, count: int) -> None:
        """Let it pass."""

    def end(self, stage: str, note: str) -> None:
        """Let it pass."""

    def say(self, line: str) -> None:
        """Let it pass."""


class LinesOnly(Silence):
    """Passes lines on, and nothing of the stages: for work of a stage that is not run as one."""

    def __init__(self, around: Watcher) -> None:
        self.say = around.say  # type: ignore[method-assign]  # it is what the other does


_watcher: list[Watcher] = [Silence()]


def watcher() -> Watcher:
    """Return whoever watches now."""
    return _watcher[-1]


@contextmanager
def watched_by(newcomer: Watcher) -> Iterator[None]:
    """Let somebody watch while the block runs."""
    _watcher.append(newcomer)
    try:
        with report_silent_servers_to(newcomer.say):
            yield
    finally:
        _watcher.pop()
