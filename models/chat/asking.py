"""Send requests: retries, outcomes, ledger before the next call.

Transport is tried here and nowhere else (the client retries nothing), a bad reply is asked about once with
the exact error, and what failed for the world's sake is left to the caller's retry.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from medassay.models.chat.cap import Cap, CapReached, Reserved
from medassay.models.chat.concurrency import (
    ENOUGH_REFUSALS,
    LONGEST_WAIT_S,
    AdaptiveLimit,
    NobodyAnswered,
    call_is_forbidden,
    call_may_be_repeated,
    call_says_nothing,
    call_was_turned_away,
    in_order,
    known_traffic,
    reason_of,
    run,
)
from medassay.models.chat.conversation import Budget, Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.http_call import Sent, Wire
from medassay.models.chat.ledger import CallRecord, Ledger, Scribe
from medassay.models.chat.reply import Complaint

Value = TypeVar("Value")
_BACKOFF_S = 0.5
_ROOM_S = 0.02
ROOM_AFTER_A_CUT = 4
"""How many times the tokens a reply gets that was cut off, when it is asked for again: thinking first takes them."""
DEADLINE_S, OUR_DEADLINE_S = 120.0, 3600.0
"""A server of ours has the pace of this machine and one slot, and goes on with what nobody waits for any more."""


async def ask(
    request: Request[Value],
    wire: Wire,
    ledger: Ledger,
    *,
    pace: AdaptiveLimit,
    cap: Cap | None = None,
    budget: Budget | None = None,
    locks: dict[str, asyncio.Lock] | None = None,
    scribe: Scribe,
) -> Outcome[Value]:
    """Ask one request until it is answered, abstained or failed, within the budget."""
    return await _Asking(
        request, wire, ledger, scribe, pace, cap or Cap(), budget or Budget(), {} if locks is None else locks
    ).run()


def ask_all(
    requests: Iterable[Request[Value]],
    endpoint: Endpoint,
    ledger: Ledger,
    *,
    concurrency: int = 8,
    deadline_s: float | None = None,
    cap: Cap | None = None,
    budget: Budget | None = None,
    on_done: Callable[[Outcome[Value]], None] | None = None,
) -> list[Outcome[Value]]:
    """Ask a batch and return its outcomes in order; one event loop lives and dies in here.

    Args:
        requests: what to ask; equal ones are sent once. They are taken when their turn comes, so that one is made
            while others are on their way.
        endpoint: whom to ask; a server of ours gets one call at a time and all the time that this machine needs.
        ledger: consulted before, written after every call: the next is made when it is on disk.
        concurrency: the most calls at once; fewer while the server limits.
        deadline_s: the longest wait for any one call, in seconds; two minutes, and an hour for a server of ours, unless
            given.
        cap: shared by all batches of a run; when it is reached, the rest fail with that reason.
        budget: how often one request may be sent.
        on_done: called with each outcome as soon as it is there.
    """
    if endpoint.is_ours:
        concurrency = 1
    longest_s = deadline_s or (OUR_DEADLINE_S if endpoint.is_ours else DEADLINE_S)

    async def batch() -> list[Outcome[Value]]:
        pace = AdaptiveLimit(concurrency, known_traffic(endpoint.identity, endpoint.model))
        locks = dict[str, asyncio.Lock]()
        async with Wire(endpoint, longest_s) as wire, Scribe(ledger) as scribe:

            async def one(request: Request[Value]) -> Outcome[Value]:
                outcome = await ask(
                    request, wire, ledger, pace=pace, cap=cap, budget=budget, locks=locks, scribe=scribe
                )
                if on_done is not None:
                    on_done(outcome)
                return outcome

            return await in_order(requests, one, 4 * concurrency)

    return [] if isinstance(requests, Sequence) and not requests else run(batch())


class _Asking:
    """The course of one request: the conversation so far, what was sent, what is left of the budget."""

    def __init__(
        self,
        request: Request[Any],
        wire: Wire,
        ledger: Ledger,
        scribe: Scribe,
        pace: AdaptiveLimit,
        cap: Cap,
        budget: Budget,
        locks: dict[str, asyncio.Lock],
    ) -> None:
        self._scribe = scribe
        self._request, self._wire, self._ledger, self._pace, self._cap = request, wire, ledger, pace, cap
        self._budget, self._locks = budget, locks
        self._wording = wire.wording_of(request)
        self._calls: list[CallRecord] = []
        self._sent = self._unanswered = self._waits = 0

    async def run(self) -> Outcome[Any]:
        request = self._request
        for asking in range(self._budget.askings):
            try:
                call = await self._answer(request)
            except (CapReached, NobodyAnswered) as end:
                return self._end("failed", str(end))
            if not call.is_answer:
                abstains = call.status == "too_long"
                return self._end("abstained" if abstains else "failed", reason_of(call))
            if call.status in ("refusal", "content_filter"):
                return self._end("abstained", reason_of(call))
            error, value = _read(request, call)
            if error is None:
                return self._end("answered", None, value)
            if asking + 1 < self._budget.askings:
                request = _asked_again(request, call, error)
        return self._end("abstained", _unusable(request, call, error, self._budget.askings))

    async def _answer(self, request: Request[Any]) -> CallRecord:
        """Find the call in the ledger or make it, again and again while the budget lasts."""
        key = request.request_key(self._wire.endpoint)
        async with self._locks.setdefault(f"{key}/{request.sample_no}", asyncio.Lock()):
            known = self._ledger.find(key, request.sample_no)
            if known.answer is not None and not (known.only_if_usable and _read(request, known.answer)[0]):
                self._calls.append(known.answer)
                return known.answer
            attempt = known.attempts
            while True:
                call, wait_s = await self._in_words(request, key, attempt)
                attempt = call.attempt
                if call.is_answer or call.status == "too_long" or not call_may_be_repeated(call):
                    return call
                if wait_s > LONGEST_WAIT_S:
                    return call
                if call.status == "rate_limited":
                    self._waits += 1
                    if self._waits > self._budget.waits:
                        return call
                    self._pace.limited(wait_s)
                    continue
                self._unanswered += 1
                if self._unanswered > self._budget.tries_without_answer:
                    return call
                await asyncio.sleep(wait_s)

    async def _reserve(self, request: Request[Any]) -> Reserved:
        """Set the call's worst case aside; where it does not fit, wait for what others give back."""
        while True:
            try:
                return self._cap.reserve(request.most_prompt_tokens, request.max_tokens)
            except CapReached:
                if self._cap.reached:
                    raise
            await asyncio.sleep(_ROOM_S)

    async def _in_words(self, request: Request[Any], key: str, attempt: int) -> tuple[CallRecord, float]:
        """Send in weaker and weaker words while the server refuses the form; each of them is an attempt."""
        while True:
            attempt += 1
            sent = await self._send(request, key, attempt)
            self._calls.append(sent.call)
            if not sent.can_be_reworded:
                break
        default_wait_s = _BACKOFF_S * 2.0 ** min(self._waits + self._unanswered, 6)
        return sent.call, default_wait_s if sent.retry_after_s is None else sent.retry_after_s

    async def _send(self, request: Request[Any], key: str, attempt: int) -> Sent:
        async with self._pace.slot():
            reserved = await self._reserve(request)
            try:
                sent = await self._wire.send(request, key, attempt, self._wording)
            except BaseException:
                self._cap.release(reserved)
                raise
            call = sent.call
            await self._scribe.record(call)
            self._sent += 1
            if call.is_answer:
                self._pace.succeeded()
            elif call_says_nothing(call) and not sent.can_be_reworded:
                self._pace.failed(reason_of(call), _refusals(sent))
            else:
                self._pace.heard()
            if call_was_turned_away(call):
                self._cap.release(reserved)
            elif call.status == "http_error":
                self._cap.settle(reserved, 0, 0)
            else:
                self._cap.settle(reserved, call.prompt_tokens, call.completion_tokens)
        return sent

    def _end(self, status: Any, reason: str | None, value: Any = None) -> Outcome[Any]:
        return Outcome(self._request.item_key, status, value, reason, tuple(self._calls), self._sent)


