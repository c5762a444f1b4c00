"""A server that has calls and says nothing: whoever watches is told, long before the first call is given up."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TOLD_AFTER_S = 20.0
_LOOKS = 20
"""How often somebody looks before telling."""

_told: list[Callable[[str], None]] = []


@contextmanager
def waits_told_to(tell: Callable[[str], None]) -> Iterator[None]:
    """Have one person, and nobody who was told before, hear of silent servers while the block runs."""
    _told.append(tell)
    try:
        yield
    finally:
        _told.pop()


class Silence:
    """Since when a server with calls to answer has said nothing; told of once, until it is heard again."""

    def __init__(self, label: str, deadline_s: float) -> None:
        self._label, self._deadline_s = label, deadline_s
        self._n_calls = 0
        self._since = 0.0
        self._is_told = False

    @contextmanager
    def during_a_call(self) -> Iterator[None]:
        """Count a call as one that the server owes an answer to; when it ends, the server was heard or given up."""
        if not self._n_calls:
            self._begin()
        self._n_calls += 1
        try:
            yield
        finally:
            self._n_calls -= 1
            self._begin()

    def _begin(self) -> None:
        self._since, self._is_told = time.monotonic(), False

    async def watch(self) -> None:
        """Tell of every silence that lasts, until cancelled."""
        while True:
            await asyncio.sleep(TOLD_AFTER_S / _LOOKS)
            silent_s = time.monotonic() - self._since
            if self._n_calls and not self._is_told and silent_s >= TOLD_AFTER_S:
                self._is_told = True
                self._tell(silent_s)

    def _tell(self, silent_s: float) -> None:
        if _told:
            _told[-1](
                f"waiting for {self._label}: nothing came for {silent_s:.0f} s,"
                f" and a call is given up after {self._deadline_s:g} s"
            )
