"""Cascade reader: the encoder decides where it is confident, both readers decide the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from medassay.models.nli.labels import EntailmentModel, Pair, Progress
from medassay.models.records import PairVerdict

STAGE_VERSION = 5
SETTLED_AT = {"entailment": 0.85, "contradiction": 0.9, "neutral": 0.75}
"""Probabilities from which on the encoder's word counts and the language model is not asked.

Chosen by what the encoder's letter loses and mends beside the mean (`benchmarks/reader_cascade.py`,
decision 90). It is sure of some contradictions that are paraphrases, hence .9.
"""
SHORT_PREMISE_WORDS = 20
BOTH_WAYS_AT = 0.6
"""A contradiction of a passage of so few words is read the other way round too, and counts from here on.

Statements that deny each other do so both ways; two facts about one drug often look so one way only (docs/reader.md).
In longer passages the other way loses true contradictions, so it is not asked there.
"""
BOTH = "both"
ENCODERS_SHARE = 0.3
"""What the encoder's probabilities weigh where both read; the two err on other pairs (decision 89)."""


def describe_cascade(encoder: dict[str, Any], reader: dict[str, Any]) -> dict[str, Any]:
    """Name everything that a verdict of the two depends on, given what describes each."""
    return {
        "model": "cascade",
        "encoder": encoder,
        "reader": reader,
        "settled_at": SETTLED_AT,
        "encoders_share": ENCODERS_SHARE,
        "both_ways": {"words": SHORT_PREMISE_WORDS, "at": BOTH_WAYS_AT},
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
        A contradiction by a short passage is read the other way round as well, and the lower probability counts.
        """
        found = self._one_way(pairs, on_progress, known)
        denied = [i for i, verdict in enumerate(found) if is_doubtful(pairs[i][0], verdict)]
        if denied:
            back = self._one_way([(pairs[i][1], pairs[i][0]) for i in denied])
            for i, verdict in zip(denied, back, strict=True):
                found[i] = both_ways(found[i], verdict)
        return found

    def _one_way(
        self,
        pairs: Sequence[Pair],
        on_progress: Progress | None = None,
        known: Mapping[Pair, PairVerdict] | None = None,
    ) -> list[PairVerdict]:
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
    """Return whether the encoder is sure enough of one of the three."""
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


def is_doubtful(premise: str, verdict: PairVerdict) -> bool:
    """Return whether a verdict is a contradiction by a passage short enough to be read as a statement."""
    turned = verdict.contradiction or 0.0
    return turned >= 0.5 and "\n" not in premise.strip() and len(premise.split()) <= SHORT_PREMISE_WORDS


def both_ways(verdict: PairVerdict, back: PairVerdict) -> PairVerdict:
    """Return a contradiction as far as it holds both ways, on a scale on which `BOTH_WAYS_AT` becomes one half.

    What it loses is neutral. Where the other way has no verdict the one way counts.
    """
    if verdict.contradiction is None or verdict.entailment is None or back.contradiction is None:
        return verdict
    least = min(verdict.contradiction, back.contradiction)
    odds = least * (1 - BOTH_WAYS_AT) / max(least * (1 - BOTH_WAYS_AT) + (1 - least) * BOTH_WAYS_AT, 1e-9)
    turned = min(odds, 1 - verdict.entailment)
    return replace(verdict, contradiction=turned, neutral=1 - verdict.entailment - turned)
