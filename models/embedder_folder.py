"""An embedder's folder: where it lies, what it says of itself, and how it is loaded."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.hub import HubFolderMissing, hub_folder
from medassay.models.keys import content_key
from medassay.models.registry.storing import digest_of

if TYPE_CHECKING:
    from torch import Tensor

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*/*.safetensors")
_FOR_HUB = ("*.json", "*.txt", "*.model", "*.safetensors", "*/config.json", "*/*.safetensors")
_TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer.model")


class EmbedderUnavailable(RuntimeError):
    """The named embedder cannot be loaded; the message says why and what to name instead."""


def plain_pooling(folder: Path) -> str | None:
    """`mean` or `cls` where the model is a transformer with that pooling and nothing else, which most are."""
    try:
        modules = json.loads((folder / "modules.json").read_text("utf-8"))
        kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
        if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
            return None
        pooling = json.loads((folder / modules[1]["path"] / "config.json").read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    modes = sorted(key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True)
    if pooling.get("include_prompt", True) is not True or modules[0]["path"]:
        return None
    plain = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    return plain.get(modes[0]) if len(modes) == 1 else None


def stated_window(folder: Path) -> int | None:
    """The window in tokens that the folder states, None where it leaves it to the model."""
    try:
        return int(json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def load_plain(folder: Path, pooling: str) -> "tuple[Any, Callable[[Any], Tensor], int]":
    """Load with transformers alone: importing sentence-transformers costs five seconds more."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    window = stated_window(folder) or min(
        int(tokenizer.model_max_length), int(model.config.max_position_embeddings)
    )

    def forward(features: Any) -> "Tensor":
        with torch.inference_mode():
            states = model(**features).last_hidden_state
            if pooling == "cls":
                return torch.as_tensor(states[:, 0])
            mask = features["attention_mask"].unsqueeze(-1).to(states.dtype)
            return torch.as_tensor((states * mask).sum(1) / mask.sum(1).clamp(min=1e-9))

    return tokenizer, forward, window


def import_ahead() -> None:
    """Import what `load_plain` needs, three seconds on two cores, and the layers of the embedded model."""
    import torch  # noqa: F401
    from transformers import AutoModel, AutoTokenizer  # noqa: F401
    from transformers.models.bert import modeling_bert  # noqa: F401


def load_any(folder: Path) -> "tuple[Any, Callable[[Any], Tensor], int]":
    """Load with sentence-transformers, which knows every kind of module."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    model = model.float().eval()

    def forward(features: Any) -> "Tensor":
        with torch.inference_mode():
            return torch.as_tensor(model(dict(features))["sentence_embedding"])

    return model.tokenizer, forward, int(model.max_seq_length or 512)


def embedder_folder(name: str) -> Path:
    """Return a folder as it is, and of a hub id the folder it was downloaded to; the hub is asked last.

    Raises:
        EmbedderUnavailable: when it is nowhere.
    """
    try:
        return hub_folder(name, _FOR_HUB, _WEIGHTS)
    except HubFolderMissing as error:
        raise EmbedderUnavailable(f"{error}; name a folder, or use --embedder embedded") from None


def weights_digest(folder: Path) -> str:
    """Name the weights by their content.

    Raises:
        EmbedderUnavailable: when there are none.
    """
    files = sorted({path for pattern in _WEIGHTS for path in folder.glob(pattern)})
    if not files:
        raise EmbedderUnavailable(f"{folder} holds no weights (*.safetensors); use --embedder embedded")
    if len(files) == 1:
        return digest_of(files[0])
    return content_key({str(path.relative_to(folder)): digest_of(path) for path in files})


def tokenizer_digest(folder: Path) -> str:
    """Name the tokenizer by the content of its files."""
    parts = {path.name: digest_of(path) for item in _TOKENIZER if (path := folder / item).is_file()}
    return content_key(parts)


@contextmanager
def silence() -> Iterator[None]:
    """Keep transformers' bars and notes off the user's screen while a model loads."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()
