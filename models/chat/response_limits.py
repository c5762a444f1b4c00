"""Receiving responses: within a size bound, and with a notice when a server is silent for long."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from medassay.models.unpacking import ACCEPTED_CODINGS, BodyTooLarge, body_unpacker

LARGEST_BODY = 32 * 2**20
"""Bytes of a response; the longest reply that is read has 200,000 characters, its log-probabilities a hundred times
that."""
HEADERS = {"Accept-Encoding": ACCEPTED_CODINGS}

TOLD_AFTER_S = 20.0
_LOOKS = 20
"""How often somebody looks before telling."""
_told: list[Callable[[str], None]] = []


async def read_within_bound(response: Any) -> None:
    """Read an httpx response's body before httpx does, as a hook of its client.

    Raises:
        BodyTooLarge: where more than `LARGEST_BODY` bytes come, before or after unpacking.
        httpx.TransportError: where the connection breaks, as without this hook.
    """
    # OpenAI's client brings httpx under a name of its own, and streams of one are none to the other.
    own_httpx = import_module(type(response).__module__.partition(".")[0])
    parts: list[bytes] = []
    received = size = 0
    stream = response.stream
    try:
        unpack = body_unpacker(response.headers.get("content-encoding", ""))
        async for chunk in stream:
            received += len(chunk)
            part = unpack(chunk, LARGEST_BODY + 1 - size)
            size += len(part)
            if max(size, received) > LARGEST_BODY:
                raise BodyTooLarge(f"the response is larger than {LARGEST_BODY // 2**20} MiB")
            parts.append(part)
    finally:
        await stream.aclose()
    for name in ("content-encoding", "content-length"):
        response.headers.pop(name, None)
    response.stream = own_httpx.ByteStream(b"".join(parts))


@contextmanager
def report_silent_servers_to(tell: Callable[[str], None]) -> Iterator[None]:
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
        """Tell of every silence that lasts, until cancelled; one that this process slept through begins anew."""
        looked = time.monotonic()
        while True:
            await asyncio.sleep(TOLD_AFTER_S / _LOOKS)
            before, looked = looked, time.monotonic()
            if looked - before >= TOLD_AFTER_S:
                self._begin()
            silent_s = looked - self._since
            if self._n_calls and not self._is_told and silent_s >= TOLD_AFTER_S:
                self._is_told = True
                self._tell(silent_s)

    def _tell(self, silent_s: float) -> None:
        if _told:
            _told[-1](
                f"waiting for {self._label}: nothing came for {silent_s:.0f} s,"
                f" and a call is given up after {self._deadline_s:g} s"
            )
