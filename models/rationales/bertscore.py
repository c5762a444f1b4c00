"""BERTScore (Zhang et al. 2020, ICLR): every token's nearest neighbour in the other text, by the bert-score library."""

import math
from collections.abc import Sequence
from typing import Any, Protocol

BATCH = 32
WINDOW = 512
COUNTED_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Encoders whose first position is the one behind the padding's."""
DEPTH = 0.75
"""How deep the layer lies that is read: published best layers are 9 of 12, 17 or 18 of 24, 5 of 6."""


class RationaleModelUnavailable(RuntimeError):
    """The named model cannot be loaded or does not fit the measure; the message says why and what to name instead."""


class Likeness(Protocol):
    """A measure of a rationale against a reference; `measures` names its numbers in the order of `score`."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Name the numbers of `score`."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Name the model and its weights: `measure`, `model`, `weights_sha256`."""

    def is_cut(self, text: str) -> bool:
        """Return whether a text is longer than the model's window, so that only its beginning is scored."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Score (rationale, reference) pairs, neither of them blank."""


class BertScore:
    """Precision, recall and F1 of a rationale's tokens against the reference's; not rescaled, no idf weights."""

    measures = ("BERTScore precision", "BERTScore recall", "BERTScore F1")

    def __init__(self, path: str, name: str) -> None:
        """Load the encoder at a folder or hub id.

        Raises:
            RationaleModelUnavailable: when it cannot be loaded.
        """
        from bert_score import BERTScorer, utils
        from transformers import AutoConfig
        from transformers.utils import logging

        from medassay.models.nli.encoder.checkpoints import weights_digest

        logging.disable_progress_bar()
        try:
            config = AutoConfig.from_pretrained(path)
            layer = utils.model2layers.get(path) or math.ceil(DEPTH * int(config.num_hidden_layers))
            self._scorer = BERTScorer(model_type=path, num_layers=layer, batch_size=BATCH, idf=False)
        except (OSError, ImportError, KeyError, ValueError, AttributeError) as error:
            raise unavailable("--bertscore", name, error, "an encoder such as hf:roberta-large") from error
        # A tokenizer that was saved without its length would let the encoder run over its last position.
        places = int(getattr(config, "max_position_embeddings", WINDOW))
        if str(config.model_type) in COUNTED_FROM_PADDING:
            places -= int(config.pad_token_id or 0) + 1
        self._tokenizer: Any = self._scorer._tokenizer
        self._tokenizer.model_max_length = min(int(self._tokenizer.model_max_length), places)
        self.fingerprint: dict[str, Any] = {
            "measure": "BERTScore", "model": name, "weights_sha256": weights_digest(path, config), "layer": layer,
        }  # fmt: skip

    def is_cut(self, text: str) -> bool:
        """Return whether a text is longer than the window, so that only its beginning is scored."""
        return bool(len(self._tokenizer(text.strip())["input_ids"]) > self._tokenizer.model_max_length)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Score (rationale, reference) pairs; what exceeds the encoder's window is cut by the library."""
        if not pairs:
            return []
        found = self._scorer.score([one for one, _ in pairs], [other for _, other in pairs])
        return [tuple(float(value) for value in values) for values in zip(*found, strict=True)]


def unavailable(option: str, name: str, error: Exception, such_as: str) -> RationaleModelUnavailable:
    """Return one line that says why a model cannot be used, and what to name instead."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return RationaleModelUnavailable(
        f"{option} {name} cannot be loaded ({first}); name {such_as}, or a folder that holds it"
    )
