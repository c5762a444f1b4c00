"""An OpenAI-compatible judge on loopback that can misbehave in every way a real one does.

Tests get it by the fixture `judge_server`.
"""

import hashlib
import json
import random
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.wire_faults import WIRE_FAULTS, send_faulty

SUB_METRICS = ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety")
MENDABLE = ("fenced", "reasoning", "trailing", "draft_first", "string_number", "integral_float", "repairable")
ANNOYING = (
    "bad_json",
    "missing_key",
    "out_of_range",
    "float",
    "boolean",
    "no_object",
    "length",
    "empty_text",
)
FATAL = ("refusal", "content_filter", "empty_choices", "junk", "error_500", "error_400", "slow", "reset")
FAULTS = (*MENDABLE, *ANNOYING, *FATAL, "rate_limit", "tool_call")


def verdict_by_digest(body: dict[str, Any]) -> dict[str, Any]:
    """Give scores that depend on nothing but the prompt."""
    digest = hashlib.sha256(json.dumps(body["messages"][:2]).encode()).digest()
    scores: dict[str, Any] = {name: digest[i] % 101 for i, name in enumerate(SUB_METRICS)}
    return {**scores, "overall_justification": "The answer was read. Its scores follow from its words."}


@dataclass
class Behaviour:
    """What the server does; change it at any time.

    `queue` holds the faults of the next calls, `ok` for none; when it is empty, `faulty_share` of the calls
    get one of `faults`, drawn by a seeded generator. `text`, where set, writes the reply in place of `verdict`.
    """

    verdict: Callable[[dict[str, Any]], dict[str, Any]] = verdict_by_digest
    text: Callable[[dict[str, Any]], str] | None = None
    queue: list[str] = field(default_factory=list)
    faulty_share: float = 0.0
    faults: tuple[str, ...] = FAULTS
    latency_s: float = 0.0
    holds_after: int | None = None
    """After how many calls the next ones get no answer any more."""
    slow_s: float = 3.0
    retry_after: str = "0.01"
    redirect_code: int = 307
    redirect_to: str = "http://127.0.0.1:9/v1/chat/completions"
    """Where a redirect leads; to the address that was asked where it is empty."""
    refused_forms: frozenset[str] = frozenset()
    form_error: str = "response_format of type {form} is not supported"
    refuses_max_tokens: bool = False
    refuses_temperature: bool = False
    refuses_top_k: bool = False
    beside: dict[str, Any] = field(default_factory=dict)
    model: str = "judge-2026-11-01"
    yes_probability: float = 0.75
    alternatives: Callable[[dict[str, Any]], dict[str, float]] | None = None
    """The probabilities of a first token's alternatives, in place of those of Yes and No."""


