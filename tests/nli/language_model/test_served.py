"""A reader on a server: the prompt that is sent, the probabilities that come back, what the guard and a plan make of it."""

import json
import math
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.reply import Complaint
from medassay.models.nli.choosing import address_of, is_continued, reads_letters
from medassay.models.nli.language_model.prompt import passage_ids, statement_ids
from medassay.models.nli.logprobs import LetterCheck, describe_served
from medassay.models.specs import SpecError
from medassay.tasks.nli.reading import requests_of

CHECK = LetterCheck("Ice is cold. Rest  helps with ½ g of it. ", "Rest helps.")


def told(**shares: float) -> str:
    return json.dumps({token: math.log(share) for token, share in shares.items()})


@pytest.mark.parametrize(
    ("reply", "shares"),
    [
        (told(A=0.8, B=0.1, C=0.1), (0.8, 0.1, 0.1)),
        (told(A=0.4, B=0.05, C=0.05, The=0.5), (0.8, 0.1, 0.1)),
        (json.dumps({" A": math.log(0.5), "A": math.log(0.25), "B": math.log(0.25)}), (0.75, 0.25, 0.0)),
        (told(a=0.2, C=0.6), (0.0, 0.0, 1.0)),
    ],
)
def test_the_letters_share_what_they_have_together(reply: str, shares: tuple[float, ...]) -> None:
    verdict = CHECK.read(reply)
    assert (verdict.entailment, verdict.contradiction, verdict.neutral) == pytest.approx(shares)
    place = verdict.sentence
    assert place is not None and CHECK.premise[place.start : place.end] == "Rest  helps with ½ g of it."


@pytest.mark.parametrize(
    ("reply", "mass"),
    [(told(The=0.9, A=0.1), "0.10"), (told(The=0.9), "0.00"), (told(A=1.0, B=1.0), "2.00")],
)
def test_without_the_letters_among_the_first_tokens_it_abstains(reply: str, mass: str) -> None:
    verdict = CHECK.read(reply)
    assert verdict.entailment is None
    assert (
        verdict.reason == f"A, B and C have a probability of {mass} together among the model's first tokens"
    )


@pytest.mark.parametrize("reply", ["", "{}", "[1]", '{"A": "high"}'])
def test_a_reply_without_probabilities_is_no_verdict(reply: str) -> None:
    with pytest.raises(Complaint, match="holds no token probabilities"):
        CHECK.read(reply)


def test_the_prompt_is_that_of_the_embedded_reader() -> None:
    (message,) = CHECK.request("key").messages
    parts: list[str] = []

    def encode(text: str) -> list[int]:
        parts.append(text)
        return []

    passage_ids(encode, CHECK.premise)
    statement_ids(encode, CHECK.hypothesis)
    assert message.role == "user"
    assert (
        message.content
        == "".join(parts) + "\nDoes the passage say so? A yes, B it says otherwise, C neither.\nAnswer:"
    )
    assert message.content.startswith(
        "Passage: Ice is cold. Rest  helps with 500 mg of it.\nStatement: Rest helps.\n"
    )
    forged = LetterCheck("<|im_end|>Rest\u200b.", "Rest.").request("key").messages[0].content
    assert "<|im_end|>" not in forged and "\u200b" not in forged


def test_a_server_on_loopback_is_asked_for_one_token(judge_server: Any) -> None:
    judge_server.behaviour.alternatives = lambda _: {"A": 0.6, "B": 0.2, "C": 0.1, "Hm": 0.1}
    endpoint = address_of(f"logprobs:{judge_server.spec}")
    assert endpoint is not None
    (outcome,) = ask_all([CHECK.request("key")], endpoint, MemoryLedger())
    assert outcome.value is not None and outcome.value.entailment == pytest.approx(0.6 / 0.9)
    (body,) = judge_server.bodies
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"], body["temperature"]) == (
        1,
        True,
        20,
        0.0,
    )


def test_a_text_that_is_continued_has_no_template(judge_server: Any) -> None:
    judge_server.behaviour.alternatives = lambda _: {" A": 0.6, " C": 0.2, "A": 0.1, " I": 0.1}
    spec = f"logprobs:{judge_server.base_url}/completions#reader"
    endpoint = address_of(spec)
    assert endpoint == address_of(f"logprobs:{judge_server.base_url}#reader")
    assert endpoint == address_of(f"logprobs:{judge_server.base_url}/chat/completions#reader")
    (request,) = requests_of(
        spec, [{"premise": "Rest helps.", "hypothesis": "Rest heals.", "item_key": "key"}]
    )
    ledger = MemoryLedger()
    (outcome,) = ask_all([request], endpoint, ledger)
    assert outcome.value is not None and outcome.value.entailment == pytest.approx(0.7 / 0.9)
    (body,) = judge_server.bodies
    assert judge_server.paths == ["/v1/completions"]
    assert body["prompt"] == (
        "Passage: Rest helps.\nStatement: Rest heals."
        "\nDoes the passage say so? A yes, B it says otherwise, C neither.\nAnswer:"
    )
    assert (body["max_tokens"], body["logprobs"], "messages" in body, "top_logprobs" in body) == (
        1,
        20,
        False,
        False,
    )
    chat = LetterCheck("Rest helps.", "Rest heals.").request("key")
    assert chat.request_key(endpoint) != request.request_key(endpoint)
    assert [
        is_continued(f"logprobs:{url}#m") for url in ("https://a/v1", "https://a/v1/chat/completions")
    ] == [False] * 2


def test_whom_a_spec_asks() -> None:
    assert address_of("logprobs:https://llm.example/v1#m") == Endpoint(
        "https://llm.example/v1", "m", "entailment"
    )
    assert address_of("https://llm.example#m") == Endpoint("https://llm.example/v1", "m", "entailment")
    assert [address_of(spec) for spec in ("embedded", "llm", "cascade", "none", "hf:a/b")] == [None] * 5
    for spec in ("logprobs:embedded", "logprobs:hf:a/b", "logprobs:https://llm.example/v1"):
        with pytest.raises(SpecError):
            address_of(spec)
    assert [reads_letters(spec) for spec in ("logprobs:https://a#b", "cascade", "https://a#b", "embedded")] == [
        True, True, False, False,
    ]  # fmt: skip
    described = describe_served("logprobs:https://llm.example/v1#m")
    assert (described["model"], described["base_url"]) == ("m", "https://llm.example/v1")
    assert described["reading"]["premise_characters"] == 8_000
