"""How many calls run at once: additive increase, halved when the server says it is too much."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LONGEST_WAIT_S = 60.0


class Pace:
    """Adaptive concurrency for one endpoint inside one event loop.

    A 429 halves the limit once per pause and holds every new call until `Retry-After` is over; each success
    adds a fraction back, as TCP does (Jacobson 1988, "Congestion avoidance and control").
    """

    def __init__(self, concurrency: int) -> None:
        self._most = max(1, concurrency)
        self._limit = float(self._most)
        self._running = 0
        self._resume_at = 0.0
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """How many calls may run at once now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a free slot and for the end of a pause, then hold the slot."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self.limit)
            self._running += 1
        try:
            while (wait := self._resume_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield
        finally:
            async with self._changed:
                self._running -= 1
                self._changed.notify(max(0, self.limit - self._running))

    def succeeded(self) -> None:
        """Let a little more run at once."""
        self._limit = min(float(self._most), self._limit + 1.0 / self._limit)

    def limited(self, wait_s: float) -> None:
        """Slow down: the server refused a call and wants it again after `wait_s` seconds."""
        now = time.monotonic()
        if now >= self._resume_at:
            self._limit = max(1.0, self._limit / 2)
        self._resume_at = max(self._resume_at, now + min(wait_s, LONGEST_WAIT_S))
