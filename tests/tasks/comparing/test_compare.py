"""Comparisons from frozen scores, without Prefect: the family, what is dropped, cases, strata."""

import json

import pytest

from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.comparing.compare import freeze_comparisons
from tests.rows import freeze_scores, run_row

COVERAGE = {"a": [1.0, 0.8, 0.9, 1.0, 0.7, 0.9], "b": [0.5, 0.4, 0.5, 0.4, 0.3, 0.86]}


def compared(warehouse: Warehouse, where: str = "true") -> list[Row]:
    freeze_comparisons(warehouse, "r")
    return warehouse.rows(f"from comparisons where {where} order by all")


def test_the_family_is_the_declared_one(warehouse: Warehouse) -> None:
    freeze_scores(
        warehouse,
        {
            "nugget_coverage": COVERAGE,
            "safety": {name: [90.0 * v for v in row] for name, row in COVERAGE.items()},
        },
    )
    freeze_comparisons(warehouse, "r", ("safety",))
    rows = warehouse.rows(
        "select metric, family, family_size, p_adjusted = p_value as adjusted from comparisons order by metric"
    )
    assert rows == [
        {"metric": "nugget_coverage", "family": "exploratory", "family_size": 1, "adjusted": None},
        {"metric": "safety", "family": "primary", "family_size": 1, "adjusted": True},
    ]


def test_a_metric_that_profiles_define_is_primary_under_the_runs_own(warehouse: Warehouse) -> None:
    freeze_scores(warehouse, {"completeness": COVERAGE})
    warehouse.execute("update mart.score set profile = 'seed'")
    warehouse.execute("insert into mart.score by name select * replace ('trec' as profile) from mart.score")
    freeze_comparisons(warehouse, "r", ("completeness",), "trec")
    rows = warehouse.rows("select profile, family from comparisons order by profile")
    assert rows == [{"profile": "seed", "family": "exploratory"}, {"profile": "trec", "family": "primary"}]


def test_two_systems_on_a_primary_metric(warehouse: Warehouse) -> None:
    freeze_scores(warehouse, {"nugget_coverage": COVERAGE})
    (row,) = compared(warehouse)
    assert row == {
        "run_id": "r",
        "metric": "nugget_coverage",
        "profile": "any",
        "stratum": "all",
        "system_a": "a",
        "system_b": "b",
        "family": "primary",
        "family_size": 4,
        "n_questions": 6,
        "n_dropped": 0,
        "difference": pytest.approx(0.39),
        # scipy.stats.ttest_rel(a, b).confidence_interval()
        "low": pytest.approx(0.1914374586943363, abs=1e-9),
        "high": pytest.approx(0.5885625413056637, abs=1e-9),
        "p_value": 2 / 64,
        "p_adjusted": 4 * 2 / 64,
        "effect_size": pytest.approx(2.0612140480685914, abs=1e-9),
        "wins": 5,
        "ties": 1,
        "losses": 0,
        "tie_margin": 0.05,
        # The normal quantiles of 1 − 0.05 / 4 / 2 and of 0.8.
        "detectable_difference": pytest.approx(
            (2.4977054744123723 + 0.8416212335729143) * 0.39 / 2.0612140480685914 / 6**0.5, abs=1e-9
        ),
        "questions_needed": 8,
        "best_case": pytest.approx(0.39),
        "worst_case": pytest.approx(0.39),
        "reason": "6 questions cannot reach p 0.05 in a family of 4, whatever they show; "
        "only 6 questions: the interval assumes normality",
        "judge_note": None,
    }


def test_what_rests_on_an_unlicensed_judge_says_so_and_nothing_else_does(warehouse: Warehouse) -> None:
    halves: dict[str, list[float | None]] = {"a": [None, 0.8, 0.9, 1.0, 0.7, 0.9], "b": [0.5] * 6}
    freeze_scores(warehouse, {"nugget_coverage": halves, "rubric_score": halves})
    warehouse.append(
        "run_judge",
        [
            {"run_id": "r", "judge_no": n, "judge": key, "fingerprint": key, "judge_key": key, "caveat": None}
            for n, key in enumerate("xy")
        ],
    )
    rows = compared(warehouse, "metric in ('nugget_coverage', 'rubric_score')")
    assert {row["metric"]: row["judge_note"] for row in rows} == {
        "nugget_coverage": None,
        "rubric_score": "unlicensed judge",
    }
    for view, metric in (
        ("dropped_questions", "metric"),
        ("preferences", "who"),
        ("preference_counts", "who"),
    ):
        noted = warehouse.rows(f"select distinct {metric} as metric, judge_note from {view} order by all")
        assert noted == [
            {"metric": "nugget_coverage", "judge_note": None},
            {"metric": "rubric_score", "judge_note": "unlicensed judge"},
        ]
    assert warehouse.rows("select distinct judge_note from answer_scores_by_profile") == [
        {"judge_note": "unlicensed judge"}
    ]


