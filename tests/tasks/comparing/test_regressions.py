"""A run against the run before, without Prefect."""

from pathlib import Path

import pytest

from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse
from medassay.tasks.comparing.regressions import (
    Change,
    Regressed,
    change,
    changes,
    newly_contradicted,
    refuse_regressions,
)
from tests.rows import answer_row, run_row


def test_a_fall_beyond_its_interval_is_a_regression() -> None:
    found = change("a", "nugget_coverage", [-0.2, -0.3, -0.1, -0.2, -0.3, -0.1])
    assert found == Change(
        "a", "nugget_coverage", 6, pytest.approx(-0.2), pytest.approx(-0.2938643771527365, abs=1e-9),
        pytest.approx(-0.1061356228472635, abs=1e-9), True, "only 6 questions: the interval assumes normality",
    )  # fmt: skip


def test_of_a_rate_of_something_bad_a_rise_is_the_regression() -> None:
    rising = [0.2, 0.3, 0.1, 0.2, 0.3, 0.1]
    assert change("a", "contradiction_rate", rising).regressed
    assert not change("a", "contradiction_rate", [-value for value in rising]).regressed
    with pytest.raises(Regressed, match=r"a: contradiction_rate rose by 0\.200"):
        refuse_regressions([change("a", "contradiction_rate", rising)], "new", "old")


@pytest.mark.parametrize(
    "differences", [[0.2, -0.3, 0.1, -0.2, 0.3, -0.1], [0.0] * 30, [-0.9] * 5, [0.2, 0.3, 0.1, 0.2, 0.3, 0.1]]
)
def test_what_could_be_chance_or_is_better_is_none(differences: list[float]) -> None:
    assert not change("a", "rubric_score", differences).regressed


def test_the_refusal_names_what_fell() -> None:
    fell = Change("a", "rubric_score", 30, -0.125, -0.2, -0.05, True, None)
    kept = Change("b", "rubric_score", 30, -0.01, -0.2, 0.05, False, None)
    refuse_regressions([kept], "new", "old")
    with pytest.raises(Regressed) as refused:
        refuse_regressions([fell, kept], "new", "old")
    assert str(refused.value) == (
        "a: rubric_score fell by 0.125 (-0.200 to -0.050, 30 questions)\n"
        "worse than run old; run new is published all the same"
    )


def test_a_nugget_that_is_turned_around_now_is_named_in_the_refusal(home: Path, warehouse: Warehouse) -> None:
    states = {
        "old": {"n1": "covered", "n2": "contradicted", "n3": "missing"},
        "new": {"n1": "contradicted", "n2": "contradicted", "n3": "contradicted"},
    }
    for run_id, found in states.items():
        warehouse.append("run", [run_row(run_id)])
        own = {"run_id": run_id, "question_id": "q"}
        warehouse.append("mart.question", [{**own, "question": "?", "n_nuggets": 3}])
        warehouse.append("mart.answer", [answer_row(**own)])
        for name, state in found.items():
            warehouse.insert("text", [{"text_key": name, "text": f"Take {name}."}])
            importance = "okay" if name == "n3" else "vital"
            warehouse.append(
                "mart.nugget",
                [
                    {
                        **own,
                        "nugget_id": name,
                        "text_key": name,
                        "importance": importance,
                        "position": 0,
                        "origin": "given",
                    }
                ],
            )
            warehouse.append(
                "mart.nugget_state",
                [
                    {
                        **own,
                        "system": "s",
                        "nugget_id": name,
                        "state": state,
                        "score": 0.9,
                        "claim_ids": [],
                        "conflict": False,
                        "ambiguous": False,
                        "contrasts": "[]",
                    }
                ],
            )
    publish(warehouse, home, "new")
    turned = newly_contradicted(home, "new", "old")
    assert [(row["nugget_id"], row["importance"], row["before"]) for row in turned] == [
        ("n1", "vital", "covered"), ("n3", "okay", "missing"),
    ]  # fmt: skip
    with pytest.raises(Regressed) as refused:
        refuse_regressions([], "new", "old", turned)
    assert str(refused.value).splitlines()[0] == 's on q: now says the opposite of "Take n1." (was covered)'
    refuse_regressions([], "new", "old", [])


def test_questions_of_a_case_are_one_and_only_what_both_runs_scored_counts(
    home: Path, warehouse: Warehouse
) -> None:
    scores = {"old": [0.9, 0.5, 0.8, None], "new": [0.7, 0.5, 0.5, 0.1]}
    for run_id, values in scores.items():
        warehouse.append("run", [run_row(run_id)])
        for place, value in enumerate(values):
            own = {"run_id": run_id, "question_id": f"q{place}"}
            case = {"case_id": "one" if place < 2 else None}
            warehouse.append("mart.question", [{**own, **case, "question": "?", "n_nuggets": 1}])
            warehouse.append("mart.answer", [answer_row(**own)])
            score = {"system": "s", "profile": "any", "metric": "nugget_coverage", "value": value}
            warehouse.append(
                "mart.score", [{**own, **score, "reason": None if value else "nothing to score"}]
            )
    publish(warehouse, home, "new")
    (found,) = changes(home, "new", "old")
    # The case changed by the mean of -0.2 and 0, the third question by -0.3, and the fourth had no score before.
    assert (found.metric, found.n_questions, found.difference) == ("nugget_coverage", 2, pytest.approx(-0.2))
