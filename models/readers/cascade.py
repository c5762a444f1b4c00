"""Two readers in turn: the encoder settles what is plainly unrelated, both read the rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from medassay.models.entailment.protocol import EntailmentModel, Pair, Progress
from medassay.models.records import PairVerdict

STAGE_VERSION = 2
SETTLED_AT = 0.9
"""Probability of neutral from which on the encoder's word counts.

Of the 70 related pairs in the shared cases the encoder gives none more than .81, of 60 unrelated ones it gives 42 more
than .9 (`benchmarks/reader.py`).
"""
BOTH = "both"
ENCODERS_SHARE = 0.3
"""What the encoder's probabilities weigh where both read; the two err on other pairs (docs/decisions/0089)."""


def describe_cascade(encoder: dict[str, Any], reader: dict[str, Any]) -> dict[str, Any]:
    """Name everything that a verdict of the two depends on, given what describes each."""
    return {
        "model": "cascade",
        "encoder": encoder,
        "reader": reader,
        "settled_at": SETTLED_AT,
        "encoders_share": ENCODERS_SHARE,
        "dtype": reader["dtype"],
        "reading": reader["reading"],
        "stage_version": STAGE_VERSION,
    }


class Cascade:
    """The encoder before the language model; `encoder` names the deciding sentence, the mean of both decides."""

    pairs_at_once = 128

    def __init__(self, encoder: EntailmentModel, reader: EntailmentModel) -> None:
        """Put two loaded readers behind each other."""
        self.encoder, self.reader = encoder, reader
        self.fingerprint: dict[str, Any] = {
            "name": "cascade",
            **describe_cascade(encoder.fingerprint, reader.fingerprint),
        }

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given, `reader` naming who gave it.

        Where the encoder has no verdict the language model's counts.
        """
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
                mean(verdict, first[i]), sentence=first[i].sentence or verdict.sentence, reader=BOTH
            )
        return found


def mean(verdict: PairVerdict, encoders: PairVerdict) -> PairVerdict:
    """Return a verdict whose probabilities are the weighted mean of two; without one of them, the verdict as it is."""
    if verdict.entailment is None or encoders.entailment is None:
        return verdict
    assert verdict.neutral is not None and verdict.contradiction is not None
    assert encoders.neutral is not None and encoders.contradiction is not None
    share = ENCODERS_SHARE
    return replace(
        verdict,
        entailment=(1 - share) * verdict.entailment + share * encoders.entailment,
        neutral=(1 - share) * verdict.neutral + share * encoders.neutral,
        contradiction=(1 - share) * verdict.contradiction + share * encoders.contradiction,
    )
