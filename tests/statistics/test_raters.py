"""Agreement of raters against published tables and kept libraries."""

import numpy as np
import pytest

from medassay.models.statistics.alpha import krippendorff_alpha, level_of
from medassay.models.statistics.icc import icc2
from medassay.models.statistics.kappa import cohen_kappa, mean_kappa, mean_pairwise_kappa

# Shrout & Fleiss 1979, table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: twelve units, four observers.
N = np.nan
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def test_shrout_and_fleiss():
    found = icc2(SHROUT_FLEISS)
    assert round(found.single.value or 0, 2) == 0.29
    assert round(found.average.value or 0, 2) == 0.62
    # pingouin.intraclass_corr, ICC2 and ICC2k: 0.289764 [0.02, 0.76], 0.620051 [0.07, 0.93]
    assert found.single.value == pytest.approx(0.28976377952755913, abs=1e-9)
    assert (found.single.low, found.single.high) == pytest.approx((0.02, 0.76), abs=0.005)
    assert found.average.value == pytest.approx(0.6200505475989903, abs=1e-9)
    assert (found.average.low, found.average.high) == pytest.approx((0.07, 0.93), abs=0.005)


def test_icc_says_why_there_is_none():
    assert icc2([[1.0, 2.0]]).single.reason == "1 items rated by all of 2 raters"
    assert icc2([[1.0, 1.0], [1.0, 1.0]]).single.reason == "every score is the same"
    assert icc2([[1.0, 1.0], [3.0, 3.0]]).single.reason == "the raters never differ: no interval"
    shifted = icc2([[1.0, 2.0], [3.0, 4.0], [4.0, 5.0]]).single
    assert shifted.reason == "the raters differ by the same on every item: no interval"


def test_what_an_icc_of_the_mean_lacks_has_its_reason() -> None:
    """Items that differ less than the raters do by chance; then a lower end from which no mean can be stepped up."""
    reversed_by_one = icc2([[1.0, 4.0], [2.0, 3.0], [3.0, 2.5], [4.0, 1.0]])
    assert (reversed_by_one.average.value, reversed_by_one.average.low) == (None, None)
    assert reversed_by_one.average.reason == (
        "the items differ less than chance lets them: the mean of all raters has no reliability"
    )
    few = icc2([[1.0, 1.0], [1.0, 2.0], [3.0, 2.0]])
    assert few.average.value is not None and few.average.low is None
    assert few.average.reason == (
        "the interval of a single rater reaches where the mean of all has no reliability"
    )
    assert (few.single.low is None, few.single.reason) == (False, None)


def test_krippendorffs_own_example():
    for level, published in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert krippendorff_alpha(KRIPPENDORFF, level).value == pytest.approx(published, abs=5e-4)


def test_the_level_of_ratings():
    assert level_of([[0, 1], [N, 1]]) == "nominal"
    assert level_of(KRIPPENDORFF) == "ordinal"
    assert level_of([[0, 1], [0.5, 1]]) == "interval"


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_the_librarys(level: str) -> None:
    import krippendorff

    drawn = np.random.default_rng(4).integers(0, 6, (3, 40)).astype(float)
    drawn[np.random.default_rng(5).random(drawn.shape) < 0.2] = N
    for table in (np.array(KRIPPENDORFF), drawn, drawn / 7 + 100):
        expected = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
        assert krippendorff_alpha(table, level).value == pytest.approx(expected, abs=1e-9)


def test_alpha_says_why_there_is_none():
    assert krippendorff_alpha([[1.0, N], [N, 1.0]], "nominal").reason == "no item has two ratings"
    assert krippendorff_alpha([[1.0, 1.0], [1.0, 1.0]], "nominal").reason == "every rating is the same"


def test_kappa_of_a_table():
    # Two readers of fifty grants: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no, so (0.7 − 0.5) / (1 − 0.5).
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = cohen_kappa(first, second)
    assert found.value == pytest.approx(0.4, abs=1e-9)
    assert found.n == 50
    assert found.low is not None and found.high is not None and 0.1 < found.low < 0.4 < found.high < 0.7


def test_kappa_is_scikit_learns() -> None:
    from sklearn.metrics import cohen_kappa_score

    drawn = np.random.default_rng(8).choice(list("abcd"), (2, 90), p=[0.5, 0.3, 0.15, 0.05])
    first, second = drawn[0].tolist(), np.where(drawn[1] < "b", drawn[0], drawn[1]).tolist()
    assert cohen_kappa(first, second).value == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)


def test_kappa_resamples_whole_questions():
    first, second = ["a", "b"] * 10, ["a", "b", "b", "a"] * 5
    found = cohen_kappa(first, second, ["q1"] * 10 + ["q2"] * 10)
    assert (found.value, found.low, found.reason) == (0.0, None, "2 questions are too few for an interval")


def test_kappa_says_why_there_is_none():
    assert cohen_kappa([], []).reason == "no item is labelled by both"
    assert cohen_kappa(["a", "a"], ["a", "a"]).reason == "both give every item the same one label"


def test_one_rater_with_each_of_several() -> None:
    from sklearn.metrics import cohen_kappa_score

    drawn = np.random.default_rng(9).choice(list("abc"), (4, 60), p=[0.5, 0.3, 0.2])
    first, *others = (np.where(one < "b", drawn[0], one).tolist() for one in drawn)
    found = mean_kappa(first, others, [n // 3 for n in range(60)])
    expected = np.mean([cohen_kappa_score(first, other) for other in others])
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.low is not None and found.high is not None and found.low < expected < found.high
    assert mean_kappa(first, others[:1]).value == cohen_kappa(first, others[0]).value
    assert mean_kappa(["a"], [["a"], ["a"]]).reason == "with each of them every item has the same one label"


def test_labels_that_a_rater_did_not_give_count_for_nothing():
    one, two = ["a", "a", "b", "b", None, "a"], ["a", "b", "b", "b", "b", None]
    # Of four items that both labelled three are alike, by chance a half: (3/4 − 1/2) / (1 − 1/2).
    assert (cohen_kappa(one, two).value, cohen_kappa(one, two).n) == (pytest.approx(0.5), 4)
    assert cohen_kappa([None, "a"], ["a", None]).reason == "no item is labelled by both"
    # With the first 1/2, with the second 1 over its two; with the third there is none.
    found = mean_kappa(["a", "a", "b", "b"], [two[:4], ["a", None, "b", None], ["a", None, None, None]])
    assert (found.value, found.n) == (pytest.approx(0.75), 4)
    assert mean_kappa(["a"], [[None]]).reason == "no item is labelled by both"


def test_physicians_among_themselves():
    assert mean_pairwise_kappa([["a", "b", None], ["a", "b", "a"], [None, "a", "b"]]) == pytest.approx(0.0)
    assert mean_pairwise_kappa([["a", "b"], ["a", "b"], ["b", "a"]]) == pytest.approx(-1 / 3)
    assert mean_pairwise_kappa([["a"], ["a"]]) is None
