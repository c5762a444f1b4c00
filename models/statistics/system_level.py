"""System-level rank correlation, and split-half ceiling of people."""

from dataclasses import dataclass

import numpy as np

from medassay.models.counting import too_few
from medassay.models.statistics.bootstrap import Estimate, bounds, known, seed_of
from medassay.models.statistics.correlation import Method, coefficients
from medassay.models.statistics.resampling import CHUNK_CELLS, Floats

LEAST_SYSTEMS = 5
SPLITS = 1_000


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Agreement between the orders from two halves: the mean over splits, and where 95 % of the splits lie.

    `stepped_up` is Spearman–Brown's estimate for halves as large as the whole. `n` counts systems.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    stepped_up: float | None
    reason: str | None = None


def system_level(method: Method, automatic: Floats, human: Floats) -> Estimate:
    """Correlate the systems' mean scores; questions are resampled, the systems are fixed; `n` counts systems.

    Only cells that both have scored enter the means. No interval below 5 systems: so few orders exist that
    resampling could only return them.

    Args:
        method: spearman, pearson or kendall (τ-b).
        automatic: (questions, systems), NaN where nothing was scored.
        human: of the same shape.
    """
    automatic, human = _paired(automatic, human)
    n = automatic.shape[1]
    if n < 2:
        return Estimate(None, None, None, n, f"{n} systems have both scores")
    present = np.isfinite(automatic).astype(np.float64)
    filled = np.nan_to_num(automatic), np.nan_to_num(human)

    def statistic(drawn: Floats) -> Floats:
        counts = drawn @ present
        found = np.full(len(drawn), np.nan)
        whole = (counts > 0).all(axis=1)
        means = [(drawn[whole] @ part) / counts[whole] for part in filled]
        found[whole] = coefficients(method, means[0], means[1])
        return found

    value = known(statistic(np.ones((1, len(present))))[0])
    if value is None:
        return Estimate(None, None, None, n, "all systems have the same mean score")
    if n < LEAST_SYSTEMS:
        return Estimate(value, None, None, n, too_few(n, "system", "for an interval"))
    found = bounds(statistic, len(present), seed_of(automatic, human))
    return Estimate(value, found.low, found.high, n, found.reason)


def split_half(method: Method, human: Floats, other: Floats | None = None) -> SplitHalf:
    """Correlate the systems' means over a random half of the rows with those over the other half.

    The ceiling beside `system_level`: humans on half of the questions against themselves on the rest (Spearman 1910
    and Brown 1910, Br J Psychol 3:271–322). Rows may be questions or annotators. With `other`, the second half is
    taken from those scores: an automatic score that had to predict new questions, the fair neighbour of the ceiling,
    since on the same questions luck with the questions is shared.

    Args:
        method: spearman, pearson or kendall (τ-b).
        human: (rows, systems), NaN where nothing was scored.
        other: automatic scores of the same shape; only cells that both have scored are used.
    """
    human, other = _paired(human, human if other is None else other)
    rows, n = human.shape
    if rows < 2 or n < 2:
        return SplitHalf(None, None, None, n, None, f"{rows} rows of {n} systems cannot be split")
    means = _halves(human, other)
    found = coefficients(method, means[0], means[1])
    found = found[np.isfinite(found)]
    if 2 * len(found) < SPLITS:
        return SplitHalf(None, None, None, n, None, "in most splits all systems score the same")
    value = float(found.mean())
    stepped_up = 2 * value / (1 + value) if value > 0 else None
    reason = f"only {n} systems" if n < LEAST_SYSTEMS else None
    low, high = np.quantile(found, [0.025, 0.975])
    return SplitHalf(value, float(low), float(high), n, stepped_up, reason)


def _halves(human: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return the systems' means over random halves of the rows, and over the other halves: (splits, systems)."""
    rng = np.random.default_rng(seed_of(human, other))
    rows = len(human)
    present = np.isfinite(human).astype(np.float64)
    filled = np.nan_to_num(human), np.nan_to_num(other)
    order = np.arange(rows) < rows // 2
    found: list[tuple[Floats, Floats]] = []
    step = max(1, CHUNK_CELLS // rows)
    for start in range(0, SPLITS, step):
        drawn = np.tile(order, (min(step, SPLITS - start), 1))
        first = rng.permuted(drawn, axis=1).astype(np.float64)
        second = 1 - first
        counts = first @ present, second @ present
        whole = (counts[0] > 0).all(axis=1) & (counts[1] > 0).all(axis=1)
        halves = (first[whole] @ filled[0]) / counts[0][whole], (second[whole] @ filled[1]) / counts[1][whole]
        found.append(halves)
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _paired(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Blank what only one has scored, drop empty rows and systems, and sort the rows: their order has no meaning."""
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"scores of different shapes: {first.shape} and {second.shape}")
    both = np.isfinite(first) & np.isfinite(second)
    rows, columns = both.any(axis=1), both.any(axis=0)
    first, second = (np.where(both, part, np.nan)[rows][:, columns] + 0.0 for part in (first, second))
    order = np.lexsort(np.hstack([first, second]).T) if first.size else np.arange(len(first))
    return first[order], second[order]
