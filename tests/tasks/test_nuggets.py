"""Edited nugget sets: versions that later runs use."""

from pathlib import Path

from models.nuggets.editing import NuggetRow
from models.records import Question
from models.settings import Settings
from tasks.editing import newest_edits, store_edit
from tasks.membership import accept_questions, question_row
from tasks.run import started_run

ROW = {
    "file": "q.jsonl",
    "line": 1,
    "value": {"question_id": "q", "question": "Q?", "nuggets": [{"text": "A."}]},
}


def test_a_later_run_uses_the_newest_edit(tmp_path: Path) -> None:
    key = question_row(Question("q", "Q?"))["question_key"]
    with started_run(tmp_path, Settings("d")) as run:
        first = store_edit(
            run.warehouse, key, None, [NuggetRow("q", "", "B.", "vital", "edited", "ann")], "ann"
        )
        second = store_edit(
            run.warehouse, key, first, [NuggetRow("q", "", "C.", "okay", "edited", "bo")], "bo"
        )
        assert newest_edits(run.warehouse) == {key: second}
        accept_questions(run, [ROW])
        assert run.warehouse.value("select nugget_set_key from current_question") == second
        assert run.warehouse.rows(
            "select origin, edited_by, parent_nugget_set_key as parent from nugget_set"
            " where nugget_set_key = ?",
            [second],
        ) == [{"origin": "edited", "edited_by": "bo", "parent": first}]
