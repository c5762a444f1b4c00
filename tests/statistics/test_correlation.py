"""Correlations against scipy, over answers, within questions and over systems."""

import numpy as np
import pytest
from scipy import stats

from medassay.models.statistics.bootstrap import Estimate, arrange
from medassay.models.statistics.correlation import (
    _kendall_of,
    _pearson_of,
    _spearman_of,
    coefficients,
    pooled,
    within_questions,
)
from medassay.models.statistics.system_level import split_half, system_level

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}
METHODS = list(SCIPY)


def scores(questions: int, systems: int, noise: float = 0.3) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Human scores with ties, ours with noise; a system's number is how good it is."""
    rng = np.random.default_rng(11)
    human = np.round(rng.normal(0, 0.5, (questions, systems)) + np.arange(systems) / systems, 1)
    ours = human + rng.normal(0, noise, human.shape)
    return [f"q{i}" for i in range(questions) for _ in range(systems)], ours, human


@pytest.mark.parametrize("method", METHODS)
def test_rows_are_scipys(method: str) -> None:
    _, ours, human = scores(7, 9)
    assert coefficients(method, ours, human) == pytest.approx(
        [SCIPY[method](x, y).statistic for x, y in zip(ours, human, strict=True)], abs=1e-9
    )
    assert np.isnan(coefficients(method, np.full((1, 3), 0.1), np.array([[1.0, 2.0, 3.0]]))[0])


@pytest.mark.parametrize("method", METHODS)
def test_pooled_is_scipys_with_an_interval_around_it(method: str) -> None:
    questions, ours, human = scores(24, 4)
    found = pooled(method, questions, ours.ravel(), human.ravel())
    assert found.value == pytest.approx(SCIPY[method](ours.ravel(), human.ravel()).statistic, abs=1e-9)
    assert found.n == 96 and found.reason is None
    assert found.value is not None and found.low is not None and found.high is not None
    assert found.value - 0.25 < found.low < found.value < found.high < found.value + 0.25


@pytest.mark.parametrize("method", ["spearman", "kendall"])
@pytest.mark.parametrize("questions", [5, 8, 24])
def test_orders_see_nothing_but_order(method: str, questions: int) -> None:
    names, ours, human = scores(questions, 3)
    found = pooled(method, names, ours.ravel(), human.ravel())
    assert pooled(method, names, np.exp(3 * ours.ravel()) - 7, human.ravel()).value == pytest.approx(
        found.value, abs=1e-9
    )
    turned = pooled(method, names, -ours.ravel(), human.ravel())
    assert turned.value == pytest.approx(-(found.value or 0), abs=1e-9)
    assert (found.low is None) == (questions == 5)


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_copies(method: str) -> None:
    # What an interval is made of: a question drawn twice is the same as its rows given twice.
    names, ours, human = scores(6, 3)
    rows = arrange(names, ours.ravel(), human.ravel())
    drawn = np.array([2.0, 0, 1, 3, 0, 1])
    copies = np.repeat(np.arange(18), drawn[rows.codes].astype(int))
    x, y = (column[copies] for column in rows.columns)
    statistic = {"pearson": _pearson_of, "spearman": _spearman_of, "kendall": _kendall_of}[method](rows)
    assert statistic(drawn[None])[0] == pytest.approx(SCIPY[method](x, y).statistic, abs=1e-9)


def test_within_questions_leaves_out_what_cannot_be_ordered() -> None:
    found = within_questions("kendall", ["a", "a", "b", "b", "c"], [1, 2, 1, 1, 5], [3, 4, 1, 2, 5])
    assert found == Estimate(
        1.0, None, None, 1,
        "2 of 3 questions with fewer than two different scores; 1 question is too few for an interval",
    )  # fmt: skip


def test_no_spread_has_no_correlation() -> None:
    assert pooled("pearson", ["a", "b"], [1, 1], [1, 2]).reason == "every automatic score is the same"
    assert pooled("pearson", ["a"], [1], [2]).reason == "1 answers have both scores"


@pytest.mark.parametrize("method", METHODS)
def test_systems_are_compared_by_their_means(method: str) -> None:
    _, ours, human = scores(24, 8)
    ours[3, 2] = np.nan
    both = np.where(np.isfinite(ours), human, np.nan)
    found = system_level(method, ours, human)
    expected = SCIPY[method](np.nanmean(ours, axis=0), np.nanmean(both, axis=0)).statistic
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.n == 8 and found.low is not None and found.high is not None
    assert found.low <= expected <= found.high


def test_no_interval_below_five_systems() -> None:
    _, ours, human = scores(24, 4)
    found = system_level("kendall", ours, human)
    assert (found.low, found.high, found.n) == (None, None, 4)
    assert found.reason == "4 systems are too few for an interval"


def test_humans_agree_with_themselves_the_more_the_clearer_the_systems_are() -> None:
    clear = np.tile(np.arange(6.0), (10, 1))
    assert split_half("kendall", clear).value == 1.0
    _, _, human = scores(10, 6)
    noisy = split_half("kendall", human)
    assert noisy.value is not None and noisy.stepped_up is not None and 0 < noisy.value < noisy.stepped_up < 1
    assert split_half("kendall", clear[:1]).reason == "1 rows of 6 systems cannot be split"


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_what_rounding_errors_tell_apart_is_a_tie(method: str) -> None:
    x, y = np.array([[0.1 + 0.2, 0.3, 0.5, 0.7]]), np.array([[2.0, 1.0, 3.0, 4.0]])
    expected = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[method](
        [3, 3, 5, 7], y[0]
    ).statistic
    assert coefficients(method, x, y)[0] == pytest.approx(expected, abs=1e-12)
