import pytest

from models.nuggets.editing import (
    NuggetRow,
    NuggetRowsUnreadable,
    edited,
    from_csv,
    from_jsonl,
    to_csv,
    to_jsonl,
)

ROWS = [
    NuggetRow("q1", "a", 'Aspirin, "low dose", thins blood', "vital", "given", "data", 1),
    NuggetRow("q1", "b", "Fièvre ≥ 38 °C", "okay", "made", "rule", 1),
    NuggetRow("q2", "c", "Rest helps", "vital", "given", "data", 3),
]


def test_out_and_in_again_is_the_same() -> None:
    assert from_csv(to_csv(ROWS)) == ROWS
    assert from_jsonl(to_jsonl(ROWS)) == ROWS
    assert to_csv(ROWS[2:]) == (
        "question_id,nugget_id,nugget,importance,origin,by,version\nq2,c,Rest helps,vital,given,data,3\n"
    )


def test_a_spreadsheet_with_semicolons_and_a_mark_in_front() -> None:
    assert from_csv("\ufeffquestion_id;nugget;importance\nq1;New fact;OKAY\n") == [
        NuggetRow("q1", "", "New fact", "okay", "edited", "", 1)
    ]


def test_every_problem_has_its_line() -> None:
    text = "question_id,nugget,importance,origin,version\nq1,,must,x,one\nq1,same,vital,,\nq1,Same,vital,,\n"
    with pytest.raises(NuggetRowsUnreadable) as caught:
        from_csv(text)
    assert caught.value.problems == (
        "line 2: `nugget` is missing or empty; fill it in",
        "line 2: `importance` is 'must'; write vital or okay",
        "line 2: `origin` is 'x'; leave it as it was exported, or empty for a new nugget",
        "line 2: `version` is 'one'; leave it as it was exported",
        "line 4: the same nugget stands at line 3; delete one of them",
    )


def test_json_lines_that_are_not() -> None:
    with pytest.raises(NuggetRowsUnreadable) as caught:
        from_jsonl('{"question_id": "q1"\n[1]\n')
    assert caught.value.problems == (
        "line 1: not JSON (Expecting ',' delimiter); write one object a line",
        "line 2: a list, not an object; write one object a line",
    )


def test_an_empty_file_is_said() -> None:
    with pytest.raises(NuggetRowsUnreadable, match="no rows; the columns are question_id, nugget_id"):
        from_jsonl("")


def test_only_what_changed_gets_a_version_and_an_editor() -> None:
    after = [
        ROWS[0],
        NuggetRow("q1", "b", "Fever from 38 °C", "okay", "made", "rule", 1),
        NuggetRow("q2", "c", "Rest helps", "vital", "given", "data", 3),
        NuggetRow("q3", "", "A fact of a new question", "vital", "edited", ""),
    ]
    assert edited(ROWS, after, "Dr. Ada") == [
        NuggetRow("q1", "a", 'Aspirin, "low dose", thins blood', "vital", "given", "data", 2),
        NuggetRow("q1", "b", "Fever from 38 °C", "okay", "edited", "Dr. Ada", 2),
        NuggetRow("q3", "", "A fact of a new question", "vital", "edited", "Dr. Ada", 1),
    ]
