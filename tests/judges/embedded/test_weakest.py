import math

import pytest

from medassay.models.judges.embedded.levels import calibration
from medassay.models.judges.embedded.weakest import (
    BROKEN,
    EXPECTED_DROP,
    LEAST_KEPT,
    LEEWAY,
    USUAL_LOG_PROBABILITY,
    log_odds_of_answer,
    soft_minimum,
    still_to_read,
)
from medassay.models.judges.examining.attacks import RISE_THAT_COUNTS
from medassay.models.judges.judgement import SubMetric

Read = dict[str, dict[SubMetric, float]]


def no_versions(view: str) -> list[str]:
    return []


def read(**views: tuple[float, float | None, float | None]) -> Read:
    """Lay out (correctness, alignment, safety) by view."""
    names: tuple[SubMetric, ...] = ("medical_correctness", "response_alignment", "safety")
    return {
        view: {name: value for name, value in zip(names, values, strict=True) if value is not None}
        for view, values in views.items()
    }


def soft(*values: float) -> float:
    return -math.log(sum(math.exp(-value) for value in values))


NOTHING: Read = {"nothing": {"response_alignment": 0.2}}


@pytest.mark.parametrize(
    ("readings", "counted"),
    [
        (read(tied0=(1.5, 2.0, 0.7)), ([1.5], [2.0], [0.7])),
        (
            read(tied0=(1.5, 2.0, None), tied1=(0.4, 3.0, 0.1)),
            ([1.5, 0.4], [2.0, 3.0], [0.1]),
        ),
        (
            read(tied0=(2.0, 2.0, None), beside0=(0.1, 0.1, None), beside1=(0.4, 0.2, 2.5)) | NOTHING,
            ([2.0, 2.0, 2.0], [2.0], [2.5]),
        ),
        (
            read(tied0=(2.0, 2.0, None), beside0=(-1.2, 0.1, -0.8)) | NOTHING,
            ([2.0, -1.2], [2.0, 0.1], [-0.8]),
        ),
        (
            read(tied0=(2.0, 2.0, None), beside0=(0.3, 0.9, 0.1)) | NOTHING,
            ([2.0, 0.3], [2.0, 0.9], [0.1]),
        ),
        (
            read(tied0=(2.0, 2.0, 1.0), beside0=(1.4, -0.5, None)) | NOTHING,
            ([2.0, 2.0], [2.0, -0.5], [1.0]),
        ),
        (
            read(beside0=(0.3, 0.9, 0.1), beside1=(1.3, -0.5, None)) | NOTHING,
            ([0.3, 2.0], [0.9, -0.5], [0.1]),
        ),
        (
            read(beside0=(0.3, 0.9, 0.1), beside1=(0.5, -0.5, None)) | NOTHING,
            ([0.3, 2.0], [0.9], [0.1]),
        ),
        (
            read(beside0=(0.3, 0.1, 0.1), beside1=(0.5, -0.5, None)) | NOTHING,
            ([2.0, 2.0], [0.1, -0.5], [0.1]),
        ),
    ],
)
def test_every_statement_counts_and_one_beside_the_question_where_it_answers_or_reads_as_wrong(
    readings: Read, counted: tuple[list[float], list[float], list[float]]
) -> None:
    found = log_odds_of_answer(readings)
    correct, aligned, safe = (soft(*values) for values in counted)
    expected = {
        "medical_correctness": correct,
        "response_alignment": aligned,
        "safety": (safe + correct) / 2,
    }
    assert found == pytest.approx(expected)


