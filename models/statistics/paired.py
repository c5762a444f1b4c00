"""Paired comparison of two systems: permutation test, detectable difference."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from medassay.models.statistics.resampling import CHUNK_CELLS, Differences, Floats

ALPHA = 0.05
POWER = 0.8
EXACT_UP_TO = 16
EXACT_COLUMNS = 64
LEAST_FLIPS = 10_000
LEAST_FLIPS_ALONE = 2_000
FLIPS_PER_TEST = 40
MOST_QUESTIONS = 1_000_000


def flips(family: int) -> int:
    """Return how many random sign flips a family of tests needs, so that Holm's smallest level can be reached.

    At least 40 a test, whatever the family's size: they are drawn in chunks, so that only time grows with them. A test
    alone needs fewer than the least that a family gets.
    """
    if family == 1:
        return LEAST_FLIPS_ALONE
    return max(LEAST_FLIPS, FLIPS_PER_TEST * family)


def sign_flip_p(
    differences: Floats, family: int = 1, seed: int = 0, factored: Differences | None = None
) -> Floats:
    """Return the two-sided p of every column's mean by flipping signs (Fisher 1935, The Design of Experiments, §21).

    Exact up to 16 differences: the share of all 2ⁿ sign patterns whose mean is at least as far from 0. Beyond that
    (b + 1) / (B + 1) over B random patterns (Phipson & Smyth 2010, Stat Appl Genet Mol Biol 9:39), the same patterns
    for every column. NaN in, where a column has no difference at all.

    Args:
        differences: (questions, columns), NaN where one of the two was not scored.
        family: how many tests are corrected together.
        seed: of the random patterns.
        factored: the same columns by their parts, where none has a gap.
    """
    scored = np.isfinite(differences)
    counts = scored.sum(axis=0)
    found = np.full(differences.shape[1], np.nan)
    exact: dict[bytes, list[int]] = {}
    for column in np.flatnonzero((counts > 0) & (counts <= EXACT_UP_TO)):
        exact.setdefault(scored[:, column].tobytes(), []).append(int(column))
    for columns in exact.values():
        rows = scored[:, columns[0]]
        for start in range(0, len(columns), EXACT_COLUMNS):
            some = columns[start : start + EXACT_COLUMNS]
            found[some] = _exact(differences[rows][:, some])
    many = np.flatnonzero(counts > EXACT_UP_TO)
    if len(many):
        filled = np.nan_to_num(differences[:, many])
        product = factored.product if factored else filled.__rmatmul__
        slack = factored.slack if factored else _slack(filled)
        found[many] = _random(filled, product, slack, flips(family), seed)
    return found


def _exact(differences: Floats) -> Floats:
    """Try every sign pattern; the first sign stays, since a pattern and its mirror are equally far from 0."""
    n = len(differences)
    patterns = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
    means = np.abs((1.0 - 2.0 * patterns) @ differences)
    observed = np.abs(differences.sum(axis=0))
    return np.asarray((means >= observed - _slack(differences)).mean(axis=0), dtype=np.float64)


def _random(
    differences: Floats, product: Callable[[Floats], Any], slack: Floats, patterns: int, seed: int
) -> Floats:
    rng = np.random.default_rng(seed)
    n = len(differences)
    observed = np.abs(differences.sum(axis=0)) - slack
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    rows = max(1, CHUNK_CELLS // max(n, differences.shape[1]))
    for start in range(0, patterns, rows):
        m = min(rows, patterns - start)
        bits = np.unpackbits(rng.integers(0, 256, (m, (n + 7) // 8), dtype=np.uint8), axis=1, count=n)
        signs = np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
        extreme += (np.abs(product(signs)) >= observed).sum(axis=0)
    return np.asarray((extreme + 1) / (patterns + 1), dtype=np.float64)


def _slack(differences: Floats) -> Floats:
    """Return how far rounding may move a sum: ties with the observed one count as at least as extreme."""
    return np.asarray(1e-12 * np.abs(differences).sum(axis=0), dtype=np.float64)


def least_p(n: int, family: int = 1) -> float:
    """Return the least p that `n` differences can reach, whatever they are."""
    return 2.0 ** (1 - n) if n <= EXACT_UP_TO else 1 / (flips(family) + 1)


def least_questions(family: int = 1) -> int:
    """Return the fewest questions whose best p reaches α after Holm's correction."""
    return next(n for n in range(1, EXACT_UP_TO + 2) if least_p(n, family) * family <= ALPHA)


def holm(p_values: Sequence[float], family: int | None = None) -> list[float]:
    """Return p adjusted for the family by Holm's step-down rule (Holm 1979, Scand J Stat 6:65–70).

    Args:
        p_values: of the tests that could be made.
        family: size of the declared family; tests that could not be made count as never rejected.
    """
    size = max(family or 0, len(p_values))
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (size - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def detectable_difference(deviation: float, n: int, family: int = 1) -> float:
    """Return the least true difference found with 80 % power: (z₁₋α′⁄₂ + z₀.₈) · s_d / √n, α′ = α / family.

    The usual normal approximation (Cohen 1988, Statistical Power Analysis, ch. 2).
    """
    return _reach(family) * deviation / math.sqrt(n)


def questions_needed(difference: float, deviation: float, family: int = 1) -> int | None:
    """Return how many questions in all would show a difference of this size with 80 % power.

    However large the difference, never fewer than the sign flips need to reach α in the family at all. None for no
    difference, and for one so small that more than a million questions would not show it.
    """
    if abs(difference) <= _reach(family) * deviation / math.sqrt(MOST_QUESTIONS):
        return None
    return max(least_questions(family), math.ceil((_reach(family) * deviation / abs(difference)) ** 2 - 1e-9))


def _reach(family: int) -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - ALPHA / family / 2) + ndtri(POWER))


def effect_size(difference: float, deviation: float) -> float | None:
    """Return the mean difference in its standard deviations (Cohen's d_z); None where the differences do not vary."""
    return difference / deviation if deviation > 0 else None
