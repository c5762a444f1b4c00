"""Orders of two and three answers, by hand."""

import numpy as np
import pytest

from medassay.models.statistics.bootstrap import Estimate
from medassay.models.statistics.pairs import (
    OrderAccuracy,
    accuracy_2tuple,
    accuracy_triple,
    cut_offs_left_out,
    tie_cut_off,
)

N = np.nan
HUMAN = np.array([[3.0, 2, 1], [3, 3, 1], [1, 2, N]])
OURS = np.array([[0.9, 0.5, 0.1], [0.8, 0.7, 0.1], [0.1, N, 0.5]])
FEW = "3 questions are too few for an interval"


def test_pairs_by_hand():
    # 3 of 3, then 2 of 3 (a tie of the humans is no tie of ours), then 0 of 1: our score is unreadable.
    # Always the commonest order: a > b, a tie or b > a each once, so 1 of 3; a > c and b > c, 4 of 4.
    assert accuracy_2tuple(OURS, HUMAN) == OrderAccuracy(Estimate(5 / 7, None, None, 7, FEW), 5 / 7)


def test_a_cut_off_makes_ties():
    assert accuracy_2tuple(OURS, HUMAN, 0.1).accuracy.value == 6 / 7
    assert accuracy_2tuple(OURS, HUMAN, np.array([0.0, 0.1, 0.0])).accuracy.value == 6 / 7
    assert tie_cut_off(OURS, HUMAN) == pytest.approx(0.1, abs=0.02)
    assert tie_cut_off(OURS, np.full((3, 3), N)) == 0.0


def test_triples_are_whole_orders():
    assert accuracy_triple(OURS, HUMAN) == OrderAccuracy(
        Estimate(1 / 2, None, None, 2, "2 questions are too few for an interval"), 1 / 2
    )
    assert accuracy_triple(OURS, HUMAN, 0.1).accuracy.value == 1.0


def test_nobody_to_ask():
    found = accuracy_triple(OURS[:, :2], HUMAN[:, :2])
    assert found == OrderAccuracy(
        Estimate(None, None, None, 0, "no triple of answers has human scores"), None
    )


def test_a_questions_own_orders_do_not_choose_its_cut_off():
    # Two questions want ties up to 0.3; the third, alone, would want none.
    ours = np.array([[0.0, 0.3], [0.5, 0.8], [0.2, 0.4]])
    human = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 2.0]])
    assert cut_offs_left_out(ours, human)[2] == pytest.approx(0.3)


def test_an_interval_over_questions():
    rng = np.random.default_rng(7)
    human = rng.integers(0, 3, (30, 5)).astype(float)
    found = accuracy_2tuple(human + rng.normal(0, 0.3, human.shape), human, 0.5).accuracy
    assert found.n == 300
    assert found.low is not None and found.value is not None and found.high is not None
    assert 0.5 < found.low < found.value < found.high < 0.95
