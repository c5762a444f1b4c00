"""Response bodies as servers send them, without a server."""

import json
from typing import Any

import pytest

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.dialect import Dialect, names_the_form
from medassay.models.chat.responses import code_within, http_error, read_body, refusal_of, said_in

ASKED: Request[str] = Request("item", (Message("user", "?"),), str)


def body(content: Any, finish: str | None = "stop", **message: Any) -> str:
    return json.dumps({"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]})


@pytest.mark.parametrize(
    ("text", "status", "raw_text"),
    [
        (body("good"), "ok", "good"),
        ("\ufeff" + body("good"), "ok", "good"),
        (body([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "good"}]), "ok", "good"),
        (body("half", "max_tokens"), "length", "half"),
        (body("half", "MAX_TOKENS"), "length", "half"),
        (body("", "length"), "length", ""),
        (body(None, "stop"), "empty", None),
        (body(None, "refusal"), "refusal", None),
        (body(None, "stop", refusal="No."), "refusal", "No."),
        (body(None, "SAFETY"), "content_filter", None),
        (body(None, "content_filter: PROHIBITED_CONTENT"), "content_filter", None),
        (body("half", "error"), "empty", None),
        (body(3), "junk", None),
        ('{"choices": []}', "empty", None),
        ("[]", "junk", None),
        (body("half a pair: \ud83d"), "ok", "half a pair: \ufffd"),
    ],
)
def test_every_end_of_a_reply_has_its_status(text: str, status: str, raw_text: str | None) -> None:
    found = read_body(ASKED, text)
    assert (found.status, found.raw_text) == (status, raw_text)


@pytest.mark.parametrize(
    ("code", "message", "status"),
    [
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096", "too_long"),
        (400, "The response was filtered due to Azure's content management policy.", "content_filter"),
        (429, "slow down", "rate_limited"),
        (500, "oops", None),
    ],
)
def test_a_refusal_that_no_other_form_would_change_is_told_apart(
    code: int, message: str, status: str | None
) -> None:
    found = refusal_of(code, json.dumps({"error": {"message": message}}), None)
    assert (found and found.status) == status


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, (12, 3)),
        ({"prompt_tokens": 12.0, "completion_tokens": 3.5}, (12, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None)),
        (None, (None, None)),
    ],
)
def test_a_reply_counts_whatever_stands_in_its_usage(
    usage: Any, counted: tuple[int | None, int | None]
) -> None:
    found = read_body(ASKED, json.dumps({**json.loads(body("good")), "usage": usage, "model": 5}))
    assert (found.status, found.raw_text, found.model) == ("ok", "good", None)
    assert (found.prompt_tokens, found.completion_tokens) == counted


def test_an_error_inside_a_200_has_its_own_status() -> None:
    assert code_within('{"error": {"code": 429, "message": "slow down"}}') == 429
    assert code_within('{"error": {"code": "x"}}') is None
    assert code_within(body("good")) is None
    assert code_within("<html>") is None


def test_what_an_error_repeats_of_a_reply_says_nothing_about_the_form() -> None:
    echo = {"message": "Failed to generate JSON", "failed_generation": "above 39 C the temperature is high"}
    said = said_in(json.dumps({"error": echo}))
    assert "temperature" not in said
    refused = Dialect().after_refusal(400, said, has_schema=True)
    assert refused == Dialect(form="json_object")


@pytest.mark.parametrize(
    ("status", "error", "lower"),
    [
        (500, "Failed to parse grammar", Dialect(form="json_object")),
        (500, "out of memory", None),
        (404, "No endpoints found that can handle the requested parameters", Dialect(form="json_object")),
        (404, "no such model", None),
        (400, "Unsupported value: 'temperature'", Dialect(sends_sampling=False)),
    ],
)
def test_a_form_is_stepped_down_from_where_the_form_is_refused(
    status: int, error: str, lower: Dialect | None
) -> None:
    assert Dialect().after_refusal(status, error, has_schema=True) == lower


@pytest.mark.parametrize(
    ("error", "names"),
    [
        ("'response_format.type' must be 'text'", True),
        ("Structured Outputs are not supported by this model", True),
        ("guided decoding is off", True),
        ("unsupported: json mode", True),
        ("this model cannot be used here", False),
    ],
)
def test_an_error_names_the_form_or_it_does_not(error: str, names: bool) -> None:
    assert names_the_form(error) == names


def test_an_error_repeats_nothing_of_the_request() -> None:
    detail = [{"loc": ["body", "messages"], "msg": "too many", "input": [{"content": "Mrs. Example coughs"}]}]
    said = http_error(422, json.dumps({"detail": detail}))
    assert "too many" in said
    assert "Example" not in said


def test_an_error_is_one_line_and_can_be_written_down() -> None:
    assert http_error(400, '{"error": {"message": "a\\n b \\ud83d"}}') == "HTTP 400: a b \ufffd"