def test_the_family_is_declared_before_anything_is_scored(warehouse: Warehouse) -> None:
    """Four primary metrics × one pair, though nobody judged and one metric has no row at all."""
    freeze_scores(
        warehouse,
        {
            "nugget_coverage": COVERAGE,
            "rubric_score": {"a": [None] * 6, "b": [None] * 6},
            "citation_precision": {"a": [1.0] * 6, "b": [1.0] * 6},
            "recall": COVERAGE,
        },
    )
    rows = compared(warehouse)
    assert [(r["metric"], r["family"], r["family_size"], r["p_value"], r["p_adjusted"], r["reason"]) for r in rows] == [
        ("citation_precision", "primary", 4, 1.0, 1.0,
         "6 questions cannot reach p 0.05 in a family of 4, whatever they show; every question has the same difference"),
        ("nugget_coverage", "primary", 4, 0.03125, 0.125,
         "6 questions cannot reach p 0.05 in a family of 4, whatever they show; "
         "only 6 questions: the interval assumes normality"),
        ("recall", "exploratory", 1, 0.03125, None, "only 6 questions: the interval assumes normality"),
        ("rubric_score", "primary", 4, None, None, "no question was scored for both"),
    ]  # fmt: skip


def ranks(warehouse: Warehouse, sort_by: str, scores: dict[str, list[float | None]]) -> list[Row]:
    """Freeze a run that is sorted by a metric, and return its leaderboard."""
    freeze_scores(warehouse, {sort_by: scores})
    warehouse.append("run", [run_row(settings=json.dumps({"sort_by": sort_by}))])
    known = {system: [value for value in values if value is not None] for system, values in scores.items()}
    counts = dict.fromkeys(("n_asked", "n_answered", "n_refused", "n_scored", "n_abstained", "n_failed"), 0)
    warehouse.append(
        "mart.system_score",
        [
            {
                "run_id": "r", "system": system, "profile": "any", "metric": sort_by, **counts,
                "value": sum(values) / len(values) if values else None,
            }
            for system, values in known.items()
        ],
    )  # fmt: skip
    freeze_comparisons(warehouse, "r")
    return warehouse.rows("select system, rank_low, rank_high from leaderboard")


def ranges(rows: list[Row]) -> list[tuple[str, int | None, int | None]]:
    return [(row["system"], row["rank_low"], row["rank_high"]) for row in rows]


def test_ranks_are_those_that_the_paired_tests_allow(warehouse: Warehouse) -> None:
    """Of b it is shown that it is worse than a and c, who are not told apart; d has no score, and no rank."""
    a = [0.9, 0.8, 0.9, 1.0, 0.7, 0.9, 0.8, 0.9, 1.0, 0.8, 0.9]
    scores = {"a": a, "b": [v - 0.5 for v in a], "c": [*a[1:], 0.8], "d": [None] * 11}
    found = ranges(ranks(warehouse, "nugget_coverage", scores))
    assert found == [("a", 1, 2), ("c", 1, 2), ("b", 3, 3), ("d", None, None)]


def test_few_questions_rule_no_rank_out(warehouse: Warehouse) -> None:
    """No interval is no certainty: three questions tell nobody apart."""
    found = ranges(ranks(warehouse, "nugget_coverage", {"a": [1.0] * 3, "b": [0.0] * 3}))
    assert found == [("a", 1, 2), ("b", 1, 2)]


def test_the_least_of_a_rate_stands_first(warehouse: Warehouse) -> None:
    scores: dict[str, list[float | None]] = {"a": [0.5] * 9, "b": [0.1] * 9}
    assert ranges(ranks(warehouse, "contradiction_rate", scores)) == [("b", 1, 1), ("a", 2, 2)]


def test_a_pair_that_shares_no_question_stays_in_its_family(warehouse: Warehouse) -> None:
    """Two of three pairs cannot be tested: the third is corrected for all the same, as its α′ is."""
    a, b = COVERAGE["a"], COVERAGE["b"]
    freeze_scores(warehouse, {"nugget_coverage": {"a": [*a, 0.9, 0.9], "b": [*b, 0.4, 0.3], "c": [None] * 8}})
    rows = compared(warehouse)
    assert [(r["system_b"], r["p_value"], r["p_adjusted"]) for r in rows] == [
        ("b", 2 / 256, pytest.approx(4 * 3 * 2 / 256)),
        ("c", None, None),
        ("c", None, None),
    ]


