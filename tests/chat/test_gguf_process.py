"""What the process that serves a GGUF file needs of the system."""

import ctypes
import sys
from pathlib import Path

import pytest

from medassay.models.chat.local.gguf_process import load_openmp


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the library has another name")
def test_where_the_system_has_no_openmp_pytorchs_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Path] = []

    def load(name: str, mode: int) -> None:
        if name == "libgomp.so.1":
            raise OSError(f"{name}: cannot open shared object file")
        loaded.append(Path(name))

    monkeypatch.setattr(ctypes, "CDLL", load)
    load_openmp()
    assert [(path.parts[-3:], path.exists()) for path in loaded] == [(("torch", "lib", "libgomp.so.1"), True)]
