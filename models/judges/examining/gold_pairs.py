"""The licence's gold set: pairs of answers written for this project, one deliberate error each.

A plain error strikes an attentive lay reader; a subtle one, a clinician. The pairs with a letter in their id were
written by people who had not seen the judges. Pairs of the half `tune` may be used to tune a judge of our own; those of
the half `held_out` never are, and every judge is examined on them.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric
from medassay.models.records import Reference

Half = Literal["tune", "held_out"]
Level = Literal["plain", "subtle"]
_FILE = Path(__file__).with_name("gold") / "pairs.jsonl"


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
    )


def _judge_input(row: dict[str, Any], side: dict[str, Any]) -> JudgeInput:
    return JudgeInput(
        question=row["question"],
        answer=side["answer"],
        references=tuple(Reference(**reference) for reference in side["references"]),
        has_references=True,
        guidance=row["guidance"],
        risk_level=row["risk_level"],
    )
