"""The licence's gold set: pairs of answers written for this project, one deliberate error each.

Half of the pairs, chosen by the hash of their id, may be used to tune a judge of our own; the other half is
never.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric
from models.keys import content_key
from models.records import Reference

Half = Literal["tune", "held_out"]
_FILE = Path(__file__).with_name("gold") / "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two answers that differ in one deliberate error, which lies in one sub-metric."""

    pair_id: str
    field: str
    sub_metric: SubMetric
    error: str
    clean: JudgeInput
    flawed: JudgeInput

    @property
    def half(self) -> Half:
        """Say whether the pair may be tuned on."""
        return "tune" if int(content_key(self.pair_id)[0], 16) % 2 == 0 else "held_out"


@cache
def gold_pairs() -> tuple[GoldPair, ...]:
    """Read the gold set."""
    with _FILE.open(encoding="utf-8") as lines:
        return tuple(_pair(json.loads(line)) for line in lines)


def _pair(row: dict[str, Any]) -> GoldPair:
    sub_metric = next(name for name in SUB_METRICS if name == row["sub_metric"])
    return GoldPair(
        row["pair_id"],
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
