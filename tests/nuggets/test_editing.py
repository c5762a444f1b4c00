import pytest

from medassay.models.nuggets.editing import (
    NuggetRow,
    NuggetRowsUnreadable,
    changes,
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
        "question_id,nugget_id,nugget,importance,origin,by,version,question\nq2,c,Rest helps,vital,given,data,3,\n"
    )


def test_a_spreadsheet_with_semicolons_and_a_mark_in_front() -> None:
    assert from_csv("\ufeffquestion_id;nugget;importance\nq1;New fact;OKAY\n") == [
        NuggetRow("q1", "", "New fact", "okay", "edited", "", 0)
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


def test_a_file_without_its_columns_and_rows_that_spill_over() -> None:
    with pytest.raises(NuggetRowsUnreadable) as caught:
        from_csv("id,text\n1,a\n")
    assert caught.value.problems == (
        "line 1: no column question_id and no column nugget; "
        "the columns are question_id, nugget_id, nugget, importance, origin, by, version, question",
    )
    with pytest.raises(NuggetRowsUnreadable) as caught:
        from_csv("question_id,nugget\nq1,Aspirin, low dose\n")
    assert caught.value.problems == (
        "line 2: more cells than the header has; put texts that hold commas between quotes",
    )
    with pytest.raises(NuggetRowsUnreadable, match="after line 2: not CSV"):
        from_csv('question_id,nugget\nq1,"open\n')


def test_only_what_changed_gets_a_version_and_an_editor() -> None:
    after = [
        ROWS[0],
        NuggetRow("q1", "b", "Fever from 38 °C", "okay", "made", "rule", 1),
        ROWS[2],
        NuggetRow("q3", "", "A fact of a new question", "vital", "edited", ""),
    ]
    first, new = changes(ROWS, after, "Dr. Ada")
    assert first.after == (
        NuggetRow("q1", "a", 'Aspirin, "low dose", thins blood', "vital", "given", "data", 2),
        NuggetRow(
            "q1", "b", "Fever from 38 °C", "okay", "edited", "Dr. Ada", 2,
            provenance="made by rule as “Fièvre ≥ 38 °C”",
        ),
    )  # fmt: skip
    assert new.after == (
        NuggetRow(
            "q3",
            "",
            "A fact of a new question",
            "vital",
            "edited",
            "Dr. Ada",
            2,
            provenance="added by Dr. Ada",
        ),
    )
    assert [str(change) for change in (first, new)] == ["q1: 1 reworded; version 2", "q3: 1 added; version 2"]


def test_order_grade_and_removal_are_changes_too() -> None:
    rows = [NuggetRow("q", f"n{i}", text, "vital", "given", "data", 1) for i, text in enumerate("abc", 1)]
    assert changes(rows, rows, "x") == []
    said = [
        str(change)
        for after in (
            [rows[1], rows[0], rows[2]],
            rows[:2],
            [rows[0], NuggetRow("q", "n2", "b", "okay", "given", "data", 1), rows[2]],
            [*rows, NuggetRow("q", "n1", "d", "vital", "given", "data", 1)],
        )
        for change in changes(rows, after, "x")
    ]
    assert said == [
        "q: reordered; version 2",
        "q: 1 removed; version 2",
        "q: 1 regraded; version 2",
        "q: 1 added; version 2",
    ]


def test_what_a_spreadsheet_does_to_spaces_is_no_edit() -> None:
    given = NuggetRow("q", "n1", "Twice  daily\nwith food", "vital", "given", "data", 1)
    assert changes([given], from_csv(to_csv([given])), "x") == []


def test_nuggets_given_twice_stay_two() -> None:
    twice = [NuggetRow("q", name, "Rest helps", "vital", "given", "data", 1) for name in ("n1", "n2")]
    assert changes(twice, from_csv(to_csv(twice)), "x") == []
