"""BARTScore (Yuan et al. 2021, NeurIPS): how likely a sequence-to-sequence model finds one text after the other."""

from collections.abc import Sequence
from typing import Any

from medassay.models.rationales.bertscore import unavailable

BATCH = 8
WINDOW = 1024


class BartScore:
    """Mean log-likelihood a token: precision, reference → rationale; recall, rationale → reference; F, their mean.

    Numbers are negative; nearer to 0 is better, and only those of one model compare.
    """

    measures = ("BARTScore precision", "BARTScore recall", "BARTScore F")

    def __init__(self, path: str, name: str) -> None:
        """Load the model at a folder or hub id.

        Raises:
            RationaleModelUnavailable: when it cannot be loaded or does not write one text after another.
        """
        import torch
        from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer
        from transformers.utils import logging

        from medassay.models.nli.encoder.checkpoints import weights_digest

        logging.disable_progress_bar()
        try:
            config = AutoConfig.from_pretrained(path)
            self._tokenizer = AutoTokenizer.from_pretrained(path)
            model = AutoModelForSeq2SeqLM.from_pretrained(path, dtype=torch.float32)
        except (OSError, ImportError, KeyError, ValueError) as error:
            such_as = "a sequence-to-sequence model such as hf:facebook/bart-large-cnn"
            raise unavailable("--bartscore", name, error, such_as) from error
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model: Any = model.eval().to(self._device)
        self._window = min(WINDOW, int(getattr(config, "max_position_embeddings", WINDOW)))
        self.fingerprint: dict[str, Any] = {
            "measure": "BARTScore", "model": name, "weights_sha256": weights_digest(path, config),
        }  # fmt: skip

    def is_cut(self, text: str) -> bool:
        """Return whether a text is longer than the window, so that only its beginning is scored."""
        return len(self._tokenizer(text)["input_ids"]) > self._window

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Score (rationale, reference) pairs; what exceeds the model's window is cut."""
        precision = self.likelihoods([(reference, rationale) for rationale, reference in pairs])
        recall = self.likelihoods(list(pairs))
        return [(p, r, (p + r) / 2) for p, r in zip(precision, recall, strict=True)]

    def likelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the mean log-likelihood of the second text's tokens, given the first, pair by pair."""
        import torch

        found: list[float] = []
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            given, said = (self._read([pair[side] for pair in some]) for side in (0, 1))
            labels = said["input_ids"].masked_fill(said["attention_mask"] == 0, -100)
            with torch.inference_mode():
                logits = self._model(
                    input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
                ).logits
                losses = torch.nn.functional.cross_entropy(
                    logits.transpose(1, 2).double(), labels, reduction="none", ignore_index=-100
                )
            found += (-losses.sum(dim=1) / (labels != -100).sum(dim=1)).tolist()
        return found

    def _read(self, texts: list[str]) -> Any:
        return self._tokenizer(
            texts, return_tensors="pt", padding=True, truncation=True, max_length=self._window
        ).to(self._device)
