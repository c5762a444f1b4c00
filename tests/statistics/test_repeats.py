import numpy as np
import pytest

from medassay.models.statistics.repeats import average_runs


def test_equal_runs_lie_nothing_apart() -> None:
    scores = [[0.1 + 0.2, 0.76, 1 / 3]] * 3
    found = average_runs(scores)
    assert (found.typical, found.of_means, found.n_runs) == (0.0, 0.0, 3)


def test_the_spread_is_that_of_a_run_about_its_answer_s_mean() -> None:
    found = average_runs([[0.5, 0.7], [0.7, 0.7], [0.6, np.nan]])
    assert found.typical == pytest.approx((0.02 / 3) ** 0.5)
    assert found.averages.tolist() == pytest.approx([0.6, 0.7])
