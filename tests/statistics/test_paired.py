"""Paired tests against scipy, statsmodels' and published numbers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from medassay.models.statistics.contrast import Contrast, Outcomes, contrasts, count_outcomes
from medassay.models.statistics.paired import (
    detectable_difference,
    effect_size,
    flips,
    holm,
    least_p,
    questions_needed,
    sign_flip_p,
)
from medassay.models.statistics.resampling import Differences, bca, mean_acceleration, mean_intervals

# Darwin's maize, crossed less self-fertilised, in eighths of an inch: Fisher 1935 flips the signs of these 15.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=np.float64)


def by_scipy(differences: np.ndarray) -> float:
    found = stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    return float(found.pvalue)


def test_exact_p_is_scipys_whatever_is_missing():
    values = np.random.default_rng(1).choice([-0.5, -0.25, 0, 0.25, 0.5, 1], (11, 3))
    values[2:5, 1] = np.nan
    expected = [by_scipy(column[np.isfinite(column)]) for column in values.T]
    assert sign_flip_p(values) == pytest.approx(expected, abs=1e-9)


def test_many_questions_draw_enough_patterns():
    assert [flips(1), flips(250), flips(1_000), flips(9_000)] == [2_000, 10_000, 40_000, 360_000]
    assert all(flips(family) >= 40 * family for family in (1, 2, 249, 251, 2_500, 2_501, 76_000))
    assert sign_flip_p(np.ones((30, 1)))[0] == 1 / 2_001
    assert sign_flip_p(np.ones((30, 1)), family=1_000)[0] == 1 / 40_001
    drawn = np.random.default_rng(3).normal(0.2, 1, (40, 1))
    assert sign_flip_p(drawn)[0] == pytest.approx(stats.ttest_1samp(drawn[:, 0], 0).pvalue, abs=0.02)


def test_no_question_has_no_p():
    assert np.isnan(sign_flip_p(np.full((4, 1), np.nan))[0])


def test_holm_against_statsmodels_and_with_tests_that_could_not_be_made():
    # statsmodels.stats.multitest.multipletests([0.01, 0.04, 0.03, 0.005], method="holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-9)
    assert holm([0.01, 0.04], family=6) == pytest.approx([0.06, 0.2], abs=1e-9)


def test_what_could_have_been_seen():
    # (1.959963984540054 + 0.8416212335729143) · 0.5 / √100
    assert detectable_difference(0.5, 100) == pytest.approx(0.14007926090564842, abs=1e-9)
    assert questions_needed(0.14007926090564842, 0.5) == 100
    assert (questions_needed(0.0, 0.5), questions_needed(1e-9, 0.5)) == (None, None)
    # However large a difference is, six questions are the fewest whose sign flips reach 0.05, and nine in a family of 12.
    assert [questions_needed(5.0, 0.5, family) for family in (1, 12, 1_000, 2_000, 6_000)] == [
        6,
        9,
        16,
        17,
        17,
    ]
    assert detectable_difference(0.5, 100, family=4) > 0.16
    assert (effect_size(0.2, 0.4), effect_size(0.2, 0.0)) == (0.5, None)
    assert [least_p(5), least_p(6), least_p(17)] == [0.0625, 0.03125, 1 / 2_001]


def test_wins_ties_and_losses():
    assert count_outcomes(np.array([0.06, 0.05, -0.05, -0.3, np.nan])) == Outcomes(1, 2, 1)


def test_bca_is_scipys_given_its_distribution():
    values = np.random.default_rng(5).gamma(0.5, 1.0, (25, 1))
    found = stats.bootstrap(
        (values[:, 0],), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(1)
    )
    low, high = bca(found.bootstrap_distribution[:, None], values.mean(axis=0), mean_acceleration(values))
    assert low[0] == pytest.approx(found.confidence_interval.low, abs=1e-9)
    assert high[0] == pytest.approx(found.confidence_interval.high, abs=1e-9)


def test_intervals_by_number_of_questions():
    columns = np.full((22, 4), np.nan)
    columns[:5, 0] = [0.1, 0.2, 0.3, 0.4, 0.5]
    columns[:15, 1] = DARWIN
    columns[:, 2] = 0.25
    columns[:, 3] = np.tile([0.0, 1.0], 11)
    low, high = mean_intervals(columns)
    assert np.isnan(low[0]) and np.isnan(high[0])
    paired = stats.ttest_1samp(DARWIN, 0).confidence_interval(0.95)
    assert (low[1], high[1]) == pytest.approx((paired.low, paired.high), abs=1e-9)
    assert (low[2], high[2]) == (0.25, 0.25)
    assert 0.25 < low[3] < 0.4 and 0.6 < high[3] < 0.75


def test_a_contrast_says_where_no_p_can_reach_alpha():
    assert contrasts(np.array([[0.2], [0.4], [np.nan]]), family=3) == [
        Contrast(
            n=2,
            difference=pytest.approx(0.3),
            low=None,
            high=None,
            p_value=0.5,
            effect_size=pytest.approx(0.3 / np.sqrt(0.02)),
            detectable_difference=pytest.approx(detectable_difference(np.sqrt(0.02), 2, 3)),
            questions_needed=7,
            wins=2,
            ties=0,
            losses=0,
            reason="2 questions cannot reach p 0.05 in a family of 3, whatever they show; "
            "2 questions are too few for an interval",
        )
    ]
    cancelled = contrasts(np.array([[0.1], [0.2], [-0.3]]))[0]
    assert (cancelled.difference, cancelled.questions_needed, cancelled.p_value) == (0.0, None, 1.0)
    assert contrasts(np.array([[np.nan]]))[0].reason == "no question was scored for both"


@pytest.mark.parametrize("n", [12, 60])
def test_pairs_by_their_parts_are_the_pairs(n: int) -> None:
    """Twenty columns in place of 190: the same means, intervals and p as from the differences themselves."""
    rng = np.random.default_rng(3)
    parts = rng.integers(0, 5, (n, 4)) / 4
    parts[:, 3] = parts[:, 0]
    parts[0, 3] += 0.25
    first, second = np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3])
    by_parts = contrasts(Differences(parts, first, second), family=5, seed=1)
    by_columns = contrasts(parts[:, first] - parts[:, second], family=5, seed=1)
    for one, other in zip(by_parts, by_columns, strict=True):
        assert one == replace(other, low=one.low, high=one.high)
        assert (one.low, one.high) == (
            pytest.approx(other.low, abs=1e-9),
            pytest.approx(other.high, abs=1e-9),
        )


def test_scores_in_thirds_have_the_interval_of_the_same_scores_in_whole_numbers() -> None:
    """A resampled mean that equals the observed one is equal, whatever its last digit says."""
    whole = np.random.default_rng(3).integers(0, 4, (24, 3)).astype(np.float64)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    thirds = Differences(whole / 3, first, second)
    exact = np.array(mean_intervals(whole[:, first] - whole[:, second], 7)) / 3
    assert np.allclose(mean_intervals(thirds.columns, 7), exact, atol=1e-9)
    assert np.allclose(mean_intervals(thirds.columns, 7, thirds.product), exact, atol=1e-9)


def test_cases_of_several_sizes_are_drawn_whole():
    """Against scipy's own BCa of Σ mean × size / Σ size."""
    rng = np.random.default_rng(3)
    means, sizes = rng.random(30), rng.integers(1, 4, 30).astype(np.float64)
    found = mean_intervals(means[:, None], 1, sizes=sizes[:, None])
    theirs = stats.bootstrap(
        (means, sizes),
        lambda m, s, axis: (m * s).sum(axis=axis) / s.sum(axis=axis),
        paired=True, vectorized=True, method="BCa", n_resamples=20_000, rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    assert (found[0][0], found[1][0]) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_cases_of_one_question_are_questions():
    columns = np.random.default_rng(4).random((40, 3))
    columns[5, 1] = np.nan
    ones = np.isfinite(columns).astype(np.float64)
    assert np.allclose(mean_intervals(columns, 1), mean_intervals(columns, 1, sizes=ones), atol=1e-12)


def test_an_interval_ends_where_differences_do():
    differences = np.array([[1.0], [1.0], [1.0], [1.0], [1.0], [0.4]])
    (found,) = contrasts(differences, most=1.0)
    assert (found.low, found.high) == (pytest.approx(0.9 - 2.5705818366147395 * 0.1), 1.0)
