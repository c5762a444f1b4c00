"""A judge's licence: whether it sees a single deliberate error, in each sub-metric.

The licence is given for plain errors; how many subtle ones are seen is said beside it. A judge that has none still
scores; its numbers are marked wherever they appear.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.judgement import SUB_METRICS, Judge, JudgeInput, Judgement, SubMetric
from medassay.models.keys import content_key
from medassay.models.records import Reference

Half = Literal["tune", "held_out"]
Level = Literal["plain", "subtle"]
_FILE = Path(__file__).with_name("gold") / "pairs.jsonl"

SMALLEST_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two answers that differ in one deliberate error, which lies in one sub-metric."""

    pair_id: str
    half: Half
    level: Level
    field: str
    sub_metric: SubMetric
    error: str
    clean: JudgeInput
    flawed: JudgeInput
    reference_answer: str
    """What a guideline or leaflet says on the question, in words of its own, so that the pair can be held to it."""


@cache
def gold_pairs() -> tuple[GoldPair, ...]:
    """Read the gold set."""
    with _FILE.open(encoding="utf-8") as lines:
        return tuple(_pair(json.loads(line)) for line in lines)


def _pair(row: dict[str, Any]) -> GoldPair:
    sub_metric = next(name for name in SUB_METRICS if name == row["sub_metric"])
    return GoldPair(
        row["pair_id"],
        row["half"],
        row["level"],
        row["field"],
        sub_metric,
        row["error"],
        _judge_input(row, row["clean"]),
        _judge_input(row, row["flawed"]),
        row["reference_answer"],
    )


def _judge_input(row: dict[str, Any], side: dict[str, Any]) -> JudgeInput:
    return JudgeInput(
        question=row["question"],
        answer=side["answer"],
        references=tuple(Reference(**reference) for reference in side["references"]),
        has_references=True,
        guidance=row["guidance"],
        risk_level=row["risk_level"],
        reference_answer=row["reference_answer"],
    )


@dataclass(frozen=True, slots=True)
class Ordered:
    """How many pairs of one sub-metric were ordered right; ties and unscored pairs are not.

    Counted are the pairs with a plain error, those with a subtle one in `n_subtle` and `n_subtle_right` alone.
    """

    sub_metric: SubMetric
    n_pairs: int
    n_right: int
    n_tied: int
    n_unscored: int
    wrong: tuple[str, ...]
    n_subtle: int = 0
    n_subtle_right: int = 0
    points_lost: Mapping[SubMetric, float] = field(default_factory=dict)
    """What plain errors cost in each sub-metric, the mean over scored pairs; empty for none."""

    @property
    def share(self) -> float:
        """The share of pairs with a plain error whose clean answer scored higher."""
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
        """How many pairs with a plain error were judged."""
        return sum(ordered.n_pairs for ordered in self.by_sub_metric)

    @property
    def share(self) -> float:
        """The share of all pairs with a plain error ordered right."""
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
                "n_subtle": ordered.n_subtle,
                "n_subtle_ordered_right": ordered.n_subtle_right,
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
    """Have a judge score the pairs of the gold set that no judge of ours was tuned on."""
    pairs = examined_pairs()
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


def examined_pairs() -> list[GoldPair]:
    """List the pairs that judges are examined on: those that none of ours was tuned on."""
    return [pair for pair in gold_pairs() if pair.half == "held_out"]


def _ordered(name: SubMetric, pairs: Sequence[GoldPair], by_key: dict[str, Judgement]) -> Ordered:
    """Count the pairs of a sub-metric by how they were ordered; evidence by the judge's own, raw value."""
    plain = [pair for pair in pairs if pair.sub_metric == name and pair.level == "plain"]
    subtle = [pair for pair in pairs if pair.sub_metric == name and pair.level == "subtle"]
    signs = {pair.pair_id: _sign(pair, name, by_key) for pair in (*plain, *subtle)}
    found = [signs[pair.pair_id] for pair in plain]
    return Ordered(
        name,
        len(plain),
        found.count(1),
        found.count(0),
        found.count(None),
        tuple(pair.pair_id for pair in plain if signs[pair.pair_id] != 1),
        len(subtle),
        sum(signs[pair.pair_id] == 1 for pair in subtle),
        _points_lost(plain, by_key),
    )


def _sign(pair: GoldPair, name: SubMetric, by_key: dict[str, Judgement]) -> int | None:
    """Return 1 where the clean answer was marked higher, 0 for a tie, -1 else; None where one was not marked."""
    clean, flawed = (own_mark(by_key[shown.input_key], name) for shown in (pair.clean, pair.flawed))
    if clean is None or flawed is None:
        return None
    return (clean > flawed) - (clean < flawed)


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
