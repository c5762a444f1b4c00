"""The curve of introspection: exact through three points, least squares with an interval through more."""

import pytest

from medassay.models.judge_training.convergence import PUBLISHED_POINTS, SIXTH_ROUND, fit_curve


def test_the_papers_three_points_are_met_exactly_and_lead_to_less_than_it_says() -> None:
    curve = fit_curve(PUBLISHED_POINTS)
    assert [curve.at(n) for n in range(3)] == pytest.approx(PUBLISHED_POINTS)
    assert curve.at(SIXTH_ROUND) == pytest.approx(50.65, abs=0.01)
    assert curve.at(SIXTH_ROUND - 1) == pytest.approx(50.45, abs=0.01)
    assert curve.limit == pytest.approx(50.96, abs=0.01)
    assert (curve.low, curve.high) == (None, None)
    assert "no interval" in (curve.reason or "")


def test_steps_that_do_not_shrink_have_no_limit() -> None:
    for values in ((40.0, 42.0, 45.0), (40.0, 40.0, 41.0), (40.0, 42.0, 41.0)):
        curve = fit_curve(values)
        assert curve.limit is None and curve.at(6) is None and "shrink" in (curve.reason or "")
    assert fit_curve((40.0, 41.0)).limit is None


def test_more_points_give_the_limit_they_were_made_from_within_its_interval() -> None:
    noise = (0.1, -0.15, 0.05, 0.1, -0.1, 0.02)
    curve = fit_curve([60 - 20 * 0.5**n + off for n, off in enumerate(noise)])
    assert curve.low is not None and curve.high is not None and curve.low < 60 < curve.high
    assert curve.limit == pytest.approx(60, abs=0.5)
    assert curve.rate == pytest.approx(0.5, abs=0.05)
