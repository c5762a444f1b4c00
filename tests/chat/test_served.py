"""Models that we serve ourselves: a real child process, a real tiny model."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint, key_of_ours
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.local.local_server import LocalServerError
from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.specs import SpecError


def test_a_folder_is_served_while_it_is_asked_and_its_calls_are_known_again(parrot: Any) -> None:
    folder = parrot("polly", "Polly wants a cracker.")
    named = endpoint_named(f"hf:{folder}", "llm")
    request = Request("q", (Message("user", "What do you want?"),), read=str, schema={"type": "object"})
    ledger = MemoryLedger()
    with reachable(named) as served:
        assert served.is_loopback and served.base_url.startswith("http://127.0.0.1:")
        (outcome,) = ask_all([request], served, ledger)
        asked = [replace(request, item_key=str(n), sample_no=n) for n in range(1, 20)]
        assert all(said.status == "answered" for said in ask_all(asked, served, ledger))
        body = {"model": served.model, "messages": [{"role": "user", "content": "Yes?"}], "max_tokens": 1}
        for key in ("", "Bearer another"):  # whoever has no key of this process
            headers = {"Authorization": key} if key else {}
            refused = httpx.post(
                f"{served.base_url}/chat/completions", json=body, headers=headers, trust_env=False
            )
            assert refused.status_code == 401
        shown = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        assert not any(key_of_ours().encode() in line for line in shown)
    assert (outcome.status, outcome.value, outcome.n_sent) == ("answered", "Polly wants a cracker.", 1)
    assert outcome.calls[0].endpoint == named.identity
    assert request.request_key(served) == request.request_key(named)
    (again,) = ask_all([request], named, ledger)
    assert (again.value, again.n_sent) == ("Polly wants a cracker.", 0)


@pytest.mark.slow
def test_a_folder_whose_template_takes_no_instructions_is_refused_with_the_template_s_words(
    parrot: Any,
) -> None:
    folder = parrot("gemma", "Yes.")
    template = folder / "chat_template.jinja"
    refusal = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    template.write_text(refusal + template.read_text())
    with (
        pytest.raises(LocalServerError, match="no instructions ahead .*System role not supported"),
        reachable(endpoint_named(f"hf:{folder}", "judge")),
    ):
        pass


def test_a_folder_that_cannot_be_loaded_ends_in_one_line(parrot: Any) -> None:
    folder = parrot("broken", "Yes.")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with (
        pytest.raises(LocalServerError, match="while loading .*broken: .*[Ee]rror") as failed,
        reachable(endpoint_named(f"hf:{folder}", "llm")),
    ):
        pass
    assert "\n" not in str(failed.value)


def test_an_address_is_taken_as_it_is(tmp_path: Path) -> None:
    remote = endpoint_named("http://127.0.0.1:9/v1#m", "judge")
    assert remote == Endpoint("http://127.0.0.1:9/v1", "m", "judge")
    with reachable(remote) as endpoint:
        assert endpoint is remote
    with pytest.raises(SpecError, match="'none' names no model"):
        endpoint_named("none", "llm")
