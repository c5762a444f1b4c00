from typing import Any

import numpy as np
import pytest

from medassay.models.statistics.bootstrap import Estimate
from medassay.models.statistics.correction import correct, predictions


def answers(n_questions: int, seed: int = 3) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Two systems; people give a line of the judge's mark, a tenth lower for `b`, and noise."""
    draw = np.random.default_rng(seed)
    questions = [f"q{n:03d}" for n in range(n_questions) for _ in "ab"]
    systems = ["a", "b"] * n_questions
    marks = draw.uniform(40, 90, 2 * n_questions)
    people = 1 + marks / 25 + draw.normal(0, 0.2, 2 * n_questions)
    return questions, systems, marks, people


@pytest.mark.parametrize("kind", ["linear", "isotonic"])
def test_the_corrected_mean_is_on_the_humans_scale_and_holds_the_truth(kind: str) -> None:
    questions, systems, marks, people = answers(300)
    labels = np.where(np.arange(600) < 120, people, np.nan)
    fitted, rows = correct(kind, questions, systems, marks, labels)  # type: ignore[arg-type]
    assert [row.system for row in rows] == ["a", "b", None]
    assert [(row.n_answers, row.n_labels) for row in rows] == [(300, 60), (300, 60), (600, 120)]
    for row, own in zip(rows, ([0, 1], [1, 1], None), strict=True):
        truth = people.mean() if own is None else people[own[0] :: 2].mean()
        low, high = row.corrected.low, row.corrected.high
        assert low is not None and high is not None and low < truth < high
        # The labels alone would leave an interval half as wide again.
        plain = 2 * 1.96 * np.nanstd(labels) / np.sqrt(row.n_labels)
        assert 1.5 * (high - low) < plain
        assert row.raw == pytest.approx(marks.mean() if own is None else marks[own[0] :: 2].mean())
    assert fitted.error.value == pytest.approx(0.2, abs=0.06)


def test_a_judge_that_knows_nothing_leaves_the_labels_mean() -> None:
    questions, systems, marks, _ = answers(100)
    noise = np.random.default_rng(9).normal(3, 1, 200)
    _, rows = correct("linear", questions, systems, marks, np.where(np.arange(200) < 100, noise, np.nan))
    whole = rows[-1]
    assert whole.corrected.value == pytest.approx(noise[:100].mean(), abs=0.1)
    assert whole.corrected.low is not None and whole.corrected.high is not None
    assert whole.corrected.high - whole.corrected.low > 0.3


def test_no_prediction_of_a_labelled_answer_saw_its_own_question() -> None:
    questions, _, marks, people = answers(20)
    before = predictions("linear", questions, marks, people)
    moved = people.copy()
    moved[:2] += 100
    after = predictions("linear", questions, marks, moved)
    # The seed of the folds follows the data; a map that had seen them would chase the two that moved.
    assert np.isfinite(before).all() and np.abs(after[:2] - moved[:2]).min() > 50


def test_few_labels_give_no_interval_and_the_reason() -> None:
    questions, systems, marks, people = answers(15)
    _, rows = correct("linear", questions, systems, marks, people)
    assert (rows[0].corrected.low, rows[0].corrected.reason) == (
        None,
        "15 labelled questions are too few to correct predictions",
    )


def shifted(n_questions: int, labelled: np.ndarray, seed: int = 5) -> tuple[np.ndarray, list[Any]]:
    """`b` is judged 30 points above what people give for it, on answers labelled as told; the truth and the rows."""
    questions, systems, marks, people = answers(n_questions, seed)
    worse = np.where(np.arange(2 * n_questions) % 2 == 1, people - 30 / 25, people)
    _, rows = correct("linear", questions, systems, marks, np.where(labelled, worse, np.nan))
    return worse, rows


def test_labels_of_one_system_say_nothing_of_the_others() -> None:
    place = np.arange(400)
    truth, rows = shifted(200, (place % 2 == 0) & (place < 120))
    a, b, whole = rows
    assert a.corrected.low < truth[::2].mean() < a.corrected.high
    assert b.corrected.value is None
    assert whole.corrected == Estimate(
        None, None, None, 60, "no mean of all systems: b has 0 labelled questions, and each system needs 20"
    )
    assert whole.raw == pytest.approx((a.raw + b.raw) / 2)


def test_all_systems_count_the_same_however_many_of_each_are_labelled() -> None:
    place = np.arange(800)
    labelled = ((place % 2 == 0) & (place < 400)) | ((place % 2 == 1) & (place >= 400) & (place < 460))
    truth, (a, b, whole) = shifted(400, labelled)
    assert (a.n_labels, b.n_labels) == (200, 30)
    assert whole.corrected.value == pytest.approx((a.corrected.value + b.corrected.value) / 2)
    assert whole.corrected.low < truth.mean() < whole.corrected.high
    # Labels lie on different questions, so the systems' errors add like those of strangers.
    half = [(row.corrected.high - row.corrected.low) / 2 for row in (a, b, whole)]
    assert half[2] == pytest.approx(np.hypot(half[0], half[1]) / 2, rel=0.1)


def test_a_system_twice_has_the_interval_of_one() -> None:
    questions, systems, marks, people = answers(100)
    one = [system == "a" for system in systems]
    alone = [question for question, own in zip(questions, one, strict=True) if own]
    labels = np.where(np.arange(100) < 60, people[one], np.nan)
    _, rows = correct(
        "linear", alone * 2, ["a"] * 100 + ["b"] * 100, np.tile(marks[one], 2), np.tile(labels, 2)
    )
    a, b, whole = (row.corrected for row in rows)
    assert (a.low, a.high) == (b.low, b.high)
    assert (whole.low, whole.high) == (pytest.approx(a.low), pytest.approx(a.high))
