"""Rank and linear correlation of two scores of the same answers: pooled, and within questions."""

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.counting import counted, too_few
from medassay.models.statistics.bootstrap import (
    Arranged,
    Bounds,
    Estimate,
    Statistic,
    arrange,
    bounds,
    known,
    mean_interval,
)
from medassay.models.statistics.resampling import CHUNK_CELLS, LEAST_FOR_ANY, Floats

Method = Literal["spearman", "pearson", "kendall"]

MOST_ROWS_BY_PAIRS = 4_000
DELETED_GROUPS = 50


def coefficients(method: Method, x: Floats, y: Floats) -> Floats:
    """Return the coefficient of every row of `x` with the same row of `y`, NaN where one of them is constant.

    Spearman 1904, Am J Psychol 15:72–101 (Pearson's r of midranks); Kendall 1945, Biometrika 33:239–251 (τ-b).

    Args:
        method: which coefficient.
        x: (rows, values).
        y: of the same shape.
    """
    if method == "kendall":
        return _kendall(x, y)
    if method == "spearman":
        from scipy.stats import rankdata

        x, y = rankdata(_snapped(x), axis=1), rankdata(_snapped(y), axis=1)
    return _pearson(x, y)


def _pearson(x: Floats, y: Floats) -> Floats:
    x_scale, y_scale = _largest(x), _largest(y)
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    x_size, y_size = np.sqrt((x**2).sum(axis=1)), np.sqrt((y**2).sum(axis=1))
    # Means of equal numbers can leave rounding errors, which are no variance.
    varied = (x_size > 1e-12 * x_scale) & (y_size > 1e-12 * y_scale)
    found: Floats = np.divide((x * y).sum(axis=1), x_size * y_size, out=np.full(len(x), np.nan), where=varied)
    return found.clip(-1.0, 1.0)


def _kendall(x: Floats, y: Floats) -> Floats:
    rows, n = x.shape
    found = np.full(rows, np.nan)
    step = max(1, CHUNK_CELLS // max(1, n * n))
    for start in range(0, rows, step):
        some = slice(start, start + step)
        a, b = _signs(x[some]), _signs(y[some])
        size = np.sqrt((a != 0).sum(axis=(1, 2)) * (b != 0).sum(axis=(1, 2)).astype(np.float64))
        total = np.einsum("rij,rij->r", a, b, dtype=np.float64)
        found[some] = np.divide(total, size, out=np.full(len(size), np.nan), where=size > 0)
    return found


def _signs(values: Floats) -> Floats:
    """Compare all pairs of a row; differences that rounding could have made are ties."""
    differences = values[:, :, None] - values[:, None, :]
    slack = 1e-12 * _largest(values)[:, None, None]
    return np.where(np.abs(differences) > slack, np.sign(differences), 0.0)


def _snapped(values: Floats) -> Floats:
    """Make what differs only by rounding errors the same, so that it ties."""
    scale = _largest(values)[:, None]
    found: Floats = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0).round(12)
    return found


def _largest(values: Floats) -> Floats:
    return np.asarray(np.abs(values).max(axis=1, initial=0.0), dtype=np.float64)


def pooled(method: Method, questions: Sequence[Hashable], automatic: ArrayLike, human: ArrayLike) -> Estimate:
    """Return the coefficient over all answers, with an interval over whole questions; `n` counts answers.

    Args:
        method: spearman, pearson or kendall (τ-b).
        questions: the question of each answer.
        automatic: its score, NaN where there is none.
        human: the same of the humans.
    """
    rows = arrange(questions, automatic, human)
    x, y = rows.columns
    reason = unusable(x, y)
    if reason:
        return Estimate(None, None, None, len(x), reason)
    found = _bounds(method, rows)
    return Estimate(coefficient(method, x, y), found.low, found.high, len(x), found.reason)


def coefficient(method: Method, automatic: Floats, human: Floats) -> float | None:
    """Return the coefficient of two columns without gaps, without an interval; None where one of them is constant."""
    return None if unusable(automatic, human) else known(_by_scipy(method, automatic, human))


def within_questions(
    method: Method, questions: Sequence[Hashable], automatic: ArrayLike, human: ArrayLike
) -> Estimate:
    """Return the mean over questions of the coefficient within each; `n` counts the questions that have one.

    It asks whether the better answer to the same question is seen, and is blind to which questions are hard. A
    question with fewer than two answers, or where all answers score the same, has none and is counted in `reason`.
    """
    rows = arrange(questions, automatic, human)
    found = _by_question(method, rows)
    sound = found[np.isfinite(found)]
    dropped = rows.n_questions - len(sound)
    left_out = f"{dropped} of {counted(rows.n_questions, 'question')} with fewer than two different scores"
    if not len(sound):
        return Estimate(None, None, None, 0, left_out if rows.n_questions else "no answer has both scores")
    mean = mean_interval(sound.tolist())
    low, high = (None if end is None else min(1.0, max(-1.0, end)) for end in (mean.low, mean.high))
    reason = "; ".join(part for part in (left_out if dropped else None, mean.reason) if part) or None
    return Estimate(mean.value, low, high, len(sound), reason)


def unusable(x: Floats, y: Floats) -> str | None:
    """Return why two columns have no correlation, or None when they have one."""
    if len(x) < 2:
        return f"{len(x)} answers have both scores"
    if x.min() == x.max():
        return "every automatic score is the same"
    if y.min() == y.max():
        return "every human score is the same"
    return None


