"""Hugging Face hub: one brief check before anything is downloaded."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from medassay.models.usage import UsageError

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?(@[\w.-]+)?")
_TIMEOUT_S = 10.0
_CLOSED = "HF_HUB_OFFLINE"


class HubFolderMissing(LookupError):
    """A model is neither a folder nor on this machine, and the hub did not serve it; the message says why."""


def refuse_no_folder(spec: str) -> None:
    """Refuse `hf:` and what is neither a model's folder nor could be a hub id, which can only be tried.

    Raises:
        UsageError: where nothing is there, or no folder.
    """
    spec = spec.strip()
    given = Path(spec.removeprefix("hf:")).expanduser()
    if not spec.startswith("hf:") or given.is_dir():
        return
    if given.is_file():
        raise UsageError(f"{spec} is a file: name the model's folder")
    if not HUB_ID.fullmatch(spec.removeprefix("hf:")):
        raise UsageError(f"{spec}: no such folder or file")


@contextmanager
def hub_closed(wanted: bool = True) -> Iterator[None]:
    """Ask no hub while the block runs, by the variable that its own clients read in processes started here, too."""
    before = os.environ.get(_CLOSED)
    if wanted:
        os.environ[_CLOSED] = "1"
    try:
        yield
    finally:
        if wanted and before is None:
            os.environ.pop(_CLOSED, None)
        elif wanted and before is not None:
            os.environ[_CLOSED] = before


def hub_is_closed() -> bool:
    """Whether the hub is to be left alone: a run is offline, or whoever set up this machine said so."""
    return os.environ.get(_CLOSED, "").strip().upper() in ("1", "ON", "YES", "TRUE")


def hub_folder(name: str, wanted: Sequence[str], weights: Sequence[str]) -> Path:
    """Return a folder as it is, and of a hub id (`org/name`, or with `@revision`) the folder it was downloaded to.

    The hub is asked last, for files of the patterns in `wanted`; what is here without `weights` is no model.

    Raises:
        HubFolderMissing: when it is nowhere.
    """
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser()
    repository, _, revision = name.partition("@")
    try:
        here = _snapshot(repository, revision, wanted, here=True)
        if any(path for pattern in weights for path in here.glob(pattern)):
            return here
    except Exception:  # the hub's client has two dozen errors, and its HTTP library's beside them
        pass
    reason = why_not(repository)
    if reason is None:
        try:
            return _snapshot(repository, revision, wanted, here=False)
        except Exception as error:  # as above
            reason = type(error).__name__
    raise HubFolderMissing(
        f"hf:{name} is neither a folder nor on this machine, and the hub did not serve it ({reason})"
    )


def _snapshot(repository: str, revision: str, wanted: Sequence[str], *, here: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(
        snapshot_download(
            repository, revision=revision or None, allow_patterns=list(wanted), local_files_only=here
        )
    )


def why_not(repository: str) -> str | None:
    """Return why the hub does not serve a repository, in one line; None where it does.

    Where there is no network, the hub's own client tries every file six times over, which takes most of a minute.
    """
    if hub_is_closed():
        return "nobody is asked: offline"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        HfApi().model_info(repository, timeout=_TIMEOUT_S)
    except HfHubHTTPError as error:
        return f"the hub says {error.response.status_code}"
    except Exception as error:  # the hub's client has two dozen errors, and its HTTP library's beside them
        return f"the hub could not be asked: {(str(error) or type(error).__name__).splitlines()[0]}"
    return None
