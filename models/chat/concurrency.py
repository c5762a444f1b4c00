"""Concurrency of calls: additive increase, halved on overload, zero on silence; and what a failed call changes."""

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from medassay.models.chat.ledger import CallRecord

LONGEST_WAIT_S = 60.0
PATIENCE_S = 120.0
"""How long a server may give nobody anything before the rest is left to the next run."""
ENOUGH_REFUSALS = 8
"""How many calls in a row a server may turn away at the door before the rest is left to the next run."""
FORGOTTEN_AFTER_S = 600.0
"""A failure this long ago says nothing of the server now."""

Result = TypeVar("Result")
_FORBIDDEN = ("HTTP 401", "HTTP 402", "HTTP 403", "HTTP 429")
"""A wrong key, or an account without means: 429 is among them where it is said of the quota and not of the rate."""
_SAID_TO_ALL = ("HTTP 5", *_FORBIDDEN)
"""Refusals that are about the server, the key or the account, and not about what is asked."""


class NobodyAnswered(RuntimeError):
    """The server has given nobody anything for so long that the rest is not asked."""


@dataclass(slots=True)
class Traffic:
    """What was seen of one server, from batch to batch while the process lives; times are of the monotonic clock."""

    limit: float = math.inf
    resume_at: float = 0.0
    failing_since: float | None = None
    failed_at: float = 0.0
    tried_at: float = 0.0
    n_turned_away: int = 0
    reason: str = ""


_KNOWN: dict[tuple[str, str], Traffic] = {}


def known_traffic(base_url: str, model: str) -> Traffic:
    """Return what was seen of this server so far."""
    return _KNOWN.setdefault((base_url, model), Traffic())


class AdaptiveLimit:
    """Adaptive concurrency for one endpoint inside one event loop.

    A 429 halves the limit once per pause and holds every new call until `Retry-After` is over; each success
    adds a fraction back, as TCP does (Jacobson 1988, "Congestion avoidance and control"). Where a server gives
    nobody anything for `PATIENCE_S`, or turns `ENOUGH_REFUSALS` calls in a row away at the door (a wrong key, an
    account without means), one call in that time tries whether it is back, and all others end: each would otherwise
    wait for as long, one after the other, or carry its texts to a server that takes none.
    """

    def __init__(self, concurrency: int, traffic: Traffic | None = None) -> None:
        self._most = max(1, concurrency)
        self._seen = traffic or Traffic()
        self._running = 0
        self._changed = asyncio.Condition()
        self._door = asyncio.Lock()

    @property
    def limit(self) -> int:
        """How many calls may run at once now."""
        return int(min(self._seen.limit, self._most))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a free slot and for the end of a pause, then hold the slot.

        Raises:
            NobodyAnswered: where the server has been silent for too long.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self.limit)
            self._running += 1
        try:
            while (wait := self._seen.resume_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            if self._is_silent:
                # Who comes first tries for all: the others wait here for what comes of it.
                async with self._door:
                    if self._is_silent:
                        self._turn_away()
                        yield
                        return
            yield
        finally:
            async with self._changed:
                self._running -= 1
                self._changed.notify(max(0, self.limit - self._running))

    def succeeded(self) -> None:
        """Let a little more run at once."""
        self.heard()
        limit = min(self._seen.limit, self._most)
        grown = limit + 1.0 / limit
        # Another stage may have more at once than this one: only what the server refused is remembered.
        self._seen.limit = grown if grown < self._most else math.inf

    def heard(self) -> None:
        """Note that the server is there, whatever it said."""
        self._seen.failing_since = None
        self._seen.n_turned_away = 0

    def failed(self, reason: str, refusals: int = 0) -> None:
        """Note that a call brought nothing, and why: nobody listened, or nobody was let in.

        `refusals` is how much it weighs of the `ENOUGH_REFUSALS` at the door; 0 where another try may go better.
        """
        seen, now = self._seen, time.monotonic()
        if seen.failing_since is None or now - seen.failed_at > FORGOTTEN_AFTER_S:
            seen.failing_since = seen.tried_at = now
            seen.n_turned_away = 0
        seen.n_turned_away = seen.n_turned_away + refusals if refusals else 0
        seen.failed_at, seen.reason = now, reason

    def limited(self, wait_s: float) -> None:
        """Slow down: the server refused a call and wants it again after `wait_s` seconds."""
        seen, now = self._seen, time.monotonic()
        if now >= seen.resume_at:
            seen.limit = max(1.0, min(seen.limit, self._most) / 2)
        seen.resume_at = max(seen.resume_at, now + min(wait_s, LONGEST_WAIT_S))

    @property
    def _is_silent(self) -> bool:
        since = self._seen.failing_since
        return since is not None and (
            self._seen.failed_at - since >= PATIENCE_S or self._seen.n_turned_away >= ENOUGH_REFUSALS
        )

    def _turn_away(self) -> None:
        seen, now = self._seen, time.monotonic()
        if now - seen.tried_at < PATIENCE_S:
            silence_s = seen.failed_at - (seen.failing_since or seen.failed_at)
            if silence_s < PATIENCE_S:
                raise NobodyAnswered(f"not asked, since others were turned away: {seen.reason}")
            raise NobodyAnswered(
                f"not asked: the server gave nobody anything for {silence_s:.0f} s, and last: {seen.reason}"
            )
        seen.tried_at = now


async def in_order(
    items: Iterable[Any], work: Callable[[Any], Coroutine[Any, Any, Result]], at_once: int
) -> list[Result]:
    """Run the work with a bounded number of tasks, so that a million requests are not a million tasks."""
    results: dict[int, Result] = {}
    queue = iter(enumerate(items))

    async def worker() -> None:
        for index, item in queue:
            results[index] = await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())
    return [results[index] for index in range(len(results))]


