"""Load an embedder from a folder: pooling, window, digests."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medassay.models.keys import content_key
from medassay.models.weights.hub import HubFolderMissing, hub_folder
from medassay.models.weights.storing import digest_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded model; `forward` maps (n, tokens) ids and mask to (n, dimension), `window` is in tokens."""

    tokenizer: "Tokenizer"
    pad_id: int
    forward: "Callable[[Tensor, Tensor], Tensor]"
    window: int


def load_model(folder: Path) -> Loaded:
    """Load an embedder on the processor, in 32-bit floats."""
    pooling = plain_pooling(folder)
    return (pooling and _load_encoder(folder, pooling)) or _load_any(folder)


def _load_encoder(folder: Path, pooling: str) -> Loaded | None:
    """Load with the project's own encoder, five seconds of imports less; None where it cannot read the model."""
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    from medassay.models.nli.encoder.encoder import encoder_of, knows, shape_of

    weights, vocabulary = folder / "model.safetensors", folder / "tokenizer.json"
    config = json.loads((folder / "config.json").read_text("utf-8"))
    if not (knows(config) and weights.is_file() and vocabulary.is_file()):
        return None
    raw = load_file(weights)
    if "embeddings.word_embeddings.weight" not in raw:
        return None
    shape = shape_of(config)
    encoder = encoder_of(shape, raw).eval()

    def forward(ids: "Tensor", mask: "Tensor") -> "Tensor":
        states: Tensor = encoder(ids, mask.bool())
        if pooling == "cls":
            return states[:, 0]
        shown = mask.unsqueeze(-1).to(states.dtype)
        return (states * shown).sum(1) / shown.sum(1).clamp(min=1e-9)

    window = stated_window(folder) or shape.positions - shape.first_position
    return Loaded(Tokenizer.from_file(str(vocabulary)), shape.pad_id, forward, window)


def import_ahead() -> None:
    """Import what the embedded embedder and encoder need, two seconds on two cores."""
    import medassay.models.nli.encoder.encoder  # noqa: F401


def _load_any(folder: Path) -> Loaded:
    """Load with sentence-transformers, which knows every kind of module."""
    import torch
    from sentence_transformers import SentenceTransformer

    with silence():
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True).float().eval()

    def forward(ids: "Tensor", mask: "Tensor") -> "Tensor":
        return torch.as_tensor(model({"input_ids": ids, "attention_mask": mask})["sentence_embedding"])

    tokenizer = model.tokenizer
    return Loaded(
        tokenizer.backend_tokenizer, int(tokenizer.pad_token_id), forward, int(model.max_seq_length or 512)
    )


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
