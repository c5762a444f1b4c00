"""The lock file: what it pins is what pyproject.toml asks for, without CUDA."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parents[2]
LOCK = HERE / "deployments" / "lock.txt"


def pinned() -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in LOCK.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            one = Requirement(line)
            found.setdefault(canonicalize_name(one.name), []).append(one)
    return found


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    wanted = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    locked = pinned()
    for requirement in map(Requirement, wanted):
        versions = [
            next(iter(one.specifier)).version for one in locked.get(canonicalize_name(requirement.name), [])
        ]
        assert versions, f"{requirement.name} is not in lock.txt: make lock"
        assert all(requirement.specifier.contains(version) for version in versions), (
            f"{requirement}: make lock"
        )


def test_no_cuda_is_pinned_and_no_place_is_named() -> None:
    assert [name for name in pinned() if re.match("nvidia|cuda|triton", name)] == []
    assert not re.search("https?:|file:", LOCK.read_text("utf-8"))


def test_it_pins_the_build_of_torch_that_is_installed_first() -> None:
    script = (HERE / "deployments" / "torch_for_processors.py").read_text("utf-8")
    (line,) = re.findall(r'^TORCH = "(torch==[\d.]+)"$', script, re.MULTILINE)
    assert [str(one) for one in pinned()["torch"]] == [line]
