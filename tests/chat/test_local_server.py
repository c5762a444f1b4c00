import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import key_of_ours
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.local.local_server import serving
from medassay.models.chat.local.served import embedded_endpoint
from medassay.models.weights import model_named, path_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def small_model() -> Path:
    path = path_of(model_named("smollm2-135m-instruct-q4_1"))
    if not path.is_file():
        pytest.skip("pull it first: medassay models pull smollm2-135m-instruct-q4_1")
    return path


def test_a_server_is_shared_answers_and_is_stopped_by_the_last_holder(
    small_model: Path,
) -> None:
    with serving(small_model, n_ctx=512) as server:
        with serving(small_model, n_ctx=512) as same:
            assert same is server
        assert server.is_alive
        endpoint = replace(embedded_endpoint(small_model), base_url=server.base_url)
        assert endpoint.is_loopback
        message = Message("user", "Is water wet? Reply with Yes or No.")
        request = Request("q", (message,), read=str, max_tokens=1, top_logprobs=5)
        (outcome,) = ask_all([request], endpoint, MemoryLedger())
        assert (outcome.status, outcome.calls[0].endpoint) == ("answered", f"local:{small_model.name}:4096")
        long = Request("long", (Message("user", "word " * 2000),), read=str, max_tokens=1)
        (outcome,) = ask_all([long], endpoint, MemoryLedger())
        assert outcome.status == "abstained"
        assert str(outcome.reason).startswith("the prompt is longer than the model's context (HTTP 400")
    assert not server.is_alive


def status_of(url: str, body: bytes | None, **headers: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json", **headers})
    try:
        with opener.open(request, timeout=20) as response:
            return int(response.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_server_of_a_file_refuses_who_has_no_key(small_model: Path) -> None:
    with serving(small_model, alias="m", n_ctx=512) as server:
        asked = {"model": "m", "messages": [{"role": "user", "content": "Yes?"}], "max_tokens": 1}
        url, body = f"{server.base_url}/chat/completions", json.dumps(asked).encode()
        assert status_of(url, body) == 401
        assert status_of(url, body, Authorization="Bearer another") == 401
        # llama.cpp names its model to anyone.
        assert status_of(f"{server.base_url}/models", None) in (200, 401)
        assert status_of(url, body, Authorization=f"Bearer {key_of_ours()}") == 200


def test_the_server_dies_with_its_parent_even_on_kill_9(small_model: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from medassay.models.chat.local.local_server import serving\n"
        "with serving(Path(sys.argv[1]), n_ctx=256) as server:\n"
        "    print(server.root_url, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(small_model)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert parent.stdout is not None
    with parent.stdout:
        health = parent.stdout.readline().strip() + "/health"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(health, timeout=5) as response:
        assert response.status == 200
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        try:
            opener.open(health, timeout=1).close()
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the server outlived its parent by ten seconds")
