"""Edited nuggets: versions that later runs use, as long as what they started from is still given."""

from pathlib import Path
from typing import Any

import pytest

from medassay.models.nuggets.editing import NuggetRow, NuggetRowsUnreadable
from medassay.models.settings import Settings
from medassay.tasks.membership import accept_questions
from medassay.tasks.nuggets.editing import current_rows, import_rows, newest_edits, run_to_edit
from medassay.tasks.progress import watched_by
from medassay.tasks.run import RunRef, started_run
from tests.runs import Told


def question(*nuggets: str, **more: Any) -> dict[str, Any]:
    value = {"question_id": "q", "question": "Q?", "nuggets": [{"text": text} for text in nuggets], **more}
    return {"file": "q.jsonl", "line": 1, "value": value}


def evaluated(home: Path, row: dict[str, Any]) -> RunRef:
    """Accept one question in a run that then counts as finished."""
    with started_run(home, Settings("d")) as run:
        accept_questions(run, [row])
        run.warehouse.execute("update run set state = 'finished'")
    return run


def edit(run: RunRef, editor: str, *texts: str) -> list[str]:
    """Reword the nuggets, in order, as an import does."""
    chosen = run_to_edit(run.warehouse, None)
    rows = [
        NuggetRow("q", f"n{place}", text, "vital", "edited", "") for place, text in enumerate(texts, start=1)
    ]
    return [str(change) for change in import_rows(run.warehouse, chosen, rows, editor)]


def texts(run: RunRef) -> list[str]:
    return [row["text"] for row in run.warehouse.rows("from current_nugget order by position")]


def test_a_later_run_uses_the_newest_edit(home: Path) -> None:
    run = evaluated(home, question("A."))
    assert edit(run, "ann", "B.") == ["q: 1 reworded; version 2"]
    assert edit(run, "bo", "C.") == ["q: 1 reworded; version 3"]
    run = evaluated(home, question("A."))
    assert texts(run) == ["C."]
    asked = "select question_id, n_nuggets, columns('^nuggets?_') from new_question"
    assert run.warehouse.rows(asked) == [
        {
            "question_id": "q", "n_nuggets": 1, "nugget_origin": "edited", "nugget_version": 3,
            "nuggets_edited_by": "bo", "nuggets_reason": None,
        }
    ]  # fmt: skip
    assert run.warehouse.rows("select origin, made_by, provenance from new_nugget") == [
        {
            "origin": "edited",
            "made_by": "bo",
            "provenance": "edited by ann as “B.”; given by the data as “A.”",
        }
    ]


def test_going_back_to_an_earlier_content_is_an_edit_too(home: Path) -> None:
    run = evaluated(home, question("A."))
    for editor, text in (("ann", "B."), ("bo", "A."), ("ann", "B.")):
        edit(run, editor, text)
    (newest,) = newest_edits(run.warehouse).values()
    assert (newest.version, newest.editor) == (4, "ann")
    assert texts(evaluated(home, question("A."))) == ["B."]


def test_an_edit_holds_for_the_nuggets_that_it_started_from(home: Path) -> None:
    edit(evaluated(home, question("A.")), "ann", "B.")
    told = Told()
    with watched_by(told):
        run = evaluated(home, question("Another."))
    assert texts(run) == ["Another."]
    assert [line.partition(" on 2")[0] for line in told.lines] == [
        "question 'q': the data give other nuggets than those that ann edited"
    ]
    assert texts(evaluated(home, question("A."))) == ["B."]


def test_what_was_edited_since_it_was_exported_is_not_undone(home: Path) -> None:
    run = evaluated(home, question("A."))
    exported = current_rows(run.warehouse, run_to_edit(run.warehouse, None))
    edit(run, "ann", "B.")
    with pytest.raises(NuggetRowsUnreadable) as caught:
        import_rows(run.warehouse, run_to_edit(run.warehouse, None), exported, "bo")
    assert caught.value.problems == (
        "question 'q' was exported at version 1 and is now at version 2; export it again and repeat the edit",
    )


def test_an_emptied_question_says_why_it_has_no_nuggets(home: Path) -> None:
    run = evaluated(home, question(reference_answer="Yes."))
    assert (
        run.warehouse.value("select nuggets_reason from new_question")
        == "the nuggets were not made; see outcomes"
    )
    run = evaluated(home, question())
    assert (
        run.warehouse.value("select nuggets_reason from new_question")
        == "the question has no nuggets and no reference answer to make them from"
    )
