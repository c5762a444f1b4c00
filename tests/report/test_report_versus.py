from dataclasses import replace
from typing import Any

from models.report import ReportData, render
from models.report.versus import agreements, contrasts, win_matrix

PAIR: dict[str, Any] = {
    "profile": "seed",
    "metric": "nugget_coverage",
    "stratum": "all",
    "system_a": "careful",
    "system_b": "cites-badly",
    "family": "primary",
    "n_questions": 12,
    "n_dropped": 1,
    "difference": 0.47,
    "low": 0.31,
    "high": 0.62,
    "p_value": 0.0005,
    "p_adjusted": 0.001,
    "wins": 10,
    "ties": 2,
    "losses": 0,
}
ROWS = (
    {
        **PAIR,
        "family": "exploratory",
        "metric": "precision",
        "difference": 0.01,
        "p_adjusted": None,
        "p_value": 0.4,
    },
    PAIR,
    {
        **PAIR,
        "system_b": "fluent-but-wrong",
        "p_adjusted": 0.2,
        "questions_needed": 40,
        "wins": 5,
        "losses": 5,
    },
    {**PAIR, "metric": "rubric_score", "difference": None, "reason": "fewer than six questions", "low": None},
    {**PAIR, "stratum": "risk_level=high"},
)


def test_each_pair_gets_a_verdict_and_the_declared_family_comes_first() -> None:
    found = contrasts(ReportData(comparisons=ROWS))
    assert [(c.metric, c.b, c.p_value, c.verdict, c.x) for c in found] == [
        ("Nugget coverage", "cites-badly", 0.001, "more than chance", 73.5),
        (
            "Nugget coverage",
            "fluent-but-wrong",
            0.2,
            "could be chance; about 40 more questions would settle it",
            73.5,
        ),
        ("Rubric score", "cites-badly", 0.001, "fewer than six questions", None),
        ("Precision", "cites-badly", 0.4, "exploratory: p is not adjusted for the number of looks", 50.5),
    ]


def test_the_win_matrix_reads_both_ways() -> None:
    systems = ("careful", "cites-badly", "fluent-but-wrong")
    assert win_matrix(ReportData(comparisons=ROWS), systems, "nugget_coverage") == {
        "careful": {"cites-badly": (10, 2, 0), "fluent-but-wrong": (5, 2, 5)},
        "cites-badly": {"careful": (0, 2, 10)},
        "fluent-but-wrong": {"careful": (5, 2, 5)},
    }


def test_agreement_stands_beside_its_ceiling(report: ReportData) -> None:
    rows: list[dict[str, Any]] = [
        {
            "metric": "nugget_coverage",
            "human_metric": "accuracy",
            "level": "system",
            "measure": "kendall_tau_b",
            "value": 0.51,
            "low": 0.3,
            "high": 0.7,
            "ceiling": 0.74,
            "n": 300,
            "n_systems": 30,
        }
    ]
    (found,) = agreements(ReportData(agreement=rows))
    assert (found.metric, found.measure, found.value, found.interval, found.ceiling, found.n) == (
        "Nugget coverage",
        "kendall tau b",
        0.51,
        "0.30 to 0.70",
        0.74,
        30,
    )
    page = render(replace(report, agreement=rows, comparisons=ROWS))
    assert "Do people agree with these numbers?" in page
    assert "Is the difference more than chance?" in page