def _refusals(sent: Sent) -> int:
    """Describe how much a call counts towards those turned away: all, where the server wants nobody for a long time."""
    if (sent.retry_after_s or 0.0) > LONGEST_WAIT_S:
        return ENOUGH_REFUSALS
    return int(call_is_forbidden(sent.call))


def _read(request: Request[Value], call: CallRecord) -> tuple[str | None, Value | None]:
    """Read an answer; return what is wrong with it, or its value; of a cut one only an object that is whole."""
    text = call.raw_text or ""
    if _was_cut(call):
        return f"it was cut off after {request.max_tokens} tokens, so write less", None
    try:
        return None, request.read(text)
    except Complaint as complaint:
        return str(complaint), None


def _was_cut(call: CallRecord) -> bool:
    return call.status == "length" and not (call.raw_text or "").rstrip().endswith("}")


def _unusable(request: Request[Any], call: CallRecord, error: str | None, askings: int) -> str:
    """Return why the last reply could not be used."""
    if _was_cut(call):
        which = "the reply" if askings == 1 else f"the last of {askings} replies"
        return f"{which} was cut off after {request.max_tokens} tokens"
    return f"{reason_of(call)} after {askings} askings: {error}"


def _asked_again(request: Request[Any], call: CallRecord, error: str) -> Request[Any]:
    """Continue with the reply and what is wrong with it; a reply cut short gets more room.

    Where all the room went into thinking there is no reply to show, and servers refuse an empty turn.
    """
    if request.reads_probabilities or request.embeds:
        return request
    room = request.max_tokens * ROOM_AFTER_A_CUT if call.status == "length" else request.max_tokens
    if not (call.raw_text or "").strip():
        return replace(request, max_tokens=room)
    instruction = f"Your reply could not be used: {error}. Send the whole reply again, {request.form}."
    turns = (Message("assistant", call.raw_text or ""), Message("user", instruction))
    return replace(request, messages=(*request.messages, *turns), max_tokens=room)
