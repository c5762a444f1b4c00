"""Endpoints that do not answer are told from those that do, whatever they say."""

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from medassay.models.chat.silence import addresses_in, silent


class Refusing(BaseHTTPRequestHandler):
    asked: list[tuple[str, str | None]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization")))
        self.send_error(401)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def refusing() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_addresses_are_found_in_every_form_of_a_spec() -> None:
    specs = [
        "evidence,http://a/v1#m,temperature=0.7,https://b:1/x#n",
        "logprobs:http://a/v1/#m",
        "none",
        "hf:c/d",
    ]
    assert addresses_in(specs) == ["http://a/v1", "https://b:1/x"]


def test_a_server_that_refuses_answers_and_one_that_is_not_there_does_not(refusing: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert silent([f"{refusing}#m", f"http://127.0.0.1:{port}/v1#m"]) == {
        f"http://127.0.0.1:{port}/v1": "Connection refused"
    }
    assert Refusing.asked == [("/v1/models", None)]


def test_a_server_that_takes_a_call_and_says_nothing_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"http://127.0.0.1:{mute.getsockname()[1]}/v1"
        assert silent([f"{address}#m"], patience_s=0.1) == {address: "no answer in 0.1 s"}


def test_nothing_is_asked_where_no_endpoint_is_named() -> None:
    assert silent(["evidence", "none", "hf:c/d"]) == {}
