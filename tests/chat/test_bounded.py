"""Replies are bounded while they are read, and hold no key once they are stored."""

import gzip
import json
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Budget, Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.http_call import without_keys
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.response_limits import LARGEST_BODY

KEY = "sk-test-0123456789/+abc"


class Replying(BaseHTTPRequestHandler):
    """Sends the bytes that the server holds, packed as it says."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body, coding = self.server.reply  # type: ignore[attr-defined]
        if callable(body):
            body = body(self.headers)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if coding:
            self.send_header("Content-Encoding", coding)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Replying)
    thread = threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def completion(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"model": "m", "choices": [choice]}).encode()


def asked(server: Any, ledger: MemoryLedger) -> Outcome[str]:
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", "m")
    request = Request("q", (Message("user", "Say."),), str)
    (outcome,) = ask_all([request], endpoint, ledger, budget=Budget(tries_without_answer=0))
    return outcome


@pytest.mark.parametrize(
    "coding, pack",
    [
        (None, bytes),
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body, wbits=-15)),
    ],
)
def test_a_packed_reply_is_read(server: Any, coding: str | None, pack: Any) -> None:
    server.reply = pack(completion("Yes.")), coding
    assert asked(server, MemoryLedger()).value == "Yes."


def test_a_reply_that_unpacks_to_gigabytes_is_given_up_within_its_bound(server: Any) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    blanks = bytes(1 << 20)
    bomb = b"".join(packer.compress(blanks) for _ in range(400)) + packer.flush()
    assert len(bomb) < 1 << 20
    server.reply = bomb, "gzip"
    tracemalloc.start()
    outcome = asked(server, MemoryLedger())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (outcome.status, outcome.reason) == (
        "failed",
        "the server's response is not a chat completion (the response is larger than 32 MiB)",
    )
    assert most < 3 * LARGEST_BODY


def test_a_coding_that_was_not_asked_for_is_named(server: Any) -> None:
    server.reply = completion("Yes."), "gzip, gzip"
    reason = asked(server, MemoryLedger()).reason
    assert reason is not None and "packed as 'gzip, gzip', which was not asked for" in reason


def test_a_key_in_an_ordinary_reply_is_not_stored(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", KEY)
    monkeypatch.setenv("NCBI_API_KEY", "another-key-of-mine")

    def repeats(headers: Any) -> bytes:
        said = f"Your header said {headers['Authorization']}, and I know another-key-of-mine."
        body = json.loads(completion(said)) | {"model": KEY, "citations": [f"https://a.example/?key={KEY}"]}
        return json.dumps(body).encode()

    server.reply = repeats, None
    ledger = MemoryLedger()
    outcome = asked(server, ledger)
    assert outcome.value == "Your header said Bearer [key], and I know [key]."
    (call,) = ledger.calls
    assert (call.model_answered, call.retrieved) == (
        "[key]",
        '[{"marker": "1", "url": "https://a.example/?key=[key]"}]',
    )


def test_keys_are_masked_however_they_are_written_and_placeholders_are_left() -> None:
    assert (
        without_keys("a sk%2Dx sk-test-0123456789%2F%2Babc sk-test-0123456789/+abc", [KEY])
        == "a sk%2Dx [key] [key]"
    )
    assert without_keys("none of it: Bearer none", ["none"]) == "none of it: Bearer [key]"
    assert without_keys("as it was", []) == "as it was"
