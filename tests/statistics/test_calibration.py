"""Maps onto the humans' scale against kept libraries; means that stay valid whatever the predictions are worth."""

import numpy as np
import pytest
from scipy import stats
from sklearn.isotonic import IsotonicRegression

from medassay.models.statistics.bootstrap import Estimate, arrange
from medassay.models.statistics.calibration import LinearMap, calibrate, fit, out_of_fold
from medassay.models.statistics.correction import prediction_powered_mean


def answers(questions: int, noise: float = 0.1) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Three answers a question; humans give the square root of our score, and some noise."""
    rng = np.random.default_rng(8)
    ours = np.round(rng.random(3 * questions), 2)
    return [f"q{i // 3}" for i in range(3 * questions)], ours, np.sqrt(ours) + rng.normal(0, noise, len(ours))


def test_a_line_is_scipys() -> None:
    _, ours, human = answers(20)
    expected = stats.linregress(ours, human)
    found = fit("linear", ours, human)
    assert isinstance(found, LinearMap)
    assert (found.slope, found.intercept) == pytest.approx((expected.slope, expected.intercept), abs=1e-9)
    assert fit("linear", np.full(3, 0.5), np.array([1.0, 2.0, 3.0])) == LinearMap(2.0, 0.0)


def test_a_rising_map_is_scikit_learns() -> None:
    _, ours, human = answers(50)
    grid = np.linspace(-0.2, 1.2, 57)
    expected = IsotonicRegression(out_of_bounds="clip").fit(ours, human).predict(grid)
    assert fit("isotonic", ours, human).apply(grid) == pytest.approx(expected, abs=1e-9)


def test_a_curve_is_followed_by_the_rising_map_only() -> None:
    questions, ours, human = answers(200, noise=0.02)
    line, curve = (calibrate(kind, questions, ours, human) for kind in ("linear", "isotonic"))
    assert line.baseline == curve.baseline
    assert line.error.value is not None and curve.error.value is not None and curve.skill.value is not None
    assert curve.error.value < 0.03 < 0.04 < line.error.value
    assert curve.skill.low is not None and 0.95 < curve.skill.low < curve.skill.value < 1


def test_a_question_is_never_on_both_sides() -> None:
    # Alike within a question and unrelated between them: nothing can be learned that helps.
    rng = np.random.default_rng(10)
    human, ours = np.repeat(rng.random(40), 5), np.repeat(rng.random(40), 5)
    rows = arrange([i // 5 for i in range(200)], ours, human)
    predicted, _ = out_of_fold("isotonic", rows)
    assert abs(np.corrcoef(predicted, rows.columns[1])[0, 1]) < 0.3


def test_calibration_says_why_there_is_none() -> None:
    few = "2 questions are too few to fit and to test on"
    found = calibrate("linear", ["a", "b"], [1, 2], [3, 4])
    assert (found.map, found.error) == (None, Estimate(None, None, None, 2, few))
    same = calibrate("linear", list(range(12)), list(range(12)), [1.0] * 12)
    assert same.skill.reason == "every human score is the same"


def test_a_powered_mean_by_hand() -> None:
    y, f, more = np.arange(20.0), np.arange(20.0) / 2, np.arange(40.0) / 4
    spread = np.concatenate([f, more]).var(ddof=1)
    trust = min(1.0, np.cov(y, f)[0, 1] / (1.5 * spread))
    value = 9.5 + trust * (more.mean() - f.mean())
    error = 1.959963984540054 * np.sqrt((y - trust * f).var(ddof=1) / 20 + trust**2 * more.var(ddof=1) / 40)
    assert prediction_powered_mean(y, f, more) == Estimate(
        pytest.approx(value, abs=1e-9), pytest.approx(value - error, abs=1e-9), pytest.approx(value + error, abs=1e-9), 20
    )  # fmt: skip


def test_good_predictions_narrow_the_interval_and_bad_ones_do_no_harm() -> None:
    rng = np.random.default_rng(12)
    truth = rng.normal(0.6, 0.2, 1_050)
    y = truth[:50]
    plain = stats.norm.interval(0.95, y.mean(), y.std(ddof=1) / np.sqrt(50))
    good = truth + 0.3 + rng.normal(0, 0.05, 1_050)
    found = prediction_powered_mean(y, good[:50], good[50:])
    assert found.low is not None and found.high is not None
    assert found.high - found.low < 0.5 * (plain[1] - plain[0])
    assert found.low < truth.mean() < found.high
    bad = -truth
    useless = prediction_powered_mean(y, bad[:50], bad[50:])
    assert (useless.low, useless.high) == pytest.approx(plain, abs=1e-9)
    assert useless.reason == "the predictions tell nothing about the labels: the mean of the labels alone"
    all_labelled = prediction_powered_mean(y, good[:50], [])
    assert (all_labelled.low, all_labelled.high) == pytest.approx(plain, abs=1e-9)
    assert all_labelled.reason == "hardly a question is without labels: their mean alone"


def test_few_labels_correct_nothing() -> None:
    few = "2 labelled questions are too few to correct predictions"
    assert prediction_powered_mean([1, 3], [1, 1], [2]) == Estimate(2.0, None, None, 2, few)
    assert prediction_powered_mean([], [], [2]).value is None
