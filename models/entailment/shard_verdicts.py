"""Verdicts that come back with a shard: what a row of them says, and what nobody could have said of a pair."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from medassay.models.entailment.shard_files import ShardRefused
from medassay.models.records import PairVerdict, Span

_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class ShardPair:
    """A pair under the name that its verdict comes back with: the keys of its two texts."""

    pair_id: str
    premise: str
    hypothesis: str


def verdict_in(row: dict[str, Any]) -> PairVerdict:
    """Read a row of verdicts: three shares, or none and the reason."""
    shares = (row["entailment"], row["neutral"], row["contradiction"])
    if shares == (None, None, None):
        reason = (row["reason"] or "").strip() or "the model gave no verdict"
        return PairVerdict(*shares, n_windows=0, coverage=0.0, reason=reason)
    place = (row["sentence_start"], row["sentence_end"])
    return PairVerdict(
        *shares,
        n_windows=row["n_windows"],
        sentence=None if place == (None, None) else Span(*place),
        coverage=row["coverage"],
        reader=row["reader"],
    )


def refuse_impossible(shard: str, pair: ShardPair, verdict: PairVerdict) -> None:
    """Refuse what no reader of this pair could say.

    Raises:
        ShardRefused: naming the pair and what is wrong with its verdict.
    """
    shares = (verdict.entailment, verdict.neutral, verdict.contradiction)
    if shares == (None, None, None):
        return
    if not _in_range(0, shares, 1) or abs(sum(s for s in shares if s is not None) - 1) > _ROUNDING:
        raise ShardRefused(
            f"shard {shard}: the verdict on {pair.pair_id} is no three probabilities: {shares}"
        )
    at = verdict.sentence
    placed = at is None or (_in_range(0, (at.start, at.end), len(pair.premise)) and at.start < at.end)
    if not (
        placed
        and _in_range(0, (verdict.coverage,), 1)
        and _in_range(1, (verdict.n_windows,), max(1, len(pair.premise)))
    ):
        raise ShardRefused(
            f"shard {shard}: the verdict on {pair.pair_id} does not fit its passage: sentence {at}, "
            f"coverage {verdict.coverage}, {verdict.n_windows} windows"
        )


def _in_range(least: float, found: Iterable[float | None], most: float) -> bool:
    return all(x is not None and math.isfinite(x) and least <= x <= most for x in found)
