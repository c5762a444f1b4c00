"""Aggregates of listwise rankings: mean points, wins, order effect."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from medassay.models.judges.listwise.judge import Ranking
from medassay.models.keys import content_key


@dataclass(frozen=True, slots=True)
class MeanPoints:
    """A system's points on one question, averaged over the orders that were scored."""

    question_id: str
    system: str
    points: float
    n_orders: int


@dataclass(frozen=True, slots=True)
class Duel:
    """How `system` did against `other` on one question, seen from `system`."""

    question_id: str
    system: str
    other: str
    outcome: Literal["win", "tie", "loss"]
    difference: float


@dataclass(frozen=True, slots=True)
class PlaceEffect:
    """How points depend on the place alone: mean residual by place, and the p-value of none."""

    n_answers: int
    n_rankings: int
    mean_residual_by_place: tuple[float, ...]
    p_value: float


def balanced(rankings: Sequence[Ranking]) -> list[Ranking]:
    """Keep the rankings of questions whose every order was scored: in the others a liking for a place would decide."""
    broken = {ranking.question_id for ranking in rankings if ranking.points is None}
    return [ranking for ranking in rankings if ranking.question_id not in broken]


def mean_points(rankings: Sequence[Ranking]) -> list[MeanPoints]:
    """Average each system's points over the scored orders of each question."""
    points: dict[tuple[str, str], list[int]] = defaultdict(list)
    for ranking in rankings:
        for system, given in zip(ranking.systems, ranking.points or (), strict=ranking.points is not None):
            points[ranking.question_id, system].append(given)
    return [
        MeanPoints(question_id, system, fmean(given), len(given))
        for (question_id, system), given in sorted(points.items())
    ]


def duels(means: Sequence[MeanPoints], tie_margin: float = 0.0) -> list[Duel]:
    """Compare every two systems of a question; a difference within the margin, in points, is a tie."""
    by_question: dict[str, list[MeanPoints]] = defaultdict(list)
    for mean in means:
        by_question[mean.question_id].append(mean)
    found = []
    for question_id, given in by_question.items():
        for a, b in combinations(given, 2):
            difference = a.points - b.points
            near = abs(difference) <= tie_margin + 1e-9
            outcome: Literal["win", "tie", "loss"] = "tie" if near else "win" if difference > 0 else "loss"
            found.append(Duel(question_id, a.system, b.system, outcome, difference))
    return found


def disagreement(rankings: Sequence[Ranking]) -> float | None:
    """Return the share of (two orders of one question, two systems) whose comparison has another sign.

    None when no question was scored in two orders.
    """
    by_question: dict[str, list[dict[str, int]]] = defaultdict(list)
    for ranking in rankings:
        if ranking.points is not None:
            by_question[ranking.question_id].append(dict(zip(ranking.systems, ranking.points, strict=True)))
    differing = total = 0
    for orders in by_question.values():
        for one, other in combinations(orders, 2):
            for a, b in combinations(sorted(one), 2):
                total += 1
                differing += _sign(one[a] - one[b]) != _sign(other[a] - other[b])
    return differing / total if total else None


def place_effect(
    rankings: Sequence[Ranking], n_answers: int, n_permutations: int = 2000
) -> PlaceEffect | None:
    """Test whether points depend on the place, by permuting residuals within each ranking.

    A residual is the points less the system's mean on that question. The statistic is the sum of squared mean
    residuals over places; p = (b + 1) / (B + 1). Only questions whose orders were all scored count, because
    only they are balanced. None when there are none.
    """
    complete = _complete(rankings, n_answers)
    if not complete:
        return None
    mean_of = {(m.question_id, m.system): m.points for m in mean_points(complete)}
    rows = [
        [
            given - mean_of[ranking.question_id, system]
            for system, given in zip(ranking.systems, ranking.points or (), strict=True)
        ]
        for ranking in complete
    ]
    observed = _by_place(rows)
    generator = random.Random(
        content_key([[r.question_id, list(r.systems), list(r.points or ())] for r in complete])
    )
    at_least = 0
    for _ in range(n_permutations):
        shuffled = [generator.sample(row, len(row)) for row in rows]
        at_least += _spread(_by_place(shuffled)) >= _spread(observed) - 1e-12
    return PlaceEffect(n_answers, len(rows), tuple(observed), (at_least + 1) / (n_permutations + 1))


def _complete(rankings: Sequence[Ranking], n_answers: int) -> list[Ranking]:
    by_question: dict[str, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        if len(ranking.systems) == n_answers and ranking.points is not None:
            by_question[ranking.question_id].append(ranking)
    return [r for _, given in sorted(by_question.items()) if len(given) % n_answers == 0 for r in given]


def _by_place(rows: list[list[float]]) -> list[float]:
    return [fmean(column) for column in zip(*rows, strict=True)]


def _spread(means: list[float]) -> float:
    return sum(mean * mean for mean in means)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
