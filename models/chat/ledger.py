"""The ledger of calls: what was asked and paid is written down before the next call is made."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

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
        """Say whether the model answered, well or badly, so that the same call is not made again."""
        return self.status in ANSWERED


@dataclass(frozen=True, slots=True)
class Known:
    """What a ledger holds of one call: how many attempts, and the answer that counts, None where it is to be asked."""

    attempts: int
    answer: CallRecord | None
    only_if_usable: bool = False
    """Whether the answer counts only where it can be read today; what reads replies may have become stricter."""


NEVER_ASKED = Known(0, None)


class Ledger(Protocol):
    """Where calls are written down; asked from the thread that runs the batch, written to from another."""

    def find(self, request_key: str, sample_no: int) -> Known:
        """Return how often this call was made, and its answer where there is one."""
        ...

    def record(self, *calls: CallRecord) -> None:
        """Write calls down, durably before returning."""
        ...


class MemoryLedger:
    """A ledger for tests and for single questions: it lives as long as the process."""

    def __init__(self) -> None:
        self.calls: list[CallRecord] = []

    def find(self, request_key: str, sample_no: int) -> Known:
        """Return how often this call was made, and its answer where there is one."""
        attempts = [c for c in self.calls if (c.request_key, c.sample_no) == (request_key, sample_no)]
        last = max(attempts, key=lambda call: call.attempt, default=None)
        if last is None:
            return NEVER_ASKED
        return Known(last.attempt, last if last.is_answer else None)

    def record(self, *calls: CallRecord) -> None:
        """Append the calls."""
        self.calls.extend(calls)
