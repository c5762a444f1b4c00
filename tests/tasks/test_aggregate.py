"""Means and their intervals from frozen scores: what is the unit, and what has to be known of the ends."""

from typing import Any

import pytest
from scipy import stats

from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.aggregate import freeze_system_scores
from tests.rows import answer_row


def frozen(warehouse: Warehouse, values: list[float | None], case_ids: list[str] | None = None) -> Row:
    """Freeze one system's coverage, a value a question, and return its row."""
    for n, value in enumerate(values):
        key: dict[str, Any] = {"run_id": "r", "question_id": f"q{n:02}"}
        case = {"case_id": case_ids[n]} if case_ids else {}
        warehouse.append("mart.question", [{**key, "question": "?", "n_nuggets": 1, **case}])
        key["system"] = "s"
        warehouse.append("mart.answer", [answer_row(**key)])
        told = {"reason": "no nugget", "status": "not_applicable"} if value is None else {"status": "scored"}
        warehouse.append(
            "mart.score", [{**key, "profile": "any", "metric": "nugget_coverage", "value": value, **told}]
        )
    warehouse.focus("r")
    freeze_system_scores(warehouse, "r")
    (row,) = warehouse.rows("from system_scores")
    return row


def test_the_questions_of_a_case_are_one(warehouse: Warehouse) -> None:
    """Twenty-four questions in twelve cases are twelve: t, with its warning, and no bootstrap."""
    values = [(3 * n * n % 11) / 10 for n in range(24)]
    row = frozen(warehouse, values, [f"case {n // 2}" for n in range(24)])
    cases = [(values[n] + values[n + 1]) / 2 for n in range(0, 24, 2)]
    ends = stats.ttest_1samp(cases, 0.0).confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
    assert (row["n_scored"], row["n_units"]) == (24, 12)
    assert row["reason"] == "only 12 cases: the interval assumes normality"


def test_cases_of_several_sizes_keep_the_mean_over_questions(warehouse: Warehouse) -> None:
    """Six cases, the first of two questions: the ratio estimator by hand, with x̄ = 3.5 / 7 and 7 / 6 questions a case."""
    row = frozen(warehouse, [1.0, 0.5, 0.5, 0.25, 0.75, 0.5, 0.0], ["a", "a", "b", "c", "d", "e", "f"])
    residuals = [(1.5 - 2 * 0.5) * 6 / 7, 0.0, -0.25 * 6 / 7, 0.25 * 6 / 7, 0.0, -0.5 * 6 / 7]
    error = (sum(r * r for r in residuals) / 5 / 6) ** 0.5
    assert row["value"] == 0.5
    assert (row["low"], row["high"]) == pytest.approx(
        (0.5 - 2.5705818366147395 * error, 0.5 + 2.5705818366147395 * error)
    )


@pytest.mark.parametrize(
    ("values", "reason", "ends"),
    [
        ([0.2, 0.4, None], "2 questions are too few for an interval", (None, None)),
        ([0.5] * 20, "every question has the same value", (0.5, 0.5)),
        ([None], "no nugget", (None, None)),
    ],
)
def test_what_has_to_be_known_of_an_interval_stands_beside_it(
    warehouse: Warehouse, values: list[float | None], reason: str, ends: tuple[float | None, float | None]
) -> None:
    row = frozen(warehouse, values)
    assert (row["reason"], (row["low"], row["high"])) == (reason, ends)
    assert row["n_asked"] == row["n_scored"] + row["n_not_applicable"]
