"""The hub is asked once; a server on loopback stands for it."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from medassay.models.embedder_folder import EmbedderUnavailable, embedder_folder
from medassay.models.weights.hub import hub_closed, hub_is_closed, why_not


class Hub(BaseHTTPRequestHandler):
    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        known = self.path.startswith("/api/models/some/classifier")
        body = json.dumps(
            {"id": "some/classifier", "siblings": []} if known else {"error": "not found"}
        ).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    Hub.asked.clear()
    yield Hub.asked
    server.shutdown()
    server.server_close()


def test_a_hub_that_serves_a_model_gives_no_reason_and_one_that_does_not_says_so(hub: list[str]) -> None:
    assert why_not("some/classifier") is None
    assert why_not("some/other") == "the hub says 404"
    assert [path for path in hub if path.startswith("/api/models/")] == [
        "/api/models/some/classifier",
        "/api/models/some/other",
    ]


def test_a_closed_hub_is_not_asked_and_opens_again(hub: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with hub_closed():
        assert why_not("some/classifier") == "nobody is asked: offline"
        with pytest.raises(
            EmbedderUnavailable, match="some/classifier is neither .*nobody is asked: offline"
        ):
            embedder_folder("some/classifier")
    assert hub == []
    assert why_not("some/classifier") is None
    with hub_closed(wanted=False):
        assert not hub_is_closed()


def test_a_hub_that_the_machine_is_kept_from_stays_closed(
    hub: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with hub_closed():
        pass
    assert why_not("some/classifier") == "nobody is asked: offline"
    assert hub == []


def test_without_a_network_one_try_is_made_and_the_reason_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", nobody)
    reason = why_not("some/classifier")
    assert reason is not None
    assert reason.startswith("the hub could not be asked: ")
    assert "\n" not in reason
    with pytest.raises(
        EmbedderUnavailable, match="nobody/embedder is neither a folder .* could not be asked"
    ):
        embedder_folder("nobody/embedder")
