"""Sentences as vectors: any sentence-transformers model behind one small protocol."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.keys import content_key
from models.registry import MODELS, ensure
from models.registry.storing import digest_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

STAGE_VERSION = 1
"""Raised by hand whenever the same texts and weights would give other vectors."""

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"
OVERLAP_TOKENS = 32
_TOKENS_PER_BATCH = 4096
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*/*.safetensors")
_TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer.model")

Window = tuple[int, list[int]]


class EmbedderUnavailable(RuntimeError):
    """The named embedder cannot be loaded; the message says why and what to name instead."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """A loaded embedder and the fingerprint of what it computes; `window` and `overlap` are in tokens."""

    tokenizer: Any
    forward: "Callable[[Any], Tensor]"
    dimension: int
    window: int
    overlap: int
    fingerprint: dict[str, Any]

    def encode(
        self, texts: Sequence[str], on_progress: Callable[[int], None] | None = None
    ) -> "NDArray[np.float32]":
        """Embed texts: float32, shape (n, dimension), rows of length 1, in the order given.

        Equal texts are computed once. Texts are batched by length, so that padding costs little. Nothing is
        cut off: a text longer than the model's window is read in overlapping windows, and its vector is the
        mean of theirs, each weighted by its tokens. A text's vector is the same to about 1e-6 whatever else
        is in the call.

        Args:
            texts: what to embed; an empty text is embedded as the model embeds nothing.
            on_progress: told how many more texts are done; it adds up to `len(texts)`.
        """
        import numpy as np

        uses: dict[str, list[int]] = {}
        for position, text in enumerate(texts):
            uses.setdefault(text, []).append(position)
        places = list(uses.values())
        windows = self._windows(list(uses))
        left = np.bincount([index for index, _ in windows], minlength=len(places))
        sums = np.zeros((len(places), self.dimension), dtype=np.float32)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for batch in _batches(windows, _TOKENS_PER_BATCH):
            done = 0
            for (index, ids), vector in zip(batch, self._embedded([ids for _, ids in batch]), strict=True):
                sums[index] += vector * len(ids)
                left[index] -= 1
                if left[index] == 0:
                    vectors[places[index]] = sums[index] / max(float(np.linalg.norm(sums[index])), 1e-12)
                    done += len(places[index])
            if on_progress and done:
                on_progress(done)
        return vectors

    def _windows(self, texts: list[str]) -> list[Window]:
        if not texts:
            return []
        encoded = self.tokenizer(
            texts,
            truncation=True,
            max_length=self.window,
            stride=self.overlap,
            return_overflowing_tokens=True,
        )
        return list(zip(encoded["overflow_to_sample_mapping"], encoded["input_ids"], strict=True))

    def _embedded(self, batch: list[list[int]]) -> "NDArray[np.float32]":
        import numpy as np
        import torch

        features = self.tokenizer.pad({"input_ids": batch}, return_tensors="pt")
        with torch.inference_mode():
            vectors = torch.nn.functional.normalize(self.forward(features).float(), dim=1).numpy()
        return np.asarray(vectors, dtype=np.float32)


def load_embedder(spec: str, cache: Path | None = None) -> Embedder:
    """Load an embedder, on the processor, in 32-bit floats.

    Args:
        spec: `embedded` (all-MiniLM-L6-v2), an embedded model's name (`all-mpnet-base-v2`), or `hf:` and a
            folder or a hub id, with `@revision` if wanted. The hub is asked only for an id so named, and only
            when its files are not on this machine yet.
        cache: the folder of embedded models; None means the registry's.

    Raises:
        ModelMissing: an embedded model is not pulled.
        EmbedderUnavailable: the folder or id cannot be loaded.
        ValueError: the spec names no embedder.
    """
    name, folder, fingerprint = _described(spec, cache)
    try:
        return _loaded(folder, fingerprint)
    except (OSError, ValueError, KeyError, ImportError) as error:
        if not spec.startswith("hf:"):
            raise
        raise EmbedderUnavailable(
            f"hf:{name} cannot be loaded as an embedder: {error}; use --embedder embedded, or another one"
        ) from error


def describe_embedder(spec: str, cache: Path | None = None) -> dict[str, Any]:
    """Say what a spec asks for, without loading it: the fingerprint that the loaded embedder will have.

    Raises:
        ModelMissing: an embedded model is not pulled.
        EmbedderUnavailable: the folder or id cannot be found.
        ValueError: the spec names no embedder.
    """
    return _described(spec, cache)[2]


def _described(spec: str, cache: Path | None) -> tuple[str, Path, dict[str, Any]]:
    embedded = {model.name: model for model in MODELS if model.role == "embeddings"}
    name = DEFAULT_EMBEDDER if spec == "embedded" else spec
    if name in embedded:
        folder, weights = ensure(embedded[name], cache=cache), embedded[name].sha256
    elif name.startswith("hf:") and len(name) > 3:
        name = name[3:]
        folder = _hub_folder(name)
        weights = _weights_digest(folder)
    else:
        raise ValueError(
            f"{spec!r} names no embedder: say `embedded`, {', '.join(f'`{known}`' for known in embedded)}, "
            "or `hf:` and a folder or hub id"
        )
    parts = {path.name: digest_of(path) for item in _TOKENIZER if (path := folder / item).is_file()}
    return (
        name,
        folder,
        {
            "role": "embeddings",
            "model": name,
            "weights": weights,
            "tokenizer": content_key(parts),
            "pooling": _plain_pooling(folder) or "the model's own",
            "dtype": "float32",
            "window": _stated_window(folder),
            "overlap": OVERLAP_TOKENS,
            "stage_version": STAGE_VERSION,
        },
    )


def _loaded(folder: Path, fingerprint: dict[str, Any]) -> Embedder:
    pooling = _plain_pooling(folder)
    with _silence():
        if pooling:
            tokenizer, forward, window = _load_plain(folder, pooling)
        else:
            tokenizer, forward, window = _load_any(folder)
    dimension = int(forward(tokenizer(["a"], return_tensors="pt")).shape[1])
    overlap = min(OVERLAP_TOKENS, window // 4)
    return Embedder(tokenizer, forward, dimension, window, overlap, fingerprint)


def _plain_pooling(folder: Path) -> str | None:
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


def _stated_window(folder: Path) -> int | None:
    """The window in tokens that the folder states, None where it leaves it to the model."""
    try:
        return int(json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _load_plain(folder: Path, pooling: str) -> "tuple[Any, Callable[[Any], Tensor], int]":
    """Load with transformers alone: importing sentence-transformers costs five seconds more."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    window = _stated_window(folder) or min(
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


