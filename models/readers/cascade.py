"""Cascade reader: the encoder decides where it is confident, both readers decide the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from medassay.models.entailment.labels import EntailmentModel, Pair, Progress
from medassay.models.records import PairVerdict

STAGE_VERSION = 3
SETTLED_AT = {"entailment": 0.85, "contradiction": 0.9, "neutral": 0.75}
"""Probabilities from which on the encoder's word counts and the language model is not asked.

Chosen by what the encoder's letter loses and mends beside the mean (`benchmarks/reader_cascade.py`,
docs/decisions/0090). It is sure of some contradictions that are paraphrases, hence .9.
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

    def score(
        self,
        pairs: Sequence[Pair],
        on_progress: Progress | None = None,
        known: Mapping[Pair, PairVerdict] | None = None,
    ) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given, `reader` naming who gave it.

        Where the encoder has no verdict the language model's counts; `known` are verdicts that the encoder gave before.
        """
        found_before = known or {}
        unread = [pair for pair in dict.fromkeys(pairs) if pair not in found_before]
        read = dict(found_before)
        if unread:
            read |= zip(unread, self.encoder.score(unread), strict=True)
        first = [read[pair] for pair in pairs]
        undecided = [i for i, verdict in enumerate(first) if not settles(verdict)]
        if on_progress and len(undecided) < len(pairs):
            on_progress(len(pairs) - len(undecided))
        second = self.reader.score([pairs[i] for i in undecided], on_progress) if undecided else []
        found = [replace(verdict, reader="encoder") for verdict in first]
        for i, verdict in zip(undecided, second, strict=True):
            found[i] = replace(
                mean(verdict, first[i]), sentence=first[i].sentence or verdict.sentence, reader=BOTH
            )
        return found


def settles(verdict: PairVerdict) -> bool:
    """Say whether the encoder is sure enough of one of the three."""
    return any((getattr(verdict, name) or 0.0) >= at for name, at in SETTLED_AT.items())


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
