"""Edit nugget sets: export rows, import new versions for the next run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from medassay.models.keys import content_key
from medassay.models.nuggets.editing import Change, NuggetRow, NuggetRowsUnreadable, changes
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.finished_runs import finished_run
from medassay.tasks.stages.nuggets import given_set_key, store_nuggets

NONE_GIVEN = "none given"


def edit_base(given: Sequence[Row]) -> str:
    """Name what an edit starts from: the nuggets given with the data, or that none were."""
    return given_set_key(list(given)) if given else NONE_GIVEN


@dataclass(frozen=True, slots=True)
class Edit:
    """A question's newest edit, and which given nuggets it holds for."""

    nugget_set_key: str
    given_set_key: str
    version: int
    editor: str
    edited_at: datetime


def newest_edits(warehouse: Warehouse) -> dict[tuple[str, str], Edit]:
    """Return the newest edit of each question, by the question's key and the key of what was given with it."""
    rows = warehouse.rows(
        "select question_key, nugget_set_key, given_set_key, version, editor, edited_at from nugget_edit"
        " qualify row_number() over (partition by question_key, given_set_key order by version desc) = 1"
    )
    return {(row.pop("question_key"), row["given_set_key"]): Edit(**row) for row in rows}


@dataclass(frozen=True, slots=True)
class EditedRun:
    """The run whose questions are edited, by their ids: what holds for each of them now."""

    run_id: str
    dataset: str
    questions: dict[str, Row]


def run_to_edit(warehouse: Warehouse, named: str | None) -> EditedRun:
    """Find a finished run as `finished_run` does, and what holds for each of its questions now.

    Raises:
        WarehouseError: where there is none.
        UsageError: where it is not the one that was named.
    """
    chosen = finished_run(warehouse, named)
    edits = newest_edits(warehouse)
    questions = {}
    for row in warehouse.rows(
        "select run_question.*, question.question from run_question join question using (question_key)"
        " where run_id = ? order by question_id",
        [chosen.run_id],
    ):
        edit = edits.get((row["question_key"], row["given_set_key"]))
        if edit is not None:
            row |= {"nugget_set_key": edit.nugget_set_key, "nugget_version": edit.version}
        questions[row["question_id"]] = row
    return EditedRun(chosen.run_id, chosen.dataset, questions)


def current_rows(warehouse: Warehouse, run: EditedRun) -> list[NuggetRow]:
    """Return the nuggets that hold now for each question of a run, newer edits than the run's own included."""
    sets = sorted({row["nugget_set_key"] for row in run.questions.values() if row["nugget_set_key"]})
    held: dict[str, list[Row]] = {}
    for row in warehouse.rows(
        "select nugget.*, text.text from nugget join text using (text_key)"
        " where nugget_set_key in (select unnest($sets::varchar[])) order by nugget_set_key, position",
        {"sets": sets},
    ):
        held.setdefault(row["nugget_set_key"], []).append(row)
    return [
        NuggetRow(
            question_id,
            f"n{nugget['position'] + 1}",
            nugget["text"],
            nugget["importance"],
            nugget["origin"],
            nugget["made_by"],
            question["nugget_version"],
            question["question"],
            nugget["provenance"] or "",
        )
        for question_id, question in run.questions.items()
        for nugget in held.get(question["nugget_set_key"] or "", [])
    ]


def import_rows(warehouse: Warehouse, run: EditedRun, rows: Sequence[NuggetRow], editor: str) -> list[Change]:
    """Store what a person changed as new versions, all of it or nothing; return the changes by question.

    Raises:
        NuggetRowsUnreadable: when rows name questions that the run does not have, or were exported before an
            edit that they would undo.
    """
    problems = [*strangers(run, rows), *outdated(run, rows)]
    if problems:
        raise NuggetRowsUnreadable(problems)
    found = changes(current_rows(warehouse, run), rows, editor)
    with warehouse.transaction():
        for change in found:
            question = run.questions[change.question_id]
            store_edit(
                warehouse,
                question["question_key"],
                question["given_set_key"],
                change.after,
                editor,
                parent=question["nugget_set_key"],
                version=question["nugget_version"] + 1,
            )
    return found


def strangers(run: EditedRun, rows: Iterable[NuggetRow]) -> list[str]:
    """List the questions that the run does not have."""
    unknown = dict.fromkeys(row.question_id for row in rows if row.question_id not in run.questions)
    return [
        f"question {question_id!r} is not in run {run.run_id} of {run.dataset};"
        " correct its id, or name its run with --run"
        for question_id in unknown
    ]


def outdated(run: EditedRun, rows: Iterable[NuggetRow]) -> list[str]:
    """List the questions that somebody edited after these rows were exported."""
    exported: dict[str, int] = {}
    for row in rows:
        if row.version and row.question_id in run.questions:
            exported[row.question_id] = max(row.version, exported.get(row.question_id, 0))
    return [
        f"question {question_id!r} was exported at version {version} and is now at version {now};"
        " export it again and repeat the edit"
        for question_id, version in exported.items()
        if version != (now := run.questions[question_id]["nugget_version"])
    ]


def store_edit(
    warehouse: Warehouse,
    question_key: str,
    given: str,
    nuggets: Sequence[NuggetRow],
    editor: str,
    *,
    parent: str | None,
    version: int,
) -> str:
    """Store one question's edited nuggets, and return the set's key; the parent stays as it was.

    The set is named by its content, the edit is an event of its own: going back to what was before is an edit too.
    """
    key = content_key(
        {"edited": [[row.nugget, row.importance, row.origin, row.by, row.provenance] for row in nuggets]}
    )
    now = datetime.now(UTC)
    with warehouse.transaction():
        store_nuggets(
            warehouse,
            [
                {
                    "nugget_set_key": key,
                    "position": position,
                    "text": row.nugget,
                    "importance": row.importance,
                    "origin": row.origin,
                    "made_by": row.by,
                    "provenance": row.provenance or None,
                }
                for position, row in enumerate(nuggets)
            ],
        )
        warehouse.insert("nugget_set", [{"nugget_set_key": key, "origin": "edited", "created_at": now}])
        warehouse.append(
            "nugget_edit",
            [
                {
                    "question_key": question_key,
                    "given_set_key": given,
                    "nugget_set_key": key,
                    "parent_nugget_set_key": parent,
                    "version": version,
                    "editor": editor,
                    "edited_at": now,
                }
            ],
        )
    return key