def _by_scipy(method: Method, x: Floats, y: Floats) -> float:
    from scipy import stats

    if method == "spearman":
        return float(stats.spearmanr(x, y).statistic)
    if method == "pearson":
        return float(stats.pearsonr(x, y).statistic)
    return float(stats.kendalltau(x, y).statistic)


def _by_question(method: Method, rows: Arranged) -> Floats:
    """Return one coefficient a question; questions with equally many answers share one computation."""
    sizes = np.bincount(rows.codes, minlength=rows.n_questions)
    starts = np.cumsum(sizes) - sizes
    found = np.full(rows.n_questions, np.nan)
    x, y = rows.columns
    for size in np.unique(sizes[sizes > 1]):
        same = np.flatnonzero(sizes == size)
        places = starts[same][:, None] + np.arange(size)
        found[same] = coefficients(method, x[places], y[places])
    return found


def _bounds(method: Method, rows: Arranged) -> Bounds:
    if method == "pearson":
        return bounds(_pearson_of(rows), rows.n_questions, rows.seed)
    if method == "spearman":
        return bounds(_spearman_of(rows), rows.n_questions, rows.seed)
    if len(rows.codes) <= MOST_ROWS_BY_PAIRS:
        return bounds(_kendall_of(rows), rows.n_questions, rows.seed)
    return _grouped_jackknife(rows)


def _pearson_of(rows: Arranged) -> Statistic:
    """Give r by weights: a question counts through six sums, however many answers it has."""
    x, y = (column - column.mean() for column in rows.columns)
    parts = (np.ones_like(x), x, y, x * x, y * y, x * y)
    sums = np.column_stack([np.bincount(rows.codes, part, rows.n_questions) for part in parts])

    def statistic(drawn: Floats) -> Floats:
        n, a, b, aa, bb, ab = (drawn @ sums).T
        return _ratio(n * ab - a * b, n * aa - a * a, n * bb - b * b)

    return statistic


def _spearman_of(rows: Arranged) -> Statistic:
    """Give ρ by weights: midranks of a weighted sample are running totals of the weights of the values."""
    from scipy.sparse import csr_array

    n, shape = len(rows.codes), (rows.n_questions, len(rows.codes))
    places = [np.unique(column, return_inverse=True)[1] for column in rows.columns]
    of_row = csr_array((np.ones(n), (rows.codes, np.arange(n))), shape=shape)
    of_value = [csr_array((np.ones(n), (rows.codes, place))) for place in places]

    def block(drawn: Floats) -> Floats:
        weight = np.asarray(drawn @ of_row)
        totals = [np.asarray(drawn @ counts) for counts in of_value]
        ranks = [np.cumsum(total, axis=1) - total / 2 - weight.sum(axis=1)[:, None] / 2 for total in totals]
        squares = [(total * rank**2).sum(axis=1) for total, rank in zip(totals, ranks, strict=True)]
        products = (weight * ranks[0][:, places[0]] * ranks[1][:, places[1]]).sum(axis=1)
        return _ratio(products, squares[0], squares[1])

    def statistic(drawn: Floats) -> Floats:
        step = max(1, CHUNK_CELLS // (4 * n))
        return np.concatenate([block(drawn[start : start + step]) for start in range(0, len(drawn), step)])

    return statistic


def _kendall_of(rows: Arranged) -> Statistic:
    """Give τ-b by weights, from the sums of sign products between every two questions."""
    x, y = rows.columns
    a, b = (np.sign(column[:, None] - column[None, :]).astype(np.int8) for column in (x, y))
    both, one, two = (_between(part, rows) for part in (a * b, a * a, b * b))

    def statistic(drawn: Floats) -> Floats:
        total, first, second = (((drawn @ part) * drawn).sum(axis=1) for part in (both, one, two))
        return _ratio(total, first, second)

    return statistic


def _between(signs: NDArray[np.int8], rows: Arranged) -> Floats:
    starts = np.flatnonzero(np.diff(rows.codes, prepend=-1))
    down = np.add.reduceat(signs, starts, axis=0, dtype=np.int64)
    return np.add.reduceat(down, starts, axis=1).astype(np.float64)


def _ratio(product: Floats, first: Floats, second: Floats) -> Floats:
    floor_one, floor_two = 1e-12 * np.abs(first).max(initial=0.0), 1e-12 * np.abs(second).max(initial=0.0)
    varied = (first > floor_one) & (second > floor_two)
    size = np.sqrt(np.where(varied, first * second, 1.0))
    return np.clip(np.where(varied, product / size, np.nan), -1.0, 1.0)


def _grouped_jackknife(rows: Arranged) -> Bounds:
    """Leave out each of 50 random groups of questions (Kott 2001, J Official Statistics 17:521–526).

    Resampling τ-b needs all pairs of answers; over 4,000 answers fifty sorted counts replace them.
    """
    from scipy import stats

    if rows.n_questions < LEAST_FOR_ANY:
        return Bounds(None, None, too_few(rows.n_questions, "question", "for an interval"))
    groups = min(DELETED_GROUPS, rows.n_questions)
    group = np.random.default_rng(rows.seed).permutation(rows.n_questions)[rows.codes] % groups
    x, y = rows.columns
    left = np.array([stats.kendalltau(x[group != g], y[group != g]).statistic for g in range(groups)])
    if not np.isfinite(left).all():
        return Bounds(None, None, "without some questions all scores are the same")
    value = float(stats.kendalltau(x, y).statistic)
    error = np.sqrt((groups - 1) / groups * ((left - left.mean()) ** 2).sum())
    half = float(stats.t.ppf(0.975, groups - 1) * error)
    return Bounds(max(-1.0, value - half), min(1.0, value + half))
