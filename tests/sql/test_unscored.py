"""Scores with their status and reason → `unscored`."""

from typing import Any

from medassay.sql.warehouse import Warehouse


def score(question_id: str, system: str, status: str | None, reason: str | None) -> dict[str, Any]:
    value = 0.5 if reason is None else None
    return {
        "run_id": "r", "question_id": question_id, "system": system, "profile": "any", "metric": "rubric_score",
        "value": value, "status": status, "reason": reason,
    }  # fmt: skip


def test_what_abstained_and_failed_is_counted_by_reason_and_what_has_nothing_to_measure_is_not(
    warehouse: Warehouse,
) -> None:
    warehouse.append(
        "mart.score",
        [
            score("q1", "a", "abstained", "no JSON object"),
            score("q2", "a", "abstained", "no JSON object"),
            score("q3", "a", "failed", "HTTP 500"),
            score("q5", "a", "not_applicable", "the answer is empty"),
            score("q6", "a", "scored", None),
            score("q7", "a", None, "from a run that kept no status"),
            score("q1", "b", "abstained", "no JSON object"),
        ],
    )
    rows = warehouse.rows("from unscored order by system, status, reason")
    assert [tuple(row.values()) for row in rows] == [
        ("r", "a", "any", "rubric_score", "abstained", "no JSON object", 2),
        ("r", "a", "any", "rubric_score", "failed", "HTTP 500", 1),
        ("r", "b", "any", "rubric_score", "abstained", "no JSON object", 1),
    ]