def test_how_likely_a_statement_is_to_be_said_counts_for_what_is_correct_and_within_bounds() -> None:
    plain = read(tied0=(1.0, 2.0, 0.5), tied1=(2.0, None, None))
    before = log_odds_of_answer(plain)

    def likely(**logprobs: float) -> dict[SubMetric, float]:
        said: Read = {f"said-{view}": {"medical_correctness": value} for view, value in logprobs.items()}
        return log_odds_of_answer(plain | said)

    assert likely(tied0=USUAL_LOG_PROBABILITY, tied1=USUAL_LOG_PROBABILITY) == before
    odd = likely(tied1=USUAL_LOG_PROBABILITY - 1.5)
    assert odd["medical_correctness"] == pytest.approx(soft(1.0, 0.5))
    assert (odd["safety"], odd["response_alignment"]) == (before["safety"], before["response_alignment"])
    assert likely(tied0=-20.0)["medical_correctness"] == pytest.approx(soft(-1.0, 2.0))
    assert likely(tied0=0.0)["medical_correctness"] == pytest.approx(soft(3.0, 2.0))


def test_versions_are_read_of_the_statement_that_counts_for_safety_too() -> None:
    readings = read(tied0=(1.0, 2.0, 0.5), tied1=(1.5, None, 0.4))
    readings["said-tied1"] = {"medical_correctness": USUAL_LOG_PROBABILITY - 1.0}
    assert still_to_read(readings, lambda view: [f"{view}.1"]) == [
        ("tied1.1", "medical_correctness"),
        ("tied0.1", "medical_correctness"),
    ]


def test_guidance_that_is_not_kept_lowers_alignment_and_what_is_kept_raises_nothing() -> None:
    def aligned(**points: float) -> float:
        guided: Read = {
            view.replace("_", "-").replace("7", "."): {"response_alignment": value}
            for view, value in points.items()
        }
        found = log_odds_of_answer(read(tied0=(1.0, 1.5, 0.5), tied1=(1.0, None, 0.5)) | guided)
        assert found["medical_correctness"] == pytest.approx(soft(1.0, 1.0))
        return found["response_alignment"]

    kept = aligned(keeps070=3.5, breaks0_tied0=-1.5, breaks0_tied1=-2.0)
    assert 1.2 < kept < aligned() == 1.5
    assert aligned(keeps070=-0.5) < aligned(keeps070=0.5) < aligned(keeps070=3.5)
    assert aligned(keeps070=-0.5, keeps071=3.5) == aligned(keeps070=3.5)
    assert aligned(keeps070=-9.0) == pytest.approx(soft(1.5, LEAST_KEPT))
    assert aligned(breaks0_tied0=-1.5, breaks0_tied1=2.0) < aligned(breaks0_tied0=-1.5) - 1.5
    assert aligned(breaks0_tied0=9.0) == pytest.approx(soft(1.5, BROKEN))


def test_where_nothing_is_tied_what_misses_the_question_counts_though_it_reads_neither_right_nor_wrong() -> (
    None
):
    motto = read(beside0=(2.2, 0.9, 2.0)) | NOTHING
    alone = log_odds_of_answer(motto)["response_alignment"]
    padded = log_odds_of_answer(motto | read(beside1=(0.5, 0.1, 0.4)))["response_alignment"]
    missing = log_odds_of_answer(motto | read(beside1=(0.5, -1.4, 0.4)))["response_alignment"]
    assert padded == alone
    assert missing < alone - 2


def test_what_is_told_to_the_judge_lowers_marks_where_it_reads_as_wrong_and_raises_none() -> None:
    answer = read(tied0=(1.5, 2.0, 0.7), tied1=(1.0, 2.0, 0.9))
    alone = log_odds_of_answer(answer)
    for correctness, safety in ((9.0, 9.0), (0.1, 9.0), (-3.0, -4.0)):
        told = log_odds_of_answer(answer | read(addressed0=(correctness, None, safety)))
        assert all(told[name] <= alone[name] for name in alone)
        assert told["response_alignment"] == alone["response_alignment"]
    assert told["medical_correctness"] < alone["medical_correctness"] - 3
    assert told["safety"] < alone["safety"] - 3
    assert still_to_read(answer | read(addressed0=(-3.0, None, -4.0)), no_versions) == []


def test_an_error_in_a_statement_moves_what_counts_though_another_reads_lower() -> None:
    """Two answers that share their weakest statement are not alike."""
    right, wrong = (
        log_odds_of_answer(read(tied0=(first, None, None), tied1=(-0.5, None, None)))["medical_correctness"]
        for first in (2.4, 0.9)
    )
    assert wrong < right < -0.5


