"""What `hf:` names: a folder of a chat model, a GGUF file, or a line that says what is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.endpoint import key_of_ours
from medassay.models.chat.local.weights import weights_of
from medassay.models.specs import SpecError
from medassay.models.weights.hub import HubFolderMissing


def test_a_folder_is_named_by_its_content_wherever_it_lies(parrot: Any, tmp_path: Path) -> None:
    folder = parrot("polly", "Yes.")
    found = weights_of(str(folder))
    endpoint = found.endpoint("judge")
    assert (found.path, endpoint.served_from, endpoint.model) == (folder, folder, "polly")
    assert endpoint.label == endpoint.identity == f"hf:polly@{found.digest[:12]}"
    assert endpoint.is_ours and endpoint.is_loopback and not endpoint.base_url
    (tmp_path / "elsewhere").mkdir()
    moved = folder.rename(tmp_path / "elsewhere" / "polly")
    assert weights_of(str(moved)).endpoint("judge").identity == endpoint.identity
    template = moved / "chat_template.jinja"
    template.write_text(template.read_text() + "assistant: ")
    assert weights_of(str(moved)).digest != found.digest


def test_gguf_files_are_found_and_parts_are_one_model(tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "small.Q4.gguf").write_bytes(b"GGUF 1")
    endpoint = weights_of(str(alone)).endpoint("llm")
    assert (endpoint.served_from, endpoint.model) == (alone / "small.Q4.gguf", "small.Q4")
    assert weights_of(str(alone / "small.Q4.gguf")).digest == weights_of(str(alone)).digest
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in (1, 2):
        (parts / f"big-0000{number}-of-00002.gguf").write_bytes(b"GGUF %d" % number)
    whole = weights_of(str(parts))
    assert whole.path.name == "big-00001-of-00002.gguf"
    (parts / "big-00002-of-00002.gguf").write_bytes(b"GGUF other")
    assert weights_of(str(parts)).digest != whole.digest


def test_what_cannot_be_asked_is_refused_before_it_is_loaded(parrot: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    two = tmp_path / "two"
    two.mkdir()
    for name in ("a.gguf", "b.gguf"):
        (two / name).write_bytes(b"GGUF")
    mute = parrot("mute", "Yes.")
    (mute / "chat_template.jinja").unlink()
    hollow = parrot("hollow", "Yes.")
    (hollow / "model.safetensors").unlink()
    reader = parrot("reader", "Yes.")
    config = json.loads((reader / "config.json").read_text())
    (reader / "config.json").write_text(json.dumps({**config, "model_type": "deberta-v2"}))
    note = tmp_path / "note.txt"
    note.write_text("no model")
    for named, said in (
        (tmp_path / "nowhere", "no such folder or file"),
        ("nowhere.gguf", "no such folder or file"),
        (empty, "neither a config.json nor a GGUF file"),
        (two, f"holds 2 GGUF files: name one, such as hf:{two / 'a.gguf'}"),
        (mute, "has no chat template: name a model that was tuned for instructions"),
        (hollow, "holds no weights"),
        (reader, "a deberta-v2 writes no text"),
        (note, "is no GGUF file"),
    ):
        with pytest.raises(SpecError, match=said) as refused:
            weights_of(str(named))
        assert "\n" not in str(refused.value)


def test_a_hub_id_that_is_nowhere_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "medassay.models.weights.hub.why_not", lambda repository: "the hub could not be asked: no network"
    )
    with pytest.raises(HubFolderMissing, match="no network.; name a folder or a GGUF file") as missing:
        weights_of("org/a-chat-model")
    assert "\n" not in str(missing.value)


def test_links_are_followed_by_their_own_names_and_a_hub_id_by_its_last_part(
    parrot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = set()
    for name in ("a", "b"):
        (tmp_path / f"blob-{name}").write_bytes(f"GGUF {name}".encode())
        (tmp_path / name).mkdir()
        (tmp_path / name / "small.gguf").symlink_to(tmp_path / f"blob-{name}")
        keys.add(weights_of(str(tmp_path / name / "small.gguf")).endpoint("llm").identity)
    assert len(keys) == 2
    snapshot = parrot("9217f5db", "Yes.")
    monkeypatch.setattr("medassay.models.chat.local.weights.hub_folder", lambda *_: snapshot)
    endpoint = weights_of("org/chat@main").endpoint("llm")
    assert (endpoint.model, endpoint.label.rpartition("@")[0]) == ("chat", "hf:org/chat@main")


def test_a_server_of_ours_gets_no_key_of_the_environment(
    parrot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general")
    assert weights_of(str(parrot("polly", "Yes."))).endpoint("judge").api_key() == key_of_ours()
