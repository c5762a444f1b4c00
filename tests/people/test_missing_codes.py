"""Codes for a missing score among scores: left out where that is evident, in doubt where it may be, else kept."""

from collections.abc import Sequence

import pytest

from medassay.models.people.missing_codes import Given, Outside, outside

LIKERT = [1, 2, 2, 3, 3, 4, 4, 5, 5, 1, 2, 3, 4, 5, 3, 3, 2, 4, 1, 5]


def alone(values: Sequence[float]) -> list[Given]:
    """Give every value to an item of its own, by one person."""
    return [Given(place, "ada", float(value)) for place, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "left_out", "doubts"),
    [
        ([*LIKERT, -1, -1, 99], {-1: 2, 99: 1}, {}),
        ([*LIKERT, -9, -99, -999], {-9: 1, -99: 1, -999: 1}, {}),
        ([*LIKERT, 88, 77, 999, 9999], {88: 1, 77: 1, 999: 1, 9999: 1}, {}),
        ([*LIKERT, 45], {45: 1}, {}),  # 4.5 without its point
        ([*LIKERT, 33], {33: 1}, {}),  # pressed twice
        ([0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 9, 99, -9], {99: 1, -9: 1}, {}),
        ([0.2, 0.5, 0.75, 1, 0, 0.4, 0.6, 0.9, 0.1, 0.3, -1], {-1: 1}, {}),
        ([10, 7, 0, 3, 8, 5, 9, 6, 2, 1, 4, -1, 99], {-1: 1, 99: 1}, {}),
        ([55, 70, 99, 100, 0, 3, 88, 77, 42, 18, 95, 999, -1], {999: 1, -1: 1}, {}),
        # May be a code or a score: it counts, and that is said.
        ([0, 1, 1, 0, 1, 0, 1, 1, 0, 1, -1], {}, {-1: 1}),
        ([*LIKERT, 0], {}, {0: 1}),
        ([*LIKERT, 9], {}, {9: 1}),
        # Scales as they are.
        (LIKERT, {}, {}),
        ([1, 2, 2, 1, 3, 3, 2, 1, 2, 3, 4, 2, 1, 5], {}, {}),  # a rare 5
        ([0, 1, 2, 3, 4, 0, 2, 2, 3, 1, 4, 0], {}, {}),
        ([-2, -1, 0, 1, 2, 0, 1, -1, 2, 1, 0], {}, {}),
        ([-1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 1, -1], {}, {}),
        ([55, 70, 99, 100, 0, 3, 88, 77, 42, 18, 95], {}, {}),
        ([0, 1, 2, 5, 9, 10, 8, 7, 3, 6, 9, 8], {}, {}),
        ([3, 9, 12, 5, 99, 4, 7, 66, 2, 1, 8], {}, {}),  # counts
        ([*LIKERT, 12], {}, {}),  # a count
        ([1, 99, 2], {}, {}),  # too few to show a scale
        ([99, 99, 99, 99, 99, 99, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1], {}, {99: 6}),  # more than codes are
    ],
)  # fmt: skip
def test_values_of_one_person(
    values: list[float], left_out: dict[float, int], doubts: dict[float, int]
) -> None:
    found = outside(alone(values))
    assert (found.left_out, found.doubts) == (left_out, doubts)


def by_two(pairs: Sequence[tuple[float, float]]) -> list[Given]:
    """Give each item the first value by one person and the second by another."""
    return [
        Given(place, name, float(value))
        for place, pair in enumerate(pairs)
        for name, value in zip("ab", pair, strict=True)
    ]


def test_zero_beside_good_scores_of_others_is_no_score() -> None:
    alike = [(n, n) for n in (1, 2, 3, 4, 5, 4, 3, 2, 5, 1)]
    assert outside(by_two([*alike, (0, 5), (4, 0)])) == Outside({0.0: 2}, {}, 1.0, 5.0)
    assert outside(by_two([*alike, (0, 5)])) == Outside({}, {0.0: 1}, 1.0, 5.0)
    assert outside(by_two([*alike, (0, 1), (1, 0)])) == Outside()  # the worst of answers
    assert outside(by_two([*alike, (9, 1), (2, 9)])) == Outside({9.0: 2}, {}, 1.0, 5.0)
