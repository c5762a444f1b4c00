"""One question under several ids → one case of `mart.question`, and the notice of it."""

from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.membership import accept_questions
from medassay.tasks.notices import same_questions
from medassay.tasks.publish import publish_snapshot
from medassay.tasks.run import started_run


def cases(home: Path, *questions: dict[str, Any]) -> list[str | None]:
    """Return the case of each question, in the order of their ids (q0, q1)."""
    rows = [
        {"file": "q", "line": n, "value": {"question_id": f"q{n}", **question}}
        for n, question in enumerate(questions)
    ]
    with started_run(home, Settings("d")) as run:
        accept_questions(run, rows)
        found = run.warehouse.rows("select case_id from new_question order by question_id")
    return [row["case_id"] for row in found]


ASKED = {"question": "Does drug Alpha lower fever?", "reference_answer": "It does."}


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ({}, True),
        ({"question": " does  drug\u00a0ALPHA\u200b lower fever"}, True),
        ({"question": "Does drug Alpha lower fever ?"}, True),
        ({"risk_level": "high", "category": "fever"}, True),
        ({"nuggets": ["It does."]}, True),
        ({"question": "Does drug Alpha lower fevers?"}, False),  # a near duplicate
        ({"messages": "user: What of children?"}, False),
        ({"guidance": "For children."}, False),
        ({"profile": "bioace"}, False),
        ({"reference_answer": "It does not."}, False),
    ],
)
def test_the_same_question_is_one_case(home: Path, other: dict[str, Any], is_same: bool) -> None:
    assert cases(home, ASKED, ASKED | other) == (["q0", "q0"] if is_same else [None, None])


def test_a_case_that_is_given_comes_first(home: Path) -> None:
    one, two = ({**ASKED, "case_id": name} for name in ("one", "two"))
    assert cases(home, ASKED, two, one) == ["one", "two", "one"]
    bare = {"question": "Why?"}
    assert cases(home, bare, {**bare, "nuggets": ["A."]}, {**bare, "nuggets": ["B."]}, bare) == [
        "q0", None, None, "q0",
    ]  # fmt: skip


def test_repeats_are_counted_for_the_notice(warehouse: Warehouse) -> None:
    def row(question_id: str, question: str, case_id: str | None, reference: str) -> dict[str, Any]:
        return {
            "run_id": "r", "question_id": question_id, "question": question, "case_id": case_id,
            "reference_answer": reference, "n_nuggets": 1,
        }  # fmt: skip

    warehouse.append(
        "mart.question",
        [
            *(row(f"a{n}", "Why?", "a0", "So.") for n in range(3)),
            row("b0", "How?", None, "So."),
            row("b1", "How", None, "Not so."),
            row("c0", "When?", "given", "So."),
            row("c1", "Where?", "given", "So."),
        ],
    )
    found = warehouse.rows(statement("statements/notices/same_questions"), ["r"])
    assert [tuple(one.values()) for one in found] == [(True, 3, "a0", 7, 4), (False, 2, "b0", 7, 4)]


def test_a_run_says_how_many_questions_are_independent(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        own = {"run_id": run.run_id, "reference_answer": "So.", "n_nuggets": 1}
        copies = [{**own, "question_id": f"a{n}", "question": "Why?", "case_id": "a0"} for n in range(3)]
        others = [
            {**own, "question_id": f"b{n}", "question": "How?", "reference_answer": f"By {n}."}
            for n in range(2)
        ]
        run.warehouse.append("mart.question", copies + others)
        publish_snapshot(run)
        assert same_questions(home, run.run_id) == [
            "3 of 5 questions repeat 1 under other ids (such as a0, 3 times): the same question counts as one case, so"
            " intervals and tests have 3 independent cases",
            "2 of 5 questions repeat 1 under other ids (such as b0, 2 times): with other references they count as different"
            " cases; where they are one, give them one case_id",
        ]
