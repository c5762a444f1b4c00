"""Two readers in turn: the encoder settles what is plainly unrelated, the language model reads the rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from medassay.models.entailment.protocol import EntailmentModel, Pair, Progress
from medassay.models.records import PairVerdict

STAGE_VERSION = 1
SETTLED_AT = 0.9
"""Probability of neutral from which on the encoder's word counts.

Of the 70 related pairs in the shared cases the encoder gives none more than .81, of 60 unrelated ones it gives 42 more
than .9 (`benchmarks/reader.py`).
"""


def describe_cascade(encoder: dict[str, Any], reader: dict[str, Any]) -> dict[str, Any]:
    """Name everything that a verdict of the two depends on, given what describes each."""
    return {
        "model": "cascade",
        "encoder": encoder,
        "reader": reader,
        "settled_at": SETTLED_AT,
        "dtype": reader["dtype"],
        "reading": reader["reading"],
        "stage_version": STAGE_VERSION,
    }


class Cascade:
    """The encoder before the language model; `encoder` names the deciding sentence, `reader` decides."""

    pairs_at_once = 128

    def __init__(self, encoder: EntailmentModel, reader: EntailmentModel) -> None:
        """Put two loaded readers behind each other."""
        self.encoder, self.reader = encoder, reader
        self.fingerprint: dict[str, Any] = {
            "name": "cascade",
            **describe_cascade(encoder.fingerprint, reader.fingerprint),
        }

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given, `reader` naming who gave it."""
        first = self.encoder.score(pairs)
        undecided = [
            i for i, verdict in enumerate(first) if verdict.neutral is None or verdict.neutral < SETTLED_AT
        ]
        if on_progress and len(undecided) < len(pairs):
            on_progress(len(pairs) - len(undecided))
        second = self.reader.score([pairs[i] for i in undecided], on_progress) if undecided else []
        found = [replace(verdict, reader="encoder") for verdict in first]
        for i, verdict in zip(undecided, second, strict=True):
            found[i] = replace(
                verdict, sentence=first[i].sentence or verdict.sentence, reader="language model"
            )
        return found
