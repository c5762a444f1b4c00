"""Figures with 95 % intervals: shares by Wilson's interval, everything else by resampling whole groups."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from models.statistics.proportion import wilson

ROUNDS = 1000


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
    low, high = wilson(sum(hits), len(hits))
    return Figure(sum(hits) / len(hits), low, high, (sum(hits), len(hits)))


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
    """Return macro-F1 over the labels that occur in gold; where gold has `not_entailment`, over that and `entailment`."""
    if "not_entailment" in gold:
        said = [label if label == "entailment" else "not_entailment" for label in said]
    first, second = np.array(gold), np.array(said)
    return resampled(lambda rows: f1_of(first[rows], second[rows]), groups)


def f1_of(gold: np.ndarray, said: np.ndarray) -> float:
    """Return the mean F1 of the labels that occur in gold."""
    scores = []
    for label in np.unique(gold):
        both = np.sum((gold == label) & (said == label))
        scores.append(2 * both / (np.sum(gold == label) + np.sum(said == label)))
    return float(np.mean(scores))


def kappa(first: Sequence[str], second: Sequence[str], groups: Sequence[str]) -> Figure:
    """Return Cohen's kappa."""
    one, other = np.array(first), np.array(second)
    return resampled(lambda rows: kappa_of(one[rows], other[rows]), groups)


def kappa_of(one: np.ndarray, other: np.ndarray) -> float | None:
    """Return Cohen's kappa (Cohen 1960); None where one label alone is expected."""
    labels = np.unique(np.concatenate([one, other]))
    expected = sum(float(np.mean(one == label) * np.mean(other == label)) for label in labels)
    return None if expected >= 1 else float((np.mean(one == other) - expected) / (1 - expected))


def auc(hits: Sequence[bool], scores: Sequence[float], groups: Sequence[str]) -> Figure:
    """Return the area under the receiver operating characteristic; ties count one half."""
    hit, score = np.array(hits, dtype=bool), np.array(scores, dtype=float)
    return resampled(lambda rows: auc_of(hit[rows], score[rows]), groups)


def auc_of(hit: np.ndarray, score: np.ndarray) -> float | None:
    """Return the share of (hit, miss) pairs that the score puts in order; None without one of the two."""
    if hit.all() or not hit.any():
        return None
    above = score[hit][:, None] - score[~hit][None, :]
    return float(np.mean((above > 0) + 0.5 * (above == 0)))
