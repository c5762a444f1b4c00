"""Paired non-inferiority: against scipy's t intervals, and at the edges."""

import numpy as np
import pytest
from scipy import stats

from medassay.models.statistics.noninferiority import Paired, hold_against_margins
from medassay.models.statistics.paired import holm, sign_flip_p

RNG = np.random.default_rng(7)
SPREAD = RNG.normal(0.0, 0.1, 40)
SPREAD -= SPREAD.mean()


@pytest.mark.parametrize(
    ("shift", "better", "verdict"),
    [
        (0.0, 1.0, "not_inferior"),
        (-0.1, 1.0, "inferior"),
        (-0.04, 1.0, "undecided"),
        (0.1, -1.0, "inferior"),
        (-0.1, -1.0, "not_inferior"),
    ],
)
def test_the_verdict_agrees_with_the_interval_against_the_margin(
    shift: float, better: float, verdict: str
) -> None:
    (found,) = hold_against_margins([Paired(SPREAD + shift, 0.05, better)], 1)
    low, high = stats.t.interval(0.95, 39, loc=shift, scale=stats.sem(SPREAD))
    assert (found.verdict, found.difference) == (verdict, pytest.approx(shift))
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))
    worst = low if better > 0 else -high
    assert (found.verdict == "not_inferior") == (worst > -0.05)


def test_holm_goes_over_the_declared_family() -> None:
    columns = [Paired(SPREAD - 0.02, 0.05), Paired(SPREAD[:12] - SPREAD[:12].mean(), 0.05)]
    found = hold_against_margins(columns, 6)
    alone = [float(sign_flip_p((c.differences + 0.05)[:, None], 6)[0]) for c in columns]
    assert found[1].p_adjusted == pytest.approx(holm(alone, 6)[1], abs=0.02)
    assert found[0].p_adjusted <= holm([alone[0]], 6)[0] + 0.02


def test_equal_differences_need_questions_enough_for_the_test_itself() -> None:
    (few,) = hold_against_margins([Paired(np.zeros(5), 0.05)], 1)
    # The least p of five sign flips is 2/32.
    assert (few.verdict, few.p_adjusted, few.questions_needed) == ("undecided", 0.0625, 6)
    (enough,) = hold_against_margins([Paired(np.zeros(6), 0.05)], 1)
    assert (enough.verdict, enough.low, enough.high) == (
        "not_inferior",
        pytest.approx(0.0),
        pytest.approx(0.0),
    )
    (exactly,) = hold_against_margins([Paired(np.full(30, -0.05), 0.05)], 1)
    assert (exactly.verdict, exactly.questions_needed) == ("undecided", None)


def test_what_would_settle_it_is_counted_from_the_spread() -> None:
    # (1.96 + 0.84)² · 0.3² / (0.05 − 0.02)² = 785
    differences = 0.3 * np.tile([1.0, -1.0], 10) * np.sqrt(19 / 20) - 0.02
    (found,) = hold_against_margins([Paired(differences, 0.05)], 1)
    assert (found.verdict, found.questions_needed) == ("undecided", 785)