def _load_any(folder: Path) -> "tuple[Any, Callable[[Any], Tensor], int]":
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    model = model.float().eval()

    def forward(features: Any) -> "Tensor":
        with torch.inference_mode():
            return torch.as_tensor(model(dict(features))["sentence_embedding"])

    return model.tokenizer, forward, int(model.max_seq_length or 512)


def _hub_folder(name: str) -> Path:
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser()
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import snapshot_download

    repository, _, revision = name.partition("@")
    wanted = ["*.json", "*.txt", "*.model", "*.safetensors", "*/config.json", "*/*.safetensors"]
    reason: Exception | None = None
    for local in (True, False):
        try:
            return Path(
                snapshot_download(
                    repository, revision=revision or None, allow_patterns=wanted, local_files_only=local
                )
            )
        except Exception as error:  # the hub's client has two dozen errors, and httpx's beside them
            reason = error
    raise EmbedderUnavailable(
        f"hf:{name} is neither a folder nor on this machine, and the hub did not serve it "
        f"({type(reason).__name__}); name a folder, or use --embedder embedded"
    ) from reason


def _weights_digest(folder: Path) -> str:
    files = sorted({path for pattern in _WEIGHTS for path in folder.glob(pattern)})
    if not files:
        raise EmbedderUnavailable(f"{folder} holds no weights (*.safetensors); use --embedder embedded")
    if len(files) == 1:
        return digest_of(files[0])
    return content_key({str(path.relative_to(folder)): digest_of(path) for path in files})


def _batches(windows: list[Window], tokens: int) -> Iterator[list[Window]]:
    """Longest first, so that memory is at its highest at once; `tokens` bounds a batch with its padding."""
    batch: list[Window] = []
    for window in sorted(windows, key=lambda window: -len(window[1])):
        if batch and (len(batch) + 1) * len(batch[0][1]) > tokens:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


@contextmanager
def _silence() -> Iterator[None]:
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
