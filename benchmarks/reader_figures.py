"""Figures with 95 % intervals: shares by Wilson's interval, everything else by resampling whole groups."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from medassay.models.statistics.kappa import cohen_kappa
from medassay.models.statistics.ratio import wilson

ROUNDS = 500


@dataclass(frozen=True)
class Figure:
    """A value with its interval; `text` is how a table shows it. All None where nothing was measured."""

    value: float | None
    low: float | None = None
    high: float | None = None
    count: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """Return "29 of 30 (.83–.99)" for a share, ".736 (.70–.77)" for another figure."""
        if self.value is None:
            return "–"
        shown = f"{self.count[0]} of {self.count[1]}" if self.count else _short(self.value, 3)
        if self.low is None or self.high is None:
            return shown
        return f"{shown} ({_short(self.low, 2)}–{_short(self.high, 2)})"


def _short(value: float, digits: int) -> str:
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("0") if shown.startswith("0.") else shown


def share(hits: Sequence[bool]) -> Figure:
    """Return how many of some are true."""
    if not hits:
        return Figure(None)
    found = wilson(sum(hits), len(hits))
    return Figure(found.value, found.low, found.high, (sum(hits), len(hits)))


def resampled(statistic: Callable[[np.ndarray], float | None], groups: Sequence[str]) -> Figure:
    """Return a statistic of rows with the interval of its bootstrap over whole groups.

    Args:
        statistic: the figure of the rows at some indices, shape (n,); None where it is not defined.
        groups: the group of each row.
    """
    rows = np.arange(len(groups))
    value = statistic(rows) if len(rows) else None
    if value is None:
        return Figure(None)
    members: dict[str, list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        members[group].append(i)
    held = [np.array(found) for found in members.values()]
    chance = np.random.default_rng(len(rows))
    drawn = [
        statistic(np.concatenate([held[i] for i in chance.integers(0, len(held), len(held))]))
        for _ in range(ROUNDS)
    ]
    found = [figure for figure in drawn if figure is not None]
    low, high = np.percentile(found, [2.5, 97.5])
    return Figure(value, float(low), float(high))


def macro_f1(gold: Sequence[str], said: Sequence[str], groups: Sequence[str]) -> Figure:
    """Return macro-F1 over the labels in gold; where that has `not_entailment`, what is not entailment is it."""
    if "not_entailment" in gold:
        said = [label if label == "entailment" else "not_entailment" for label in said]
    first, second = np.array(gold), np.array(said)
    labels = np.unique(first)
    return resampled(
        lambda rows: float(
            f1_score(first[rows], second[rows], labels=labels, average="macro", zero_division=0.0)
        ),
        groups,
    )


def kappa(first: Sequence[str], second: Sequence[str], groups: Sequence[str]) -> Figure:
    """Return Cohen's kappa, with whole groups resampled."""
    found = cohen_kappa(first, second, groups)
    return Figure(found.value, found.low, found.high)


def auc(hits: Sequence[bool], scores: Sequence[float], groups: Sequence[str]) -> Figure:
    """Return the area under the receiver operating characteristic; ties count one half."""
    hit, score = np.array(hits, dtype=bool), np.array(scores, dtype=float)
    return resampled(lambda rows: auc_of(hit[rows], score[rows]), groups)


def auc_of(hit: np.ndarray, score: np.ndarray) -> float | None:
    """Return the share of (hit, miss) pairs that the score puts in order; None without one of the two."""
    return None if hit.all() or not hit.any() else float(roc_auc_score(hit, score))
