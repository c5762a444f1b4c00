"""What a stage set aside, and whose answers it is part of → `outcomes`."""

from typing import Any

from medassay.sql.warehouse import Warehouse
from tests.rows import citation_row, claim_row

A, B, SET, TEXT, PASSAGE, INPUT, ORDER, JOINT = (letter * 32 for letter in "ab123458")


def outcome(stage: str, item_key: str) -> dict[str, Any]:
    return {
        "run_id": "r", "stage": stage, "item_key": item_key, "fingerprint": "f", "state": "failed", "reason": "HTTP 500"
    }  # fmt: skip


def test_every_item_is_named_by_the_first_answer_that_it_is_part_of(warehouse: Warehouse) -> None:
    asked = [("q1", "s", A), ("q1", "t", B), ("q2", "s", A)]
    answers = [{"run_id": "r", "question_id": q, "system": s, "answer_key": key} for q, s, key in asked]
    warehouse.append("run_answer", [*answers, {**answers[0], "run_id": "other", "question_id": "q0"}])
    warehouse.append(
        "run_question",
        [{"run_id": "r", "question_id": "q1", "question_key": "k", "nugget_set_key": SET}],
    )
    warehouse.append(
        "run_judge_input", [{"run_id": "r", "question_id": "q1", "system": "t", "input_key": INPUT}]
    )
    warehouse.append("run_listwise_input", [{"run_id": "r", "question_id": "q2", "input_key": ORDER}])
    warehouse.append(
        "mart.claim",
        [
            claim_row("q1", "t", text_key=TEXT),
            claim_row("q2", "s", text_key=TEXT),
            claim_row("q2", "s", text_key=TEXT, claim_id="c2", evidence_key=JOINT),
        ],
    )
    warehouse.append("mart.citation", [citation_row("q2", source_id="pmid:1", state="not_found")])
    warehouse.append(
        "outcome",
        [
            outcome("decompose", A),
            outcome("assign", B + SET),
            outcome("nuggets", SET),
            outcome("judge", f"{INPUT}:{'9' * 32}"),
            outcome("listwise", ORDER),
            outcome("entail", PASSAGE + TEXT),
            outcome("fetch", "pmid:1"),
            outcome("joint", JOINT),
        ],
    )
    rows = warehouse.rows("select stage, question_id, system, n_places, reason from outcomes order by stage")
    assert [tuple(row.values()) for row in rows] == [
        ("assign", "q1", "t", 1, "HTTP 500"),
        ("decompose", "q1", "s", 2, "HTTP 500"),
        ("entail", "q1", "t", 2, "HTTP 500"),
        ("fetch", "q2", "s", 1, "HTTP 500"),
        ("joint", "q2", "s", 1, "HTTP 500"),
        ("judge", "q1", "t", 1, "HTTP 500"),
        ("listwise", "q2", None, 1, "HTTP 500"),
        ("nuggets", "q1", None, 1, "HTTP 500"),
    ]
