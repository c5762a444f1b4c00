"""Replies that are spelled out for a model, so that it can be read how likely they were."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.bodies import read_body
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.spelling import grammar_of
from medassay.models.chat.vocabulary import gguf_tokenizer

ASKED: Request[str] = Request("item", (Message("user", "How often?"),), str, max_tokens=40)


def spelled(said: str) -> Request[str]:
    return replace(ASKED, spelled=said)


def test_a_grammar_names_the_tokens_where_the_vocabulary_is_at_hand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Tokenizer:
        def encode(self, text: str, *, add_special_tokens: bool) -> Any:
            assert not add_special_tokens
            return type("Encoded", (), {"ids": [ord(letter) for letter in text]})

    assert gguf_tokenizer(tmp_path / "none.gguf") is None
    here = Endpoint("", "m", known_as="local:m", served_from=tmp_path / "m.gguf")
    assert grammar_of('say "Ä"\n', here) == 'root ::= "say \\"Ä\\"\\n"'
    assert grammar_of("ab", Endpoint("http://127.0.0.1:9/v1", "m")) == 'root ::= "ab"'
    monkeypatch.setattr("medassay.models.chat.spelling.gguf_tokenizer", lambda path: Tokenizer())
    assert grammar_of("ab", here) == "root ::= <[97]> <[98]>"


def test_what_is_spelled_is_another_call_with_another_prompt() -> None:
    endpoint = Endpoint("http://127.0.0.1:9/v1", "m")
    calls = [ASKED, spelled("Daily."), spelled("Weekly.")]
    assert len({call.request_key(endpoint) for call in calls}) == 3
    assert len({call.prompt_digest for call in calls}) == 3


def test_its_log_probabilities_come_back_and_stand_in_the_ledger(judge_server: Any) -> None:
    judge_server.behaviour.log_probability = lambda word: -float(len(word))
    ledger = MemoryLedger()
    (outcome,) = ask_all([spelled("Once a week.")], Endpoint(judge_server.base_url, "m"), ledger)
    expected = [["Once", -4.0], ["a", -1.0], ["week.", -5.0]]
    assert (outcome.status, json.loads(str(outcome.value))) == ("answered", expected)
    assert json.loads(str(ledger.calls[0].raw_text)) == expected
    (body,) = judge_server.bodies
    assert (body["grammar"], body["logprobs"], body["max_tokens"]) == ('root ::= "Once a week."', True, 40)


@pytest.mark.parametrize(
    ("logprobs", "status"),
    [
        ({"content": [{"token": "Once", "logprob": -1}, {"token": "", "logprob": -9}]}, "ok"),
        (None, "junk"),
        ({"content": None}, "junk"),
        ({"content": [{"token": "Once"}]}, "junk"),
        ({"content": [{"token": "Once", "logprob": "low"}]}, "junk"),
    ],
)
def test_a_body_without_log_probabilities_is_junk(logprobs: Any, status: str) -> None:
    choice = {"message": {"content": "Once"}, "finish_reason": "length", "logprobs": logprobs}
    found = read_body(spelled("Once"), json.dumps({"choices": [choice]}))
    assert found.status == status
    assert status == "junk" or found.raw_text == '[["Once", -1.0]]'
