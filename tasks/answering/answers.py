"""Ask systems under test for answers, with a record of every call."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from medassay.models.answering.systems import System, request_for
from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import told
from medassay.models.chat.local.served import reachable
from medassay.models.settings import CAPS, Phi
from medassay.models.usage import UsageError, refuse_cap
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.progress import watcher
from medassay.tasks.spending import caps
from medassay.tasks.spending.caps import cap_at, note_price, tariff_of, tariffs
from medassay.tasks.spending.ledger import WarehouseLedger

STAGE = "answer"
MOST_HOURS = 1_000_000
"""No kept answer is older than this."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What asking may cost, and how old an answer may be that is used again; None for no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_money: float | None = None
    prices: str | None = None
    max_age: timedelta | None = None
    phi: Phi = "block"

    def __post_init__(self) -> None:
        """Refuse caps that nothing could be held to.

        Raises:
            UsageError: naming the cap and what it may be.
        """
        for name in CAPS:
            refuse_cap(name, getattr(self, name))


def age_of(hours: float) -> timedelta:
    """Return how old an answer may be.

    Raises:
        UsageError: for what is no number of hours.
    """
    if not 0 <= hours <= MOST_HOURS:
        raise UsageError(f"max_age is {hours}: choose 0 hours or more, up to {MOST_HOURS:,}")
    return timedelta(hours=hours)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one system: every question has an answer or the reason why it has none."""

    system: System
    answers: tuple[Row, ...]
    calls: tuple[Row, ...]

    @property
    def n_failed(self) -> int:
        """Count the questions without an answer."""
        return sum("failed" in row for row in self.answers)

    def summary(self) -> dict[str, Any]:
        """Return the counts, as JSON-able values."""
        totals = {
            name: sum(call[name] or 0 for call in self.calls)
            for name in ("n_sent", "prompt_tokens", "completion_tokens")
        }
        return {
            "system": self.system.name,
            "base_url": self.system.base_url,
            "model": self.system.model,
            "n_asked": len(self.answers),
            "n_answered": len(self.answers) - self.n_failed,
            "n_failed": self.n_failed,
            "n_reused": sum(call["status"] == "answered" and not call["n_sent"] for call in self.calls),
            "n_cut": sum(bool(call["cut"]) for call in self.calls),
            **totals,
            "first_reason": next((row["failed"] for row in self.answers if "failed" in row), None),
        }


def refuse_unpriced(systems: Sequence[System], home: Path, limits: Limits) -> None:
    """Refuse prices that cannot be read, and a cap in money where a price is not known or in another currency.

    Raises:
        UsageError: naming the model and where to write its price, or the currencies.
    """
    known = tariffs(home, limits.prices)
    if limits.max_money is not None:
        caps.refuse_unpriced((s.model for s in systems if not s.endpoint.is_ours), known, home)


def refuse_names(
    warehouse: Warehouse, systems: Sequence[System], questions: Sequence[Row], limits: Limits
) -> None:
    """Look at every question before any of them leaves this machine; what stops the asking has its audit line.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    from medassay.models.phi.guard import count_phi
    from medassay.tasks.phi import Looked, audit_lines, refuse

    elsewhere = [s.endpoint for s in systems if not s.endpoint.is_loopback]
    if not elsewhere or limits.phi != "block":
        return
    places = [(f"question {q['question_id']}", count_phi({"question": q["question"]})) for q in questions]
    stopped = [Looked(where, where, counts) for where, counts in places if counts]
    for endpoint in elsewhere:
        audit_lines(warehouse, None, STAGE, endpoint, "block", stopped)
    refuse(places, elsewhere)


def ask_system(
    warehouse: Warehouse, home: Path, system: System, questions: Sequence[Row], limits: Limits, cap: Cap
) -> Asked:
    """Put every question to one system; what was asked before is not asked again while it is young enough.

    Each call is on disk before the next is made, so that a killed command goes on where it was.
    """
    watcher().begin(f"{STAGE} · {system.name}", len(questions), len(questions))
    with reachable(system.endpoint) as endpoint:
        tariff = tariff_of(endpoint, tariffs(home, limits.prices))
        note_price(warehouse, endpoint, tariff)
        asked = [request_for(system, q["question_id"], q["question"]) for q in questions]
        leaving = _guarded(warehouse, asked, endpoint, limits.phi)
        outcomes = ask_all(
            _numbered(warehouse, leaving, endpoint, limits),
            endpoint,
            WarehouseLedger(warehouse, None, STAGE),
            cap=cap_at(cap, tariff),
            on_done=lambda _: watcher().advance(f"{STAGE} · {system.name}", 1),
        )
    rows = [_row(system, question, outcome) for question, outcome in zip(questions, outcomes, strict=True)]
    if not endpoint.is_ours:
        for line in told(system.name, ((system.model, call["model_answered"]) for _, call in rows)):
            watcher().say(line)
    answered = Asked(system, tuple(answer for answer, _ in rows), tuple(call for _, call in rows))
    watcher().end(f"{STAGE} · {system.name}", f"{answered.n_failed} failed" if answered.n_failed else "")
    return answered


