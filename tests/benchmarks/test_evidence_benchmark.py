"""The fit of weights of marks from evidence: what is bad, which questions are kept, and that a part is left out."""

from typing import Any

import numpy as np

from benchmarks.evidence_fit import left_out
from benchmarks.evidence_marks import bad_answers, with_serious


def answer(
    question: str, consensus: str = "Aligned", missing: str = "No", other: str = "No"
) -> dict[str, Any]:
    labels = {"Scientific_Consensus": consensus, "Missing_Content": missing, "Inappropriate_Content": other}
    return {"question_id": question, "labels": labels}


def test_a_question_is_kept_for_one_serious_label() -> None:
    rows = [
        answer("q1"),
        answer("q1", missing="Yes great clinical significance"),
        answer("q2", missing="Yes little clinical significance"),
        answer("q3", consensus="Opposed to consensus"),
    ]
    assert [row["question_id"] for row in with_serious(rows)] == ["q1", "q1", "q3"]
    assert {name: bad.tolist() for name, bad in bad_answers(rows).items()} == {
        "opposed": [False, False, False, True],
        "great missing content": [False, True, False, False],
        "any serious label": [False, True, False, True],
    }


def test_a_part_is_marked_by_what_the_others_chose() -> None:
    """One question says the opposite of the other nineteen: it is marked by theirs all the same."""
    questions = np.repeat([f"q{n:02d}" for n in range(20)], 2)
    bad = np.tile([True, False], 20)
    right = np.where(bad, 0.0, 1.0)
    right[:2] = [1.0, 0.0]
    found, chosen = left_out(questions, {"bad": bad}, [1 - right, right])
    assert found.tolist() == right.tolist()
    assert dict(chosen) == {1: 10}