def test_a_dropped_question_has_a_best_and_a_worst_case(warehouse: Warehouse) -> None:
    freeze_scores(warehouse, {"nugget_coverage": {"a": [0.6, 0.4, None], "b": [0.2, None, None]}})
    (row,) = compared(warehouse)
    assert (row["n_questions"], row["n_dropped"], row["difference"]) == (1, 2, pytest.approx(0.4))
    assert (row["best_case"], row["worst_case"]) == pytest.approx(((0.4 + 0.4 + 1) / 3, (0.4 - 0.6 - 1) / 3))
    listed = warehouse.rows(
        "select question_id, value_a, value_b, reason_a, reason_b, best_case, worst_case from dropped_questions order by 1"
    )
    assert [tuple(row.values()) for row in listed] == [
        ("q1", 0.4, None, None, "nothing to score", 0.4, -0.6),
        ("q2", None, None, "nothing to score", "nothing to score", 1.0, -1.0),
    ]


def test_dropped_questions_are_of_their_stratum_and_on_their_scale(warehouse: Warehouse) -> None:
    freeze_scores(
        warehouse,
        {
            "contradiction_rate": {"a": [0.1, None, 0.2], "b": [0.1, 0.3, 0.2]},
            "rubric_score": {"a": [None, 0.5, 0.5], "b": [0.4, 0.5, 0.5]},
            "safety": {"a": [80.0, 80.0, 80.0], "b": [None, 70.0, 70.0]},
        },
        category=["heart", "lung", "lung"],
    )
    freeze_comparisons(warehouse, "r")
    rows = warehouse.rows(
        "select metric, stratum, question_id, best_case, worst_case from dropped_questions order by all"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("contradiction_rate", "all", "q1", -0.3, 0.7),
        ("rubric_score", "all", "q0", 0.6, -0.4),
        ("rubric_score", "category: heart", "q0", 0.6, -0.4),
        ("safety", "all", "q0", 80.0, -20.0),
    ]


def test_less_is_better_turns_the_wins_and_marks_have_a_wider_margin(warehouse: Warehouse) -> None:
    freeze_scores(
        warehouse,
        {
            "contradiction_rate": {"a": [0.0, 0.0], "b": [0.5, 0.04]},
            "safety": {"a": [90.0, 80.0], "b": [86.0, 60.0]},
        },
    )
    rows = compared(warehouse)
    assert [
        (r["metric"], r["difference"], r["wins"], r["ties"], r["losses"], r["tie_margin"]) for r in rows
    ] == [
        ("contradiction_rate", pytest.approx(-0.27), 1, 1, 0, 0.05),
        ("safety", pytest.approx(12.0), 1, 1, 0, 5.0),
    ]


def test_the_case_is_the_unit(warehouse: Warehouse) -> None:
    freeze_scores(
        warehouse,
        {"nugget_coverage": {"a": [1.0, 0.5, 0.9], "b": [0.0, None, 0.4]}},
        case_id=["one", "one", "two"],
    )
    (row,) = compared(warehouse)
    assert (row["n_questions"], row["n_dropped"], row["difference"]) == (2, 1, pytest.approx(0.75))
    assert row["reason"] == (
        "2 cases cannot reach p 0.05 in a family of 4, whatever they show; 2 cases are too few for an interval"
    )


def test_strata_are_exploratory(warehouse: Warehouse) -> None:
    freeze_scores(
        warehouse,
        {"nugget_coverage": COVERAGE},
        category=["heart", "heart", "lung", "lung", "lung", "lung"],
        risk_level=["high"] * 6,
    )
    rows = compared(warehouse, "stratum <> 'all'")
    assert [
        (r["stratum"], r["family"], r["n_questions"], r["difference"], r["p_adjusted"]) for r in rows
    ] == [
        ("category: heart", "exploratory", 2, pytest.approx(0.45), None),
        ("category: lung", "exploratory", 4, pytest.approx(0.36), None),
    ]


def test_the_lesser_of_a_rate_is_preferred(warehouse: Warehouse) -> None:
    """As the comparison counts it: less of what is bad wins; the difference stays a less b."""
    freeze_scores(warehouse, {"contradiction_rate": {"a": [0.0, 0.3, 0.5], "b": [0.5, 0.3, 0.2]}})
    freeze_comparisons(warehouse, "r", ("contradiction_rate",))
    rows = warehouse.rows("select question_id, outcome, difference from preferences order by all")
    assert [tuple(row.values()) for row in rows] == [
        ("q0", "win", -0.5),
        ("q1", "tie", 0.0),
        ("q2", "loss", 0.3),
    ]
    counted = "select wins, ties, losses from "
    assert warehouse.rows(counted + "preference_counts") == warehouse.rows(counted + "comparisons")
