"""Tokens are counted by a tokenizer that is on this machine, and nothing is fetched for it."""

import struct
from pathlib import Path

import pytest

from medassay.models.chat import tokens
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.tokens import GUESS, TokenCounter, token_counter
from medassay.models.chat.vocabulary import gguf_tokenizer
from medassay.models.registry import model_named, path_of

REMOTE = "http://127.0.0.1:9/v1"


def asked(*contents: str) -> Request[str]:
    return Request("i", tuple(Message("user", content) for content in contents), read=str)


def gguf(path: Path, pre: str) -> Path:
    """Write a head with a vocabulary of five tokens and two merges."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    def strings(values: list[str]) -> bytes:
        return struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))

    keys = {
        "general.alignment": struct.pack("<II", 4, 32),
        "tokenizer.ggml.model": struct.pack("<I", 8) + text("gpt2"),
        "tokenizer.ggml.pre": struct.pack("<I", 8) + text(pre),
        "tokenizer.ggml.tokens": strings(["a", "b", "c", "ab", "abc"]),
        "tokenizer.ggml.merges": strings(["a b", "ab c"]),
    }
    head = struct.pack("<4sIQQ", b"GGUF", 3, 0, len(keys))
    path.write_bytes(head + b"".join(text(name) + value for name, value in keys.items()))
    return path


def test_a_ggufs_own_vocabulary_is_read_from_its_head(tmp_path: Path) -> None:
    tokenizer = gguf_tokenizer(gguf(tmp_path / "known.gguf", "qwen2"))
    assert tokenizer.encode("abcab").tokens == ["abc", "ab"]


@pytest.mark.parametrize("pre", ["another", ""])
def test_a_vocabulary_of_an_unknown_kind_is_not_guessed_at(tmp_path: Path, pre: str) -> None:
    assert gguf_tokenizer(gguf(tmp_path / f"{pre}.gguf", pre)) is None


def test_without_a_file_there_is_no_vocabulary(tmp_path: Path) -> None:
    assert gguf_tokenizer(tmp_path / "none.gguf") is None


@pytest.mark.skipif(
    not path_of(model_named("qwen2.5-coder-1.5b-instruct-q4_k_m")).is_file(), reason="the model is not here"
)
def test_the_embedded_model_is_counted_as_its_server_counts() -> None:
    """Expected: what the server's /tokenize gives for these texts."""
    counter = token_counter(None)
    assert counter.name == "tokens by the model's own vocabulary"
    texts = ["Héllo wörld, 12.5 mg/kg — it's β-blocker\n\n  next\tline 12345", "你好，世界", "Metformin."]
    assert [counter.count(text) for text in texts] == [30, 3, 4]


def test_a_hub_models_tokenizer_is_used_where_it_was_pulled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = gguf_tokenizer(gguf(tmp_path / "t.gguf", "qwen2"))
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    monkeypatch.setattr(
        "huggingface_hub.try_to_load_from_cache", lambda model, _: str(tmp_path / "tokenizer.json")
    )
    counter = token_counter(Endpoint(REMOTE, "house/model-of-ours"))
    assert (counter.name, counter.count("abcab")) == ("tokens by the model's own tokenizer", 2)


def test_an_encoding_that_is_not_here_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert token_counter(Endpoint(REMOTE, "gpt-4o-2024-08-06")) == GUESS


def test_tiktoken_counts_where_its_encoding_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([n]): n for n in range(256)}
    small = tiktoken.Encoding("small", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: small)
    counter = token_counter(Endpoint(REMOTE, "gpt-4o-mini"))
    assert (counter.name, counter.count("five!")) == ("tokens by tiktoken's o200k_base", 5)


def test_the_guess_says_what_it_is() -> None:
    counter = token_counter(Endpoint(REMOTE, "a-model-nobody-knows"))
    english = [asked("x" * 370, "a β-blocker, 5 µg – once a day")]
    assert counter.name_for(english) == "3.7 characters a token (within 5 % on the examples)"
    assert counter.of_requests([asked("x" * 370)]) == 100


def test_the_guess_claims_no_measured_error_for_other_scripts() -> None:
    counter = token_counter(Endpoint(REMOTE, "a-model-nobody-knows"))
    chinese = [asked("x" * 370, "二甲双胍可以降低血糖。" * 10)]
    assert counter.of_requests(chinese) == 100 + 110
    assert counter.name_for(chinese) == (
        "an estimate by script: 3.7 characters a token of Latin, 1 of Chinese, Japanese and Korean, 2 of any other; "
        "tokenizers differ by half and more there"
    )


def test_a_tokenizer_is_what_it_is_in_every_script() -> None:
    assert TokenCounter("words", len).name_for([asked("二甲双胍")]) == "words"


def test_messages_signs_and_the_schema_are_counted() -> None:
    counter = TokenCounter("words", lambda text: len(text.split()), a_message=4, a_call=3)
    shared = Request("i", (Message("system", "one two"), Message("user", "three")), read=str, schema={"a": 1})
    assert counter.of_requests([asked("one"), shared]) == (3 + 4 + 1) + (3 + 8 + 3 + len("{'a': 1}".split()))


@pytest.fixture(autouse=True)
def _choose_anew() -> None:
    tokens.token_counter.cache_clear()