def run(batch: Coroutine[Any, Any, Result]) -> Result:
    """Run the batch to its end, in a thread of its own where this one already has an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(batch)
    ended: list[Result] = []
    raised: list[BaseException] = []

    def target() -> None:
        try:
            ended.append(asyncio.run(batch))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=target, name="medassay-asking")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return ended[0]


def call_may_be_repeated(call: CallRecord) -> bool:
    """Return whether the same call could go better a moment later; a time-out would only multiply the wait."""
    if call.status == "http_error":
        return (call.error or "").startswith(("HTTP 5", "HTTP 408", "HTTP 409"))
    return call.status != "timeout"


def call_says_nothing(call: CallRecord) -> bool:
    """Return whether a call failed for the server's reasons and not the request's, so that the next one may as well."""
    if call.status == "http_error":
        return (call.error or "").startswith(_SAID_TO_ALL)
    return call.status in ("timeout", "connection", "rate_limited", "junk")


def call_is_forbidden(call: CallRecord) -> bool:
    """Return whether the server lets nobody in with this key or on this account."""
    return call.status == "http_error" and (call.error or "").startswith(_FORBIDDEN)


def call_was_turned_away(call: CallRecord) -> bool:
    """Return whether a call never reached the model: nobody listened, or the server refused it at the door.

    A server's own error (HTTP 5xx) is a call without tokens, and where a connection broke afterwards nobody knows.
    """
    if call.status == "http_error":
        return not (call.error or "").startswith("HTTP 5")
    if call.status == "connection":
        return (call.error or "").startswith("ConnectError")
    return call.status in ("rate_limited", "too_long")


def reason_of(call: CallRecord) -> str:
    """Return in words why a call brought nothing that could be used, with what the server said."""
    words = {
        "ok": "the reply could not be used",
        "bad_json": "the reply could not be used",
        "refusal": "the model refused to answer",
        "length": "the reply was cut off at its token limit",
        "content_filter": "the server's content filter stopped the reply",
        "empty": "the server sent no reply",
        "junk": "the server's response is not a chat completion",
        "timeout": "the server did not answer in time",
        "connection": "the connection failed",
        "rate_limited": "the server kept limiting the rate",
        "too_long": "the prompt is longer than the model's context",
        "http_error": "the server refused the request",
    }[call.status]
    if call.status == "http_error" and (call.error or "").startswith("HTTP 5"):
        words = "the server failed"
    return f"{words} ({call.error})" if call.error else words