def _numbered(
    warehouse: Warehouse, requests: Sequence[Request[str]], endpoint: Endpoint, limits: Limits
) -> list[Request[str]]:
    """Number each request so that an answer that is too old is asked for anew, beside the old one in the ledger."""
    if limits.max_age is None:
        return list(requests)
    keys = [request.request_key(endpoint) for request in requests]
    last = {
        row["request_key"]: (row["sample_no"], row["asked_at"])
        for row in warehouse.rows(
            "select request_key, max(sample_no) as sample_no, arg_max(asked_at, (sample_no, attempt)) as asked_at"
            " from model_call"
            " where request_key in (select unnest($keys)) group by request_key",
            {"keys": keys},
        )
    }
    now = datetime.now(UTC)
    numbered = []
    for request, key in zip(requests, keys, strict=True):
        sample_no, asked_at = last.get(key, (0, None))
        # One from the future, by a clock that was set back since, is not fresh for ever.
        stale = asked_at is not None and abs(now - asked_at) > limits.max_age
        numbered.append(replace(request, sample_no=sample_no + stale))
    return numbered


def _guarded(
    warehouse: Warehouse, requests: Sequence[Request[str]], endpoint: Endpoint, phi: Phi
) -> list[Request[str]]:
    """Return requests as they may leave this machine; placeholders in the answers get their meaning back.

    Every one has its audit line; under `block` all of them were looked at before.
    """
    if endpoint.is_loopback:
        return list(requests)
    from medassay.models.phi.guard import guard_texts
    from medassay.tasks.phi import Looked, audit_lines

    looked = [guard_texts({"question": request.messages[1].content}, phi) for request in requests]
    leaving = [
        _redacted(request, clean["question"], meaning) if meaning else request
        for request, (_, clean, meaning) in zip(requests, looked, strict=True)
    ]
    found = [
        Looked(request.item_key, request.prompt_digest, counts)
        for request, (counts, _, _) in zip(leaving, looked, strict=True)
    ]
    audit_lines(warehouse, None, STAGE, endpoint, phi, found)
    return [replace(request, guard_key=request.prompt_digest) for request in leaving]


def _redacted(request: Request[str], question: str, meaning: Mapping[str, str]) -> Request[str]:
    from medassay.models.phi.placeholders import restored

    return replace(
        request,
        messages=(request.messages[0], Message("user", question)),
        read=lambda text: restored(request.read(text), meaning),
    )


def _row(system: System, question: Row, outcome: Outcome[str]) -> tuple[Row, Row]:
    """Return the answer's row and what is known of the call behind it.

    A refusal is the system's answer, and so is what its server's filter stopped: silence. Everything else without
    an answer failed, with the reason.
    """
    last = outcome.calls[-1] if outcome.calls else None
    answer: Row = {"question_id": question["question_id"], "system": system.name}
    silent = (
        outcome.status == "abstained" and last is not None and last.status in ("refusal", "content_filter")
    )
    if outcome.status == "answered":
        answer["answer"] = outcome.value
        if last is not None and last.retrieved:
            answer["references"] = json.loads(last.retrieved)
    elif silent and last is not None:
        answer["answer"] = last.raw_text or "" if last.status == "refusal" else ""
    else:
        answer["failed"] = outcome.reason or "the model gave no reason"
    call = {
        "question_id": question["question_id"],
        "system": system.name,
        "status": "failed" if "failed" in answer else "answered",
        "reason": outcome.reason,
        "cut": last is not None and last.finish_reason == "length" and "failed" not in answer,
        "n_sent": outcome.n_sent,
        "model_answered": last.model_answered if last else None,
        "asked_at": last.asked_at.isoformat() if last else None,
        "prompt_tokens": sum(c.prompt_tokens or 0 for c in outcome.calls) if outcome.n_sent else 0,
        "completion_tokens": sum(c.completion_tokens or 0 for c in outcome.calls) if outcome.n_sent else 0,
        "latency_s": last.latency_s if last else None,
        "request_key": last.request_key if last else None,
        "sample_no": last.sample_no if last else None,
    }
    return answer, call