class JudgeServer:
    """The server, listening on 127.0.0.1 from construction to `close`."""

    def __init__(self, port: int = 0, seed: int = 7) -> None:
        self.behaviour = Behaviour()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.given_faults: list[str] = []
        self.n_got = 0
        self.most_at_once = 0
        self._at_once = 0
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        outer = self

        class Handler(_Handler):
            server_state = outer

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Say nothing where a client is gone."""

        self._server = Server(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.02), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def spec(self) -> str:
        return f"{self.base_url}#judge"

    def will(self, *faults: str) -> None:
        """Misbehave in this way on the next calls, in order."""
        self.behaviour.queue.extend(faults)

    def close(self) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, body: dict[str, Any], headers: Iterable[tuple[str, str]]) -> str:
        with self._lock:
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in headers})
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            behaviour = self.behaviour
            if behaviour.queue:
                fault = behaviour.queue.pop(0)
            elif self._random.random() < behaviour.faulty_share:
                fault = self._random.choice(behaviour.faults)
            else:
                fault = "ok"
            self.given_faults.append(fault)
            return fault

    def end(self) -> None:
        with self._lock:
            self._at_once -= 1

    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        self._stopped.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    """One write for head and body, so that a slow reader never sees half a head."""

    server_state: JudgeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.server_state.n_got += 1
        self._send(404, {"error": {"message": "no such page"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state = self.server_state
        state.paths.append(self.path)
        fault = state.begin(body, self.headers.items())
        try:
            self._answer(state, body, fault)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            state.end()

    def _answer(self, state: JudgeServer, body: dict[str, Any], fault: str) -> None:
        behaviour = state.behaviour
        if behaviour.latency_s:
            state.wait(behaviour.latency_s)
        if behaviour.holds_after is not None and len(state.bodies) > behaviour.holds_after:
            state.wait(600)
        if refusal := _form_refusal(behaviour, body):
            return self._send(400, {"error": {"message": refusal, "type": "invalid_request_error"}})
        if fault == "rate_limit":
            error = {"error": {"message": "Rate limit reached"}}
            return self._send(429, error, {"Retry-After": behaviour.retry_after})
        if fault == "error_500":
            return self._send(500, {"error": {"message": "The server had an error"}})
        if fault == "error_400":
            return self._send(400, {"error": {"message": "this model cannot be used here"}})
        if fault == "error_401":
            error = {"error": {"message": f"Incorrect API key: {self.headers.get('Authorization')}"}}
            return self._send(401, error)
        if fault == "too_long":
            error = {"error": {"message": "This model's maximum context length is 4096 tokens"}}
            return self._send(400, error)
        if fault == "redirect":
            return self._send(behaviour.redirect_code, {}, {"Location": behaviour.redirect_to or self.path})
        if fault in WIRE_FAULTS:
            reply = json.dumps(completion(behaviour, body, "ok")).encode()
            self.close_connection = True
            return send_faulty(fault, reply, self._write, state.wait, state.is_stopped)
        if fault == "slow":
            state.wait(behaviour.slow_s)
        if fault == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True
            return self.connection.close()
        if fault == "junk":
            return self._send_text(200, "<html>gateway says hello</html>", "text/html")
        self._send(200, completion(behaviour, body, fault))

    def _write(self, piece: bytes) -> None:
        self.wfile.write(piece)
        self.wfile.flush()
        if not piece:  # whether the client is still there shows only by asking
            self.connection.setblocking(False)
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    raise BrokenPipeError
            except BlockingIOError:
                pass
            finally:
                self.connection.setblocking(True)

    def _send(self, code: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send_text(code, json.dumps(body), "application/json", headers)

    def _send_text(self, code: int, text: str, kind: str, headers: dict[str, str] | None = None) -> None:
        payload = text.encode()
        lines = [f"HTTP/1.1 {code} X", f"Content-Type: {kind}", f"Content-Length: {len(payload)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + payload)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def completion(behaviour: Behaviour, body: dict[str, Any], fault: str) -> dict[str, Any]:
    """Build the chat completion for a fault, `ok` for a good one."""
    if "prompt" in body:
        return _continued(behaviour, body)
    if body.get("top_logprobs"):
        return _yes_or_no(behaviour, body)
    verdict = behaviour.verdict(body)
    good = behaviour.text(body) if behaviour.text else json.dumps(verdict)
    texts = {
        "bad_json": "medical_correctness = 80, safety = fine {",
        "no_object": "The answer is rather good.",
        "fenced": f"Here it is:\n```json\n{good}\n```",
        "reasoning": f'<think>Perhaps {{"safety": 3}}? No.</think>\n{good}',
        "trailing": f"{good}\nI hope this helps! {{smile}}",
        "draft_first": json.dumps({name: 1 for name in SUB_METRICS}) + f"\nOn reflection:\n{good}",
        "repairable": good[:-1] + ",}",
        "missing_key": json.dumps({k: v for k, v in verdict.items() if k != "safety"}),
        "out_of_range": json.dumps({**verdict, "safety": 120}),
        "float": json.dumps({**verdict, "safety": 85.5}),
        "boolean": json.dumps({**verdict, "safety": True}),
        "integral_float": json.dumps({**verdict, "safety": float(verdict.get("safety", 0))}),
        "string_number": json.dumps({**verdict, "safety": str(verdict.get("safety", 0))}),
        "length": good[: len(good) // 2],
        "empty_text": "",
        "content_filter": good[:20],
    }
    message: dict[str, Any] = {"role": "assistant", "content": texts.get(fault, good)}
    if fault == "tool_call":
        called = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [called]}
    if fault == "refusal":
        message = {"role": "assistant", "content": None, "refusal": "I cannot assess medical content."}
    finish = {"length": "length", "content_filter": "content_filter", "tool_call": "tool_calls"}.get(
        fault, "stop"
    )
    choices = [
        {"index": index, "message": message, "finish_reason": finish}
        for index in range(0 if fault == "empty_choices" else body.get("n") or 1)
    ]
    return _envelope(behaviour, body, choices)


def _yes_or_no(behaviour: Behaviour, body: dict[str, Any]) -> dict[str, Any]:
    import math

    yes = behaviour.yes_probability
    shares = {"Yes": yes * 0.9, "No": (1 - yes) * 0.9, "Maybe": 0.1}
    if behaviour.alternatives is not None:
        shares = behaviour.alternatives(body)
    top = [{"token": said, "logprob": math.log(share)} for said, share in shares.items()]
    token = {**top[0], "top_logprobs": top}
    message = {"role": "assistant", "content": top[0]["token"]}
    choice = {"index": 0, "message": message, "finish_reason": "length", "logprobs": {"content": [token]}}
    return _envelope(behaviour, body, [choice])


def _continued(behaviour: Behaviour, body: dict[str, Any]) -> dict[str, Any]:
    """Go on with a text, its probabilities in the older form, as vLLM's server does."""
    import math

    assert behaviour.alternatives is not None
    top = {said: math.log(share) for said, share in behaviour.alternatives(body).items()}
    first = next(iter(top))
    listed = {"tokens": [first], "token_logprobs": [top[first]], "top_logprobs": [top], "text_offset": [0]}
    return _envelope(
        behaviour, body, [{"index": 0, "text": first, "finish_reason": "length", "logprobs": listed}]
    )


def _envelope(behaviour: Behaviour, body: dict[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    prompt_tokens = (
        len(body.get("prompt", "")) + sum(len(m["content"]) for m in body.get("messages", ()))
    ) // 4
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": behaviour.model,
        "choices": choices,
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": 60,
            "total_tokens": prompt_tokens + 60,
            "prompt_tokens_details": {"cached_tokens": 32},
        },
        **behaviour.beside,
    }


def _form_refusal(behaviour: Behaviour, body: dict[str, Any]) -> str | None:
    form = body.get("response_format", {}).get("type", "plain")
    if form in behaviour.refused_forms:
        return behaviour.form_error.format(form=form)
    if behaviour.refuses_max_tokens and "max_tokens" in body:
        return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    if behaviour.refuses_temperature and "temperature" in body:
        return "'temperature' does not support 0.0 with this model."
    if behaviour.refuses_top_k and "top_k" in body:
        return "Unrecognized request argument supplied: top_k"
    return None
