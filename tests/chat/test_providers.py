"""Providers with an API of their own, asked through real servers on loopback."""

from collections.abc import Iterator
from typing import Any

import pytest

from medassay.models.answering.systems import Sampling, parse_system
from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint, endpoint_of
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.settings import Settings
from medassay.models.specs import ModelSpec, SpecError, parse_spec
from tests.chat.native_servers import Answer, NativeServer, listening
from tests.chat.test_asking import SCHEMA, read_number

KEY = "sk-native-1234567"


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[NativeServer, str]]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with listening() as found:
        yield found


def asked(endpoint: Endpoint, schema: dict[str, Any] | None = SCHEMA) -> tuple[Any, MemoryLedger]:
    messages = (Message("system", "Count."), Message("user", "How many?"))
    ledger = MemoryLedger()
    (outcome,) = ask_all(
        [Request("one", messages, read_number, schema, "number", max_tokens=50, seed=3)], endpoint, ledger
    )
    return outcome, ledger


def endpoint_at(spec: str) -> Endpoint:
    return endpoint_of(parse_spec(spec), "judge")


def claude(*content: dict[str, Any], **more: Any) -> Answer:
    usage = {"input_tokens": 20, "output_tokens": 9, "cache_read_input_tokens": 100}
    return 200, {
        "type": "message", "role": "assistant", "model": "claude-x-1", "content": list(content),
        "stop_reason": "end_turn", "usage": usage, **more,
    }  # fmt: skip


def gemini(text: str, **more: Any) -> Answer:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", **more}
    usage = {"promptTokenCount": 30, "candidatesTokenCount": 5, "thoughtsTokenCount": 40}
    return 200, {"candidates": [candidate], "modelVersion": "gemini-x-002", "usageMetadata": usage}


