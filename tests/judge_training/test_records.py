from pathlib import Path

import pytest

from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.records import (
    EvaluationCase,
    Exchange,
    ExpertLabel,
    Passage,
    case_key,
    read_cases,
    write_cases,
)

QUESTION, RESPONSES, SYSTEMS = (
    "Does aspirin prevent strokes?",
    ("It does.", "It does not."),
    ("a", "reference"),
)
CASE = EvaluationCase(
    case_id=case_key(QUESTION, RESPONSES, SYSTEMS, "http://x/v1#m", "q1"),
    question_id="q1",
    question=QUESTION,
    responses=RESPONSES,
    systems=SYSTEMS,
    reference="It does not.",
    evaluation="Analyze:\nStep 1: …\nScore:\nDoctor 1: 2 points.\nDoctor 2: 5 points.",
    scores=(2, 5),
    gold=(1.0, 4.0),
    evaluator="http://x/v1#m",
    strength="strong",
    exchanges=(
        Exchange("What is aspirin?", "A drug.", (Passage("medicine", "a.pdf", 3, 0, 7, 0.5, "A drug."),)),
    ),
    expert_labels=(ExpertLabel("ann", True, True, False),),
    quality=0.25,
)


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.jsonl.gz"])
def test_cases_come_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    write_cases(tmp_path / name, [CASE])
    assert read_cases(tmp_path / name) == [CASE]


def test_the_order_of_responses_is_part_of_a_cases_name() -> None:
    assert case_key(QUESTION, RESPONSES[::-1], SYSTEMS[::-1], "e", "q1") != case_key(
        QUESTION, RESPONSES, SYSTEMS, "e", "q1"
    )


def test_the_evaluation_is_part_of_a_cases_name() -> None:
    keys = {case_key(QUESTION, RESPONSES, SYSTEMS, "e", "q1", said) for said in ("", "one", "two")}
    assert len(keys) == 3


@pytest.mark.parametrize(
    ("find", "put", "said"),
    [
        ('"scores": [2, 5]', '"scores": [2]', "no evaluation case (scores has 1 values for 2 responses)"),
        (
            '"scores": [2, 5]',
            '"scores": [2, 6]',
            "no evaluation case (scores are [2, 6]; each is from 1 to 5)",
        ),
        ('"scores": [2, 5]', '"scores": null', "no evaluation case (status is 'scored' and scores are None)"),
        (
            '"strength": "strong"',
            '"strength": "odd"',
            "no evaluation case (strength: Input should be 'strong' or 'weak')",
        ),
        ('"question": "Does', '"qu": "Does', "no evaluation case (question: Field required)"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path: Path, find: str, put: str, said: str) -> None:
    path = tmp_path / "cases.jsonl"
    write_cases(path, [CASE])
    text = path.read_text()
    assert find in text
    path.write_text(text.replace(find, put, 1))
    with pytest.raises(IntakeError) as caught:
        read_cases(path)
    assert str(caught.value) == f"{path}:1: {said}; give a file that `medassay judge-data build` wrote"


def test_a_case_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    write_cases(path, [CASE, CASE])
    with pytest.raises(
        IntakeError, match=f"jsonl:2: case {CASE.case_id} stands at line 1 too; delete one of them"
    ):
        read_cases(path)
