"""Resolve `hf:<id or folder>` of a chat model to a folder or GGUF file.

Which of them it is, is read from what lies there. Calls are kept under the weights' digest, not under where they lie.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.keys import content_key
from medassay.models.specs import SpecError
from medassay.models.weights.hub import HUB_ID, HubFolderMissing, hub_folder
from medassay.models.weights.storing import digest_of

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_SPEAKING = ("tokenizer*", "vocab.*", "merges.txt", "*_tokens*.json", "chat_template.*", "*config.json")
_TEMPLATES = ("chat_template.jinja", "chat_template.json", "additional_chat_templates/*.jinja")
_FOR_HUB = ("*.json", "*.txt", "*.model", "*.jinja", *_WEIGHTS)
_PART = re.compile(r"-(\d+)-of-\d+(?=\.gguf$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Weights:
    """A chat model on this machine: the folder or the GGUF file that a server of ours loads, and its digest."""

    path: Path
    digest: str
    title: str

    def endpoint(self, role: str) -> Endpoint:
        """Return whom to ask; its address is known once it is served."""
        model = self.title.rpartition("/")[2].partition("@")[0]
        return Endpoint("", model, role, f"hf:{self.title}@{self.digest[:12]}", self.path)


def weights_of(named: str) -> Weights:
    """Find what is named after `hf:`: a folder, a GGUF file, or a hub id (then the hub is asked where it is not here).

    Raises:
        SpecError: when there is nothing, or nothing that can be talked to; the message says what to name.
        HubFolderMissing: when the hub does not serve what is not here.
    """
    given = Path(named).expanduser()
    path = _file_of(named, given)
    if path.is_dir():
        _check_that_it_talks(named, path)
    title = named if not given.exists() else path.stem if path.is_file() else path.resolve().name
    return Weights(path, _digest(_files(path)), title)


def _file_of(named: str, given: Path) -> Path:
    """Return the GGUF file that is meant, or else the folder."""
    if given.is_file():
        if given.suffix.lower() != ".gguf":
            raise SpecError(
                f"hf:{named} is no GGUF file: name a model's folder, or a file that ends in .gguf"
            )
        return given.absolute()
    if not given.is_dir() and (not HUB_ID.fullmatch(named) or given.suffix.lower() == ".gguf"):
        raise SpecError(f"hf:{named}: no such folder or file")
    try:
        folder = hub_folder(named, _FOR_HUB, _WEIGHTS)
    except HubFolderMissing as error:
        raise HubFolderMissing(f"{error}; name a folder or a GGUF file") from None
    if (folder / "config.json").is_file():
        return folder.absolute()
    found = sorted(path for path in folder.glob("*.gguf") if _is_first_part(path))
    if len(found) > 1:
        raise SpecError(f"hf:{named} holds {len(found)} GGUF files: name one, such as hf:{found[0]}")
    if not found:
        raise SpecError(
            f"hf:{named} holds no model: neither a config.json nor a GGUF file lies there (of a hub repository of GGUF "
            "files download one, and name the file)"
        )
    return found[0].absolute()


def _is_first_part(path: Path) -> bool:
    if path.name.startswith("mmproj"):  # what turns pictures into tokens
        return False
    part = _PART.search(path.name)
    return part is None or int(part[1]) == 1


def _check_that_it_talks(named: str, folder: Path) -> None:
    """Refuse what cannot be asked in words before anything is loaded."""
    kind = _json(folder / "config.json").get("model_type")
    if kind not in _kinds_that_write():
        raise SpecError(
            f"hf:{named}: a {kind or 'model of no stated type'} writes no text; name a chat model, which "
            "gives its answer in words"
        )
    if not any(path for pattern in _WEIGHTS for path in folder.glob(pattern)):
        raise SpecError(f"hf:{named} holds no weights (*.safetensors)")
    spoken = _json(folder / "tokenizer_config.json").get("chat_template")
    if not spoken and not any(path for pattern in _TEMPLATES for path in folder.glob(pattern)):
        raise SpecError(f"hf:{named} has no chat template: name a model that was tuned for instructions")


def _kinds_that_write() -> frozenset[str]:
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    )

    return frozenset([*MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, *MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES])


def _json(path: Path) -> dict[str, object]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _files(path: Path) -> list[Path]:
    """List what decides on a reply: the weights, and what turns messages into tokens; all parts of a GGUF file."""
    if path.is_file():
        whole = _PART.sub("", path.name)
        return sorted(other for other in path.parent.glob("*.gguf") if _PART.sub("", other.name) == whole)
    return sorted({found for item in (*_WEIGHTS, *_SPEAKING) for found in path.glob(item)})


def _digest(files: list[Path]) -> str:
    return _digest_of(tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=16)
def _digest_of(stamped: tuple[tuple[Path, int, int], ...]) -> str:
    """Name files by their content; gigabytes are read once a process, and again where size or time has changed."""
    return content_key({file.name: digest_of(file) for file, *_ in stamped})
