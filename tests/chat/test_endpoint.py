import pytest

from medassay.models.chat.endpoint import Endpoint, endpoint_of
from medassay.models.specs import ModelSpec, SpecError, parse_spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("none", ModelSpec("none")),
        ("hf:org/model", ModelSpec("hf", "org/model")),
        ("http://127.0.0.1:8900#m", ModelSpec("remote", "m", "http://127.0.0.1:8900/v1")),
    ],
)
def test_specs_are_read(text: str, spec: ModelSpec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "gpt",
            "write none, embedded, hf:<id or folder>, <base_url>#<model>, anthropic:<model> or gemini:<model>",
        ),
        ("hf:", "names no model"),
        ("https://api.example.org/v1", "write https://api.example.org/v1#<model>"),
        ("https://u:secret@api.example.org/v1#m", "environment variable"),
        ("https://api.example.org/v1?key=secret#m", "query string"),
        ("https:///v1#m", "names no host"),
        ("https://secret:x@[::1/v1#m", "the host or the port of a URL cannot be read"),
        ("https://host:secret/v1#m", "the host or the port of a URL cannot be read"),
    ],
)
def test_a_bad_spec_says_what_to_write_and_never_repeats_a_secret(text: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_role_s_key_comes_before_the_general_one(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = endpoint_of(parse_spec("https://api.example.org/v1#m"), "judge")
    monkeypatch.delenv("MEDASSAY_JUDGE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert endpoint.api_key() is None
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general")
    assert endpoint.api_key() == "sk-general"
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", "sk-judge")
    assert endpoint.api_key() == "sk-judge"
    assert "sk-" not in repr(endpoint)


def test_a_key_is_what_stands_between_blanks_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = endpoint_of(parse_spec("https://api.example.org/v1#m"), "judge")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general")
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", " sk-judge\n")
    assert endpoint.api_key() == "sk-judge"
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", "\n")
    assert endpoint.api_key() == "sk-general"
    for key in ("sk-one\nsk-two", "sk-\u00e9", "sk\u2013judge"):
        monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", key)
        with pytest.raises(SpecError, match="^MEDASSAY_JUDGE_API_KEY holds a sign") as caught:
            endpoint.api_key()
        assert "sk" not in str(caught.value)


def test_only_loopback_is_loopback() -> None:
    assert Endpoint("http://127.0.0.1:1/v1", "m").is_loopback
    assert not Endpoint("http://127.0.0.1.example.org/v1", "m").is_loopback
