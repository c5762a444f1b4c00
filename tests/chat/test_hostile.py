"""Servers that do their worst to a response: each call ends in time, within its memory, with one reason."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Budget
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.silence import silent
from tests.chat.test_asking import number, question
from tests.judge_server import JudgeServer
from tests.wire_faults import ENDLESS, WIRE_FAULTS

CONNECTION, JUNK = "the connection failed (", "the server's response is not a chat completion ("
LATE = "the server did not answer in time (no answer within 0.2 s)"
REASONS = {
    **dict.fromkeys(ENDLESS, LATE),
    **dict.fromkeys(("half", "half_chunk", "bad_chunks", "endless_headers", "other_protocol"), CONNECTION),
}
ONCE = Budget(tries_without_answer=0)


@pytest.mark.parametrize("provider", ["", "anthropic"])
@pytest.mark.parametrize("fault", WIRE_FAULTS)
def test_what_a_server_does_to_a_response_ends_in_a_reason(
    judge_server: Any, fault: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", "sk-0123456789")
    judge_server.behaviour.verdict = number
    judge_server.will(fault)
    endpoint = Endpoint(judge_server.base_url, "judge", provider=provider)
    ledger = MemoryLedger()
    began = time.monotonic()
    deadline_s = 0.2 if fault in ENDLESS else 10.0
    (outcome,) = ask_all([question()], endpoint, ledger, deadline_s=deadline_s, budget=ONCE)
    assert outcome.status == "failed"
    assert (outcome.reason or "").startswith(REASONS.get(fault, JUNK))
    assert [(call.status != "ok", call.error is None) for call in ledger.calls] == [(True, False)]
    assert time.monotonic() - began < 8


@pytest.fixture
def elsewhere(judge_server: Any) -> Iterator[JudgeServer]:
    """Return another server, on the same machine by another name."""
    server = JudgeServer()
    yield server
    server.close()


@pytest.mark.parametrize("provider", ["", "anthropic"])
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_text_and_no_key_follow_a_redirect(
    judge_server: Any, elsewhere: JudgeServer, code: int, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", "sk-0123456789")
    judge_server.behaviour.redirect_code = code
    endpoint = Endpoint(judge_server.base_url, "judge", provider=provider)
    for there in (
        "",
        elsewhere.base_url.replace("127.0.0.1", "localhost"),
        "//192.0.2.1/v1",
        "ftp://192.0.2.1/",
    ):
        judge_server.behaviour.redirect_to = there
        judge_server.will("redirect")
        (outcome,) = ask_all([question(f"How many? {there}")], endpoint, MemoryLedger(), budget=ONCE)
        assert (outcome.status, outcome.n_sent) == ("failed", 1)
        assert (outcome.reason or "").endswith("which is not followed: name that address instead)")
    assert (len(judge_server.bodies), elsewhere.bodies) == (4, [])


def test_who_is_looked_for_is_not_looked_for_elsewhere(elsewhere: JudgeServer) -> None:
    class Moved(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", elsewhere.base_url)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Moved) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        assert silent([f"http://127.0.0.1:{server.server_port}/v1#m"]) == {}
        server.shutdown()
    assert elsewhere.n_got == 0


@pytest.mark.parametrize(
    ("retry_after", "status"),
    [
        ("3600", "failed"),
        ("99999999999999999999999", "failed"),
        pytest.param(
            format_datetime(datetime.now(UTC) + timedelta(hours=1)), "failed", id="a date in an hour"
        ),
        ("-5", "answered"),
        ("soon", "answered"),
        ("nan", "answered"),
        ("\u00b2", "answered"),
        ("Mon, 01 Jan 99999 00:00:00 GMT", "answered"),
        (format_datetime(datetime(1970, 1, 1, tzinfo=UTC)), "answered"),
    ],
)
def test_whatever_a_server_wants_waited_ends_in_time(
    judge_server: Any, retry_after: str, status: str
) -> None:
    judge_server.behaviour.verdict = number
    judge_server.behaviour.retry_after = retry_after
    judge_server.will("rate_limit")
    began = time.monotonic()
    (outcome,) = ask_all([question()], Endpoint(judge_server.base_url, "judge"), MemoryLedger())
    assert (outcome.status, time.monotonic() - began < 5) == (status, True)
