"""Writing calls down without holding up the others: replies that arrive together are put on disk together.

A disk takes milliseconds for every commit, whatever is in it; one at a time they would set the pace of a batch.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from medassay.models.chat.ledger import CallRecord, Ledger


class Scribe:
    """Writes into one ledger from a thread of its own, inside one event loop; leaving it writes what is left."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: list[tuple[CallRecord, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "medassay-ledger")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._writing is not None:
                await asyncio.shield(self._writing)
        finally:
            self._thread.shutdown()

    async def record(self, call: CallRecord) -> None:
        """Return when the call is on disk, with all that arrived while the disk was busy."""
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        self._waiting.append((call, written))
        if self._writing is None or self._writing.done():
            self._writing = loop.create_task(self._write())
        await written

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._thread, self._ledger.record, *(call for call, _ in batch))
            except Exception as error:
                for _, written in batch:
                    if not written.done():
                        written.set_exception(error)
            else:
                for _, written in batch:
                    if not written.done():
                        written.set_result(None)
