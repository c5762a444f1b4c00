"""Shares, ratios of sums and repeats, against published and kept numbers."""

import numpy as np
import pytest
from scipy import stats

from medassay.models.statistics.bootstrap import Estimate
from medassay.models.statistics.pairs import accuracy_2tuple
from medassay.models.statistics.ratio import ratio_of_sums, wilson
from medassay.tasks.judging.stability import average_runs

N = np.nan


@pytest.mark.parametrize(("successes", "n"), [(0, 20), (20, 20), (50_000, 100_000)])
def test_wilson_is_scipys(successes: int, n: int) -> None:
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == Estimate(
        successes / n, pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high, abs=1e-9), n
    )


def test_wilson_says_what_is_wrong() -> None:
    assert wilson(0, 0) == Estimate(None, None, None, 0, "nothing was counted")
    with pytest.raises(ValueError, match="3 successes of 2"):
        wilson(3, 2)


def test_orders_that_are_always_right_leave_room_for_others() -> None:
    human = np.tile([1.0, 2.0, 3.0], (10, 1))
    found = accuracy_2tuple(human, human).accuracy
    expected = stats.binomtest(10, 10).proportion_ci(method="wilson").low
    assert found == Estimate(
        1.0,
        pytest.approx(expected, abs=1e-9),
        1.0,
        30,
        "every question alike: Wilson's interval over questions",
    )


def test_a_ratio_of_sums_weighs_by_claims() -> None:
    found = ratio_of_sums(["a", "b", "b", "c"], [1, 3, N, 0], [2, 4, 9, 0])
    assert found == Estimate(4 / 6, None, None, 6, "3 questions are too few for an interval")
    assert ratio_of_sums(["a"], [0], [0]) == Estimate(None, None, None, 0, "every denominator is 0")
    assert ratio_of_sums([], [], []) == Estimate(None, None, None, 0, "nothing was scored")


def test_a_ratio_of_sums_has_scipys_interval() -> None:
    rng = np.random.default_rng(2)
    under = rng.integers(1, 9, 60).astype(float)
    over = rng.binomial(under.astype(int), 0.6).astype(float)
    found = ratio_of_sums([str(i) for i in range(60)], over, under)
    expected = stats.bootstrap(
        (over, under),
        lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found.value == over.sum() / under.sum()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.006)


def test_answers_of_one_question_stand_or_fall_together() -> None:
    rng = np.random.default_rng(3)
    right = np.repeat(rng.integers(0, 2, 30), 10).astype(float)
    alone = ratio_of_sums(range(300), right, np.ones(300))
    together = ratio_of_sums([i // 10 for i in range(300)], right, np.ones(300))
    assert alone.value == together.value
    widths = [(one.high or 0) - (one.low or 0) for one in (alone, together)]
    assert widths[1] / widths[0] == pytest.approx(10**0.5, rel=0.1)


def test_runs_are_averaged_with_their_spread() -> None:
    found = average_runs([[0.2, 0.5, N], [0.4, 0.5, N], [N, 0.8, N]])
    assert found.averages.tolist() == pytest.approx([0.3, 0.6, 0.0])
    assert found.scored.tolist() == [2, 3, 0]
    # (0.1² + 0.1² + 0.1² + 0.1² + 0.2²) / (1 + 2)
    assert found.typical == pytest.approx((0.08 / 3) ** 0.5, abs=1e-9)
    assert found.of_means == pytest.approx(np.std([0.5, 0.5, 0.8], ddof=1), abs=1e-9)
    assert average_runs([[0.2, 0.5]]).reason == "no answer was scored by two runs"
