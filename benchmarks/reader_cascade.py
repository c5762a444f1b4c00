"""What the encoder may settle alone: by letter and threshold, how many pairs, and how many right letters it costs.

A settled pair has the encoder's letter, another the letter of both readers' weighted mean
(`medassay.models.nli.cascade`). `−` counts pairs that only the mean has right, `+` those that only the encoder has
right, over all sets that no reader was trained on row by row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.reader_cache import NotStored
from benchmarks.reader_runs import Reader
from benchmarks.reader_sets import LabelledSet
from medassay.models.nli.cascade import ENCODERS_SHARE

THRESHOLDS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
_LETTERS = ("entailment", "contradiction", "neutral")


@dataclass(frozen=True)
class Settled:
    """Of one set, letter and threshold: pairs that the encoder settles, letters to worse and to better."""

    settled: int
    worse: int
    better: int

    def __str__(self) -> str:
        """Return `settled −worse +better`."""
        return f"{self.settled} −{self.worse} +{self.better}"


def settled(
    encoders: np.ndarray, language_models: np.ndarray, labels: Sequence[str], letter: int, at: float
) -> Settled:
    """Count what the encoder would settle of a set.

    Args:
        encoders: probabilities of (entailment, contradiction, neutral), shape (n, 3).
        language_models: the same of the language model.
        labels: gold labels; `not_entailment` is either of the last two.
        letter: which of the three, from 0.
        at: probability from which on the encoder settles.
    """
    both = (1 - ENCODERS_SHARE) * language_models + ENCODERS_SHARE * encoders
    sure = np.flatnonzero(encoders[:, letter] >= at)
    own = np.array([_right(_LETTERS[letter], labels[i]) for i in sure], dtype=bool)
    mean = np.array([_right(_LETTERS[int(both[i].argmax())], labels[i]) for i in sure], dtype=bool)
    return Settled(len(sure), int((mean & ~own).sum()), int((own & ~mean).sum()))


def _right(said: str, label: str) -> bool:
    return said != "entailment" if label == "not_entailment" else said == label


def report(encoder: Reader, language_model: Reader, sets: Sequence[LabelledSet]) -> list[str]:
    """Return a Markdown table: a row a letter and set, a column a threshold, all sets together last."""
    read = {}
    for one in sets:
        try:
            read[one.name] = encoder.probabilities(one.pairs), language_model.probabilities(one.pairs), one
        except NotStored:
            continue  # nothing may be read, and this was not yet
    lines = [
        "| letter | set | " + " | ".join(f"≥ {at}" for at in THRESHOLDS) + " |",
        "|---" * (len(THRESHOLDS) + 2) + "|",
    ]
    for letter, name in enumerate(_LETTERS):
        counts = {
            key: [settled(first, second, [p.label for p in one.pairs], letter, at) for at in THRESHOLDS]
            for key, (first, second, one) in read.items()
        }
        together = [
            Settled(*(sum(getattr(c, field) for c in column) for field in ("settled", "worse", "better")))
            for column in zip(*counts.values(), strict=True)
        ]
        for key, cells in {**counts, "all": together}.items():
            lines.append(f"| {name} | {key} | {' | '.join(map(str, cells))} |")
    return lines
