"""Sentence embeddings: any sentence-transformers model behind one class."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.embedder_folder import (
    EmbedderUnavailable,
    Loaded,
    embedder_folder,
    load_model,
    plain_pooling,
    stated_window,
    tokenizer_digest,
    weights_digest,
)
from medassay.models.served_embedding import describe_served_embedder, embedder_address
from medassay.models.weights import MODELS, ensure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE_VERSION = 1
"""Raised by hand whenever the same texts and weights would give other vectors."""

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"
OVERLAP_TOKENS = 32
_TOKENS_PER_BATCH = 4096

Window = tuple[int, list[int]]


@dataclass(frozen=True, slots=True)
class Embedder:
    """A loaded embedder and the fingerprint of what it computes; `window` and `overlap` are in tokens."""

    model: Loaded
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
        return [
            (index, window.ids)
            for index, encoding in enumerate(self.model.tokenizer.encode_batch(texts))
            for window in (encoding, *encoding.overflowing)
        ]

    def _embedded(self, batch: list[list[int]]) -> "NDArray[np.float32]":
        import numpy as np
        import torch

        longest = max(map(len, batch))
        ids = torch.tensor([row + [self.model.pad_id] * (longest - len(row)) for row in batch])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in batch])
        with torch.inference_mode():
            vectors = torch.nn.functional.normalize(self.model.forward(ids, mask).float(), dim=1).numpy()
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
    """Describe what a spec asks for, without loading it: the fingerprint that the loaded embedder will have.

    One on a server is known by its address and name.

    Raises:
        ModelMissing: an embedded model is not pulled.
        EmbedderUnavailable: the folder or id cannot be found.
        ValueError: the spec names no embedder.
    """
    if endpoint := embedder_address(spec):
        return describe_served_embedder(endpoint)
    return _described(spec, cache)[2]


def _described(spec: str, cache: Path | None) -> tuple[str, Path, dict[str, Any]]:
    embedded = {model.name: model for model in MODELS if model.role == "embeddings"}
    name = DEFAULT_EMBEDDER if spec == "embedded" else spec
    if name in embedded:
        folder, weights = ensure(embedded[name], cache=cache), embedded[name].sha256
    elif name.startswith("hf:") and len(name) > 3:
        name = name[3:]
        folder = embedder_folder(name)
        weights = weights_digest(folder)
    else:
        if embedder_address(spec):
            raise EmbedderUnavailable(
                f"{spec}: an embedder on a server is asked in evaluations alone; write embedded or hf:<id or folder>"
            )
        raise ValueError(
            f"{spec!r} names no embedder: say `embedded`, {', '.join(f'`{known}`' for known in embedded)}, "
            "or `hf:` and a folder or hub id"
        )
    return (
        name,
        folder,
        {
            "role": "embeddings",
            "model": name,
            "weights": weights,
            "tokenizer": tokenizer_digest(folder),
            "pooling": plain_pooling(folder) or "the model's own",
            "dtype": "float32",
            "window": stated_window(folder),
            "overlap": OVERLAP_TOKENS,
            "stage_version": STAGE_VERSION,
        },
    )


def _loaded(folder: Path, fingerprint: dict[str, Any]) -> Embedder:
    import torch

    model = load_model(folder)
    overlap = min(OVERLAP_TOKENS, model.window // 4)
    model.tokenizer.enable_truncation(model.window, stride=overlap)
    model.tokenizer.no_padding()
    one = torch.ones((1, 1), dtype=torch.long)
    with torch.inference_mode():
        dimension = int(model.forward(one, one).shape[1])
    return Embedder(model, dimension, model.window, overlap, fingerprint)


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
