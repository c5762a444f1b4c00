"""The ledger of calls: each call is written down before the next one is made, without holding up the others."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, Self

CallStatus = Literal[
    "ok",
    "bad_json",
    "refusal",
    "length",
    "content_filter",
    "empty",
    "junk",
    "timeout",
    "connection",
    "rate_limited",
    "too_long",
    "http_error",
]
ANSWERED: frozenset[CallStatus] = frozenset({"ok", "bad_json", "refusal", "length", "content_filter"})
"""Statuses of calls that came back with an answer: asking the same again would pay twice."""


def is_another(asked: str, answered: str) -> bool:
    """Return whether a server names another model than the one asked; a dated version or a shorter name is the same."""
    one, other = _plain(asked), _plain(answered)
    return bool(other) and one not in other and other not in one


def told(who: str, asked_and_answered: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line for each other model that answered, `who` saying for what."""
    others = {
        (asked, answered)
        for asked, answered in asked_and_answered
        if answered and is_another(asked, answered)
    }
    return [f"{who}: {asked} was asked, and {answered[:100]} answered" for asked, answered in sorted(others)]


def _plain(name: str) -> str:
    return name.strip().lower().rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One HTTP call to a model, as it went; append-only, one row per (request_key, sample_no, attempt)."""

    request_key: str
    sample_no: int
    attempt: int
    endpoint: str
    model_asked: str
    model_answered: str | None
    prompt_digest: str
    raw_text: str | None
    finish_reason: str | None
    status: CallStatus
    error: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    latency_s: float
    asked_at: datetime
    retrieved: str | None = None
    """The sources that the server says it answered from, as JSON."""
    item_key: str | None = None
    """What it was about."""
    http_status: int | None = None
    """What the server answered; of an error inside a 200 the code in it, None where nothing came."""
    guard_key: str | None = None
    """The text that the PHI guard looked at before it left, by what it was then."""

    @property
    def is_answer(self) -> bool:
        """Return whether the model answered, well or badly, so that the same call is not made again."""
        return self.status in ANSWERED


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What a ledger holds of one call: how many attempts, and the answer that counts, None where it is to be asked."""

    attempts: int
    answer: CallRecord | None
    only_if_usable: bool = False
    """Whether the answer counts only where it can be read today; what reads replies may have become stricter."""


NEVER_ASKED = LedgerEntry(0, None)


class Ledger(Protocol):
    """Where calls are written down; asked from the thread that runs the batch, written to from another."""

    def find(self, request_key: str, sample_no: int) -> LedgerEntry:
        """Return how often this call was made, and its answer where there is one."""
        ...

    def record(self, *calls: CallRecord) -> None:
        """Write calls down, durably before returning."""
        ...


class MemoryLedger:
    """A ledger for tests and for single questions: it lives as long as the process."""

    def __init__(self) -> None:
        self.calls: list[CallRecord] = []

    def find(self, request_key: str, sample_no: int) -> LedgerEntry:
        """Return how often this call was made, and its answer where there is one."""
        attempts = [c for c in self.calls if (c.request_key, c.sample_no) == (request_key, sample_no)]
        last = max(attempts, key=lambda call: call.attempt, default=None)
        if last is None:
            return NEVER_ASKED
        return LedgerEntry(last.attempt, last if last.is_answer else None)

    def record(self, *calls: CallRecord) -> None:
        """Append the calls."""
        self.calls.extend(calls)


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