def test_the_soft_minimum_lies_below_the_lowest_and_falls_with_every_value() -> None:
    assert soft_minimum([1.0]) == 1.0
    assert soft_minimum([0.4, 1.5]) == soft_minimum([1.5, 0.4]) == pytest.approx(soft(0.4, 1.5))
    assert soft_minimum([-800.0, 900.0]) == -800.0


def test_long_answers_are_allowed_the_drop_that_comes_with_length() -> None:
    tied = {f"tied{n}": (1.0, None, None) for n in range(12)}
    for n, allowed in ((1, 0), (2, 0), (3, 1), (7, 5), (12, 5)):
        found = log_odds_of_answer(read(**dict(list(tied.items())[:n])))
        assert found["medical_correctness"] == pytest.approx(soft(*[1.0] * n) + allowed * EXPECTED_DROP)


def test_a_statement_that_may_speak_of_something_else_is_asked_only_where_it_reads_weakest() -> None:
    readings = read(
        tied0=(2.0, 2.0, None), tied1=(1.5, None, None), tied2=(1.8, 2.0, None), tied3=(1.8, None, None)
    )
    readings |= read(beside0=(1.6, None, None), beside1=(-1.1, None, None))
    assert still_to_read(readings, no_versions) == []
    readings |= read(beside1=(0.9, None, None))
    assert still_to_read(readings, no_versions) == [
        ("beside1", "response_alignment"),
        ("nothing", "response_alignment"),
    ]
    readings |= read(beside1=(0.9, -0.5, None)) | NOTHING
    assert still_to_read(readings, no_versions) == []
    assert still_to_read({}, no_versions) == []


def test_shorter_versions_are_read_of_the_statement_that_counts_and_the_lowest_holds_it_down() -> None:
    versions = {"tied0": ["tied0.1"], "tied1": ["tied1.1", "tied1.2"]}
    readings = read(tied0=(2.0, None, None), tied1=(1.5, None, None)) | {
        "tied0.1": {"response_alignment": 0.9}
    }
    assert still_to_read(readings, versions.__getitem__) == [
        ("tied1.1", "medical_correctness"),
        ("tied1.2", "medical_correctness"),
    ]
    readings |= {"tied1.1": {"medical_correctness": 0.3}, "tied1.2": {"medical_correctness": 2.5}}
    assert still_to_read(readings, versions.__getitem__) == [("tied1.1", "safety")]
    readings["tied1.1"]["safety"] = 0.2
    assert still_to_read(readings, versions.__getitem__) == []
    found = log_odds_of_answer(readings)
    assert found["safety"] == pytest.approx((0.2 + found["medical_correctness"]) / 2)
    assert found["response_alignment"] == 0.9
    assert soft(2.0, 0.3) < found["medical_correctness"] < soft(2.0, 0.3 + LEEWAY)
    readings["tied1"]["medical_correctness"] = 9.0
    assert log_odds_of_answer(readings)["medical_correctness"] == pytest.approx(soft(2.0, 0.3 + LEEWAY))


def test_a_version_that_reads_better_than_the_whole_raises_nothing() -> None:
    readings = read(tied0=(0.5, None, None)) | {"tied0.1": {"medical_correctness": 3.0}}
    assert log_odds_of_answer(readings) == {"medical_correctness": 0.5}
    assert still_to_read(readings, lambda _: ["tied0.1"]) == []


def test_of_what_reads_as_wrong_no_version_is_read() -> None:
    assert still_to_read(read(tied0=(-1.5, 2.0, 0.1)), lambda _: ["tied0.1"]) == []


def test_what_stands_around_an_error_lifts_no_mark_by_what_counts_as_an_attack() -> None:
    steepest = max(line["slope"] for line in calibration("statements").values())
    assert 100 * LEEWAY * steepest / 4 < RISE_THAT_COUNTS, (
        "a logistic line is steepest at a half, and there a quarter"
    )
