"""The table of a judge that compares: other judges' marks of the very same answers stand beside it."""

from math import isnan
from pathlib import Path

import duckdb
import pytest

from medassay.flows.terminal.training import print_compared
from medassay.models.judge_training.baselines import all_tied
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import table_row
from medassay.tasks.judge_training.agreeing import NOT_A_CASE, marks_of_others

RESULTS = """
create table runs as select * from (values
    ('mine', 'clinic', timestamp '2026-01-03', 'c'), ('old', 'clinic', timestamp '2026-01-01', 'm'),
    ('new', 'clinic', timestamp '2026-01-02', 'm'), ('other', 'it''s', timestamp '2026-01-04', 'm')
) as t(run_id, dataset, started_at, judge);
create table answers as select run_id, question_id, system,
    case when run_id = 'new' and question_id = 'q2' then 'Another text.' else question_id || system end as answer
from runs, (values ('q1'), ('q2')) as q(question_id), (values ('a'), ('b')) as s(system);
create table judgements as select * from (values
    ('old', 'q1', 'a', 'm', 1.0), ('new', 'q1', 'a', 'm', 4.0), ('new', 'q1', 'a', 'm', 5.0),
    ('new', 'q1', 'b', 'm', 2.0), ('new', 'q2', 'a', 'm', 3.0), ('new', 'q1', 'b', 'silent', null),
    ('other', 'q1', 'a', 'elsewhere', 3.0)
) as t(run_id, question_id, system, judge, rubric_score)
"""


def case(question_id: str) -> EvaluationCase:
    return EvaluationCase(
        question_id, question_id, "What?", (f"{question_id}a", f"{question_id}b"), ("a", "b"), None, "", None,
        (4.0, 2.0), "people", "strong", status="abstained", reason=NOT_A_CASE,
    )  # fmt: skip


def test_a_card_s_rows_stand_apart_and_the_way_to_marks_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cases = [case(f"q{n}") for n in range(3)]
    tied = table_row(all_tied(cases), cases).as_dict()
    card = {**tied, "judge": "in training: stage 3", "checkpoint": "stage 3", "note": None}
    print_compared([{**tied, "judge": "trained:mine", "gives_marks": False}, card])
    here, apart = capsys.readouterr().out.split(
        "From the judge's card: on the questions it was tested on in training"
    )
    assert "beside others, on 3 pairs that people scored" in here and "stage 3" not in here
    assert "always the commonest order: 1.00 of pairs, – of triples" in here
    assert (
        "judges that mark each answer stand here too after `medassay evaluate DATA --judge embedded`" in here
    )
    assert "in training: stage 3" in apart
    print_compared([{**tied, "gives_marks": True}])
    assert "stand here too" not in capsys.readouterr().out


def test_the_latest_marks_of_the_same_answers_stand_beside_and_no_others(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "results.duckdb")) as results:
        results.execute(RESULTS)
    (marked,) = marks_of_others(tmp_path, "mine", "clinic", [], [case("q1"), case("q2")])
    assert (marked.name, marked.scores[0].tolist()) == ("m", [4.5, 2.0])
    # The answers to q2 have changed since they were marked, or were not marked.
    assert all(isnan(mark) for mark in marked.scores[1])
    assert marks_of_others(tmp_path, "mine", "clin'ic", [], [case("q1")]) == []
