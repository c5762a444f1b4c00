"""A judge's licence: whether it sees a single deliberate error, in each sub-metric.

A judge that has none still scores; its numbers are marked wherever they appear.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from models.chat.cap import Cap
from models.chat.ledger import Ledger
from models.judges.examining.gold_pairs import GoldPair, gold_pairs
from models.judges.judgement import SUB_METRICS, Judgement, SubMetric
from models.judges.judging import Judge
from models.keys import content_key

SMALLEST_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Ordered:
    """How many pairs of one sub-metric were ordered right; ties and unscored pairs are not."""

    sub_metric: SubMetric
    n_pairs: int
    n_right: int
    n_tied: int
    n_unscored: int
    wrong: tuple[str, ...]
    points_lost: Mapping[SubMetric, float] = field(default_factory=dict)
    """What the flawed answers of these pairs lost in each sub-metric, the mean over scored pairs; empty for none."""

    @property
    def share(self) -> float:
        """The share of pairs whose clean answer scored higher."""
        return self.n_right / self.n_pairs


@dataclass(frozen=True, slots=True)
class Licence:
    """What a judge, named by its fingerprint's key, showed on the gold set."""

    judge: str
    fingerprint: str
    by_sub_metric: tuple[Ordered, ...]
    n_failed: int = 0
    """Answers that were not scored for a reason of the world; such an examination says nothing."""
    failure: str | None = None

    @property
    def n_pairs(self) -> int:
        """How many pairs were judged."""
        return sum(ordered.n_pairs for ordered in self.by_sub_metric)

    @property
    def share(self) -> float:
        """The share of all pairs ordered right."""
        return sum(ordered.n_right for ordered in self.by_sub_metric) / self.n_pairs

    @property
    def is_licensed(self) -> bool:
        """At least 90 % ordered right in every sub-metric."""
        return all(ordered.share >= SMALLEST_SHARE for ordered in self.by_sub_metric)

    def rows(self) -> list[dict[str, Any]]:
        """Lay the licence out a row a sub-metric, as it is kept and shown."""
        return [
            {
                "judge": self.judge,
                "fingerprint": self.fingerprint,
                "sub_metric": ordered.sub_metric,
                "n_pairs": ordered.n_pairs,
                "n_ordered_right": ordered.n_right,
                "n_tied": ordered.n_tied,
                "n_unscored": ordered.n_unscored,
                "licensed": ordered.share >= SMALLEST_SHARE,
            }
            for ordered in self.by_sub_metric
        ]


def examine(
    judge: Judge,
    ledger: Ledger,
    *,
    cap: Cap | None = None,
    on_done: Callable[[Judgement], None] | None = None,
) -> Licence:
    """Have a judge score the gold set: all of it, or the half a judge of our own was not tuned on."""
    pairs = examined_pairs(judge)
    inputs = [judge_input for pair in pairs for judge_input in (pair.clean, pair.flawed)]
    with judge as entered:
        judged = entered.judge(inputs, ledger, cap=cap, on_done=on_done)
    by_key = {judgement.input_key: judgement for judgement in judged}
    failed = [judgement for judgement in by_key.values() if judgement.status == "failed"]
    return Licence(
        judge.name,
        content_key(judge.fingerprint),
        tuple(_ordered(name, pairs, by_key) for name in SUB_METRICS),
        len(failed),
        failed[0].reason if failed else None,
    )


def examined_pairs(judge: Judge) -> list[GoldPair]:
    """List the pairs that a judge is examined on: those it was not tuned on."""
    return [pair for pair in gold_pairs() if pair.half == "held_out" or not judge.is_tuned_on_gold]


def _ordered(name: SubMetric, pairs: Sequence[GoldPair], by_key: dict[str, Judgement]) -> Ordered:
    """Count the pairs of a sub-metric by how they were ordered; evidence by the judge's own, raw value."""
    right = tied = unscored = 0
    wrong = []
    own = [pair for pair in pairs if pair.sub_metric == name]
    for pair in own:
        clean, flawed = (own_mark(by_key[shown.input_key], name) for shown in (pair.clean, pair.flawed))
        if clean is None or flawed is None:
            unscored += 1
        elif clean == flawed:
            tied += 1
        else:
            right += clean > flawed
        if clean is None or flawed is None or clean <= flawed:
            wrong.append(pair.pair_id)
    return Ordered(name, len(own), right, tied, unscored, tuple(wrong), _points_lost(own, by_key))


def _points_lost(pairs: Sequence[GoldPair], by_key: dict[str, Judgement]) -> dict[SubMetric, float]:
    """Average what the error cost in every sub-metric: an error belongs to one, and should leave the others alone."""
    lost = {}
    for name in SUB_METRICS:
        marks = [[own_mark(by_key[s.input_key], name) for s in (pair.clean, pair.flawed)] for pair in pairs]
        known = [clean - flawed for clean, flawed in marks if clean is not None and flawed is not None]
        if known:
            lost[name] = fmean(known)
    return lost


def own_mark(judgement: Judgement, name: SubMetric) -> int | None:
    """Return what the judge itself gave, before the rule on missing references."""
    if name == "evidence_sufficiency":
        return judgement.evidence_sufficiency_raw
    value: int | None = getattr(judgement, name)
    return value