def test_claude_is_asked_with_its_own_request_and_a_tool_for_the_schema(
    native: tuple[NativeServer, str],
) -> None:
    server, url = native
    server.will(
        claude({"type": "tool_use", "id": "t", "name": "number", "input": {"n": 7}}, stop_reason="tool_use")
    )
    outcome, ledger = asked(endpoint_at(f"anthropic:{url}#claude-x"))
    assert (outcome.status, outcome.value) == ("answered", 7)
    (call,) = ledger.calls
    assert (call.raw_text, call.finish_reason, call.model_answered) == ('{"n": 7}', "stop", "claude-x-1")
    assert (call.prompt_tokens, call.completion_tokens, call.cached_tokens) == (120, 9, 100)
    assert server.paths == ["/v1/messages"]
    assert (server.headers[0]["x-api-key"], server.headers[0]["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in server.headers[0]
    assert server.bodies == [
        {
            "model": "claude-x",
            "max_tokens": 50,
            "temperature": 0.0,
            "system": "Count.",
            "messages": [{"role": "user", "content": "How many?"}],
            "tools": [{"name": "number", "description": "Give the reply.", "input_schema": SCHEMA}],
            "tool_choice": {"type": "tool", "name": "number"},
        }
    ]


def test_gemini_is_asked_with_its_own_request_and_thinking_counts_as_written(
    native: tuple[NativeServer, str],
) -> None:
    server, url = native
    server.will(gemini('{"n": 7}'))
    outcome, ledger = asked(endpoint_at(f"gemini:{url}#gemini-x"))
    assert (outcome.status, outcome.value) == ("answered", 7)
    (call,) = ledger.calls
    assert (call.prompt_tokens, call.completion_tokens, call.model_answered) == (30, 45, "gemini-x-002")
    assert server.paths == ["/v1beta/models/gemini-x:generateContent"]
    assert server.headers[0]["x-goog-api-key"] == KEY
    assert server.bodies == [
        {
            "systemInstruction": {"parts": [{"text": "Count."}]},
            "contents": [{"role": "user", "parts": [{"text": "How many?"}]}],
            "generationConfig": {
                "maxOutputTokens": 50, "temperature": 0.0, "seed": 3, "responseMimeType": "application/json",
                "responseJsonSchema": SCHEMA,
            },
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "answer", "status", "said"),
    [
        ("anthropic", claude({"type": "text", "text": ""}, stop_reason="refusal"), "refusal", None),
        ("anthropic", claude({"type": "text", "text": '{"n"'}, stop_reason="max_tokens"), "length", None),
        ("gemini", gemini("", finishReason="SAFETY"), "content_filter", None),
        ("gemini", gemini('{"n"', finishReason="MAX_TOKENS"), "length", None),
        ("gemini", (200, {"promptFeedback": {"blockReason": "OTHER"}}), "content_filter", None),
        ("gemini", (200, {"what": "is this"}), "junk", "body begins"),
        (
            "anthropic",
            (
                400,
                {
                    "type": "error",
                    "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"},
                },
            ),
            "too_long",
            "HTTP 400: prompt is too long: 9 > 8",
        ),
        (
            "anthropic",
            (401, {"type": "error", "error": {"message": f"invalid x-api-key {KEY}"}}),
            "http_error",
            "HTTP 401: invalid x-api-key [key]; set MEDASSAY_JUDGE_API_KEY or ANTHROPIC_API_KEY",
        ),
        (
            "gemini",
            (403, {"error": {"code": 403, "message": "API key not valid"}}),
            "http_error",
            "HTTP 403: API key not valid; set MEDASSAY_JUDGE_API_KEY or GEMINI_API_KEY",
        ),
    ],
)
def test_what_else_may_come_has_its_name(
    native: tuple[NativeServer, str], spec: str, answer: Answer, status: str, said: str | None
) -> None:
    server, url = native
    server.will(*[answer] * 8)
    outcome, ledger = asked(endpoint_at(f"{spec}:{url}#m"), schema=None)
    assert outcome.status != "answered"
    assert ledger.calls[0].status == status
    assert said is None or (ledger.calls[0].error or "").startswith(said)


def test_a_server_that_is_away_or_sends_on_gets_no_key_and_ends_no_run(
    native: tuple[NativeServer, str],
) -> None:
    server, url = native
    _, ledger = asked(endpoint_at("anthropic:http://127.0.0.1:9#m"), schema=None)
    assert ledger.calls[0].status == "connection"
    server.will(*[(307, {})] * 8)
    _, ledger = asked(endpoint_at(f"gemini:{url}#m"), schema=None)
    assert (ledger.calls[0].status, ledger.calls[0].http_status) == ("http_error", 307)
    assert (ledger.calls[0].error or "").startswith("HTTP 307: the server sends on to another address")


def test_a_model_that_takes_no_schema_or_temperature_is_asked_without(
    native: tuple[NativeServer, str],
) -> None:
    server, url = native
    refused = [
        (400, {"error": {"message": "`temperature` may not be set for this model"}}),
        (400, {"error": {"message": 'Unknown name "responseJsonSchema": cannot find field'}}),
    ]
    server.will(*refused, gemini('{"n": 7}'))
    outcome, _ = asked(endpoint_at(f"gemini:{url}#without"))
    assert outcome.value == 7
    assert server.bodies[-1]["generationConfig"] == {
        "maxOutputTokens": 50, "responseMimeType": "application/json",
    }  # fmt: skip


def test_pages_that_a_model_searched_are_its_sources(native: tuple[NativeServer, str]) -> None:
    server, url = native
    page = {"uri": "https://pubmed.ncbi.nlm.nih.gov/123", "title": "A trial"}
    cited = {
        "type": "web_search_result_location",
        "url": "https://example.org/a",
        "title": "A",
        "cited_text": "…",
    }
    server.will(
        gemini('{"n": 7}', groundingMetadata={"groundingChunks": [{"web": page}]}),
        claude({"type": "text", "text": '{"n": 7}', "citations": [cited]}),
    )
    found = []
    for provider in ("gemini", "anthropic"):
        _, ledger = asked(endpoint_at(f"{provider}:{url}#m"), schema=None)
        found.append(ledger.calls[0].retrieved)
    assert found == [
        '[{"marker": "1", "title": "A trial", "url": "https://pubmed.ncbi.nlm.nih.gov/123", "pmid": "123"}]',
        '[{"marker": "1", "title": "A", "url": "https://example.org/a"}]',
    ]


def test_specs_of_providers() -> None:
    assert parse_spec("anthropic:claude-x") == ModelSpec(
        "remote", "claude-x", "https://api.anthropic.com/v1", "anthropic"
    )
    assert parse_spec("gemini:http://127.0.0.1:9#m").base_url == "http://127.0.0.1:9/v1beta"
    assert Settings("d", judge="evidence,anthropic:claude-x", llm="gemini:gemini-x").llm == "gemini:gemini-x"
    with pytest.raises(SpecError, match="anthropic gives no probabilities of letters"):
        parse_spec("logprobs:anthropic:claude-x")
    with pytest.raises(SpecError, match="'gemini:' names no model: write gemini:<model>"):
        parse_spec("gemini:")
    system = parse_system("asked=anthropic:claude-x,temperature=0.2", Sampling())
    assert (system.model, system.sampling.temperature) == ("claude-x", 0.2)
    assert system.endpoint.native is not None
    assert system.endpoint.key_variables == ("MEDASSAY_ASKED_API_KEY", "ANTHROPIC_API_KEY")
