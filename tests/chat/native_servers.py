"""Servers on loopback that speak Anthropic's and Gemini's APIs as their documentation gives them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, Any]]


class NativeServer:
    """Answers with what `will` was given, in order, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []

    def will(self, *answers: Answer) -> None:
        """Answer the next requests so."""
        self.answers += answers


@contextmanager
def listening() -> Iterator[tuple[NativeServer, str]]:
    """Give a server and its address."""
    state = NativeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            state.paths.append(self.path)
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, body = state.answers.pop(0)
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True)
    thread.start()
    try:
        yield state, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
