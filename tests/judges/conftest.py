"""The misbehaving judge server of `tests/judge_server.py`, as a fixture."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_path = Path(__file__).parents[1] / "judge_server.py"
_spec = importlib.util.spec_from_file_location("judge_server", _path)
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)


@pytest.fixture
def judge_server() -> Iterator[Any]:
    server = _module.JudgeServer()
    yield server
    server.close()
