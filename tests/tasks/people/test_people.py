"""What people say, taken in: corrections with their history, rules across rows, order, blinding."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.models.people.sheets import (
    ANSWERS,
    ASPECTS,
    BLIND,
    SheetUnreadable,
    read_scores,
    read_sheet,
    write_sheet,
)
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Warehouse
from medassay.tasks.aggregate import aggregate
from medassay.tasks.finished_runs import FinishedRun, finished_run
from medassay.tasks.people.annotating import (
    export_answers,
    export_evaluations,
    import_scores,
)
from medassay.tasks.people.blinding import export_pairs, import_pairs, read_key, shares, write_key
from medassay.tasks.people.evaluations import of_evaluations
from medassay.tasks.people.score_import import Taken, take_scores
from medassay.tasks.run import RunRef
from tests.rows import write_tables
from tests.runs import read_in

Rows = list[dict[str, Any]]
SCORE = {
    "question_id": "q1",
    "system": "a",
    "annotator": "ann",
    "metric": "relevancy",
    "role": "test",
    "score": 3.0,
}


@pytest.fixture
def data(tmp_path: Path) -> Callable[[Rows], Path]:
    """Return a function that writes a data set of two questions and two systems with these human scores."""

    def written(scores: Rows) -> Path:
        tables = {
            "questions": [
                {"question_id": q, "question": f"{q}?", "nuggets": ["It helps."]} for q in ("q1", "q2")
            ],
            "answers": [
                {"question_id": q, "system": s, "answer": f"{s} helps with {q}."}
                for q in ("q1", "q2")
                for s in "ab"
            ],
            **({"human_scores": scores} if scores else {}),
        }
        return write_tables(tmp_path / "clinic", **tables)

    return written


def read(home: Path, folder: Path) -> RunRef:
    """Take a data set in, as a run does first."""
    with read_in(home, Settings(str(folder))) as run:
        return run


def held(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    rows = warehouse.rows("select annotator, metric, score, version, origin from human_score order by all")
    return [tuple(row.values()) for row in rows]


def test_a_correction_takes_the_place_and_the_old_score_stays_in_the_history(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]
) -> None:
    read(home, data([SCORE]))
    read(home, data([SCORE]))
    assert held(warehouse) == [("ann", "relevancy", 3.0, 1, "data")]
    assert take_scores(warehouse, "clinic", [{**SCORE, "score": 5.0}], "sheet") == Taken(0, 1, 0)
    read(home, data([SCORE]))  # the old file takes nothing back
    assert held(warehouse) == [("ann", "relevancy", 5.0, 2, "sheet")]
    read(home, data([{**SCORE, "score": 2.0}]))
    assert held(warehouse) == [("ann", "relevancy", 2.0, 3, "data")]
    history = warehouse.rows("select score, version, origin from human_score_record order by version")
    assert [tuple(row.values()) for row in history] == [(3.0, 1, "data"), (5.0, 2, "sheet"), (2.0, 3, "data")]


def test_rules_that_hold_across_scores(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]
) -> None:
    scores = [
        SCORE,
        SCORE,
        {**SCORE, "score": 4},
        {**SCORE, "annotator": "bo", "role": "tune"},
        {**SCORE, "system": "c"},
        {**SCORE, "question_id": "q9"},
        {**SCORE, "question_id": "q2", "target": "evaluation"},
    ]
    run = read(home, data(scores))
    found = warehouse.rows(
        "select line, rule, observed from rejected_row where run_id = ? order by line", [run.run_id]
    )
    file = data(scores) / "human_scores.jsonl"
    assert [(row["line"], row["rule"]) for row in found] == [
        (3, "the same is scored twice"),
        (4, "an answer is both tune and test"),
        (5, "there is no such answer"),
        (6, "there is no such answer"),
        (7, "the evaluation that is scored names no judge"),
    ]
    assert found[1]["observed"] == f"q1/a is test at {file}:1 and tune here"
    assert held(warehouse) == [("ann", "relevancy", 3.0, 1, "data")]


def judged(home: Path, warehouse: Warehouse, folder: Path, judge: str, mark: int) -> FinishedRun:
    """Return a finished run whose answers a judge has marked."""
    with read_in(home, Settings(str(folder), run_name=judge)) as run:
        aggregate(run)
    warehouse.execute(
        "insert into mart.judgement by name select run_id, question_id, system, $judge as judge, 0 as sample_no,"
        " 'scored' as status, $mark as medical_correctness, $mark as evidence_sufficiency,"
        " $mark as evidence_sufficiency_raw, $mark as response_alignment, $mark as safety, false as has_references,"
        " false as guidance_given, $judge || ' says so' as justification from mart.answer where run_id = $run",
        {"judge": judge, "mark": mark, "run": run.run_id},
    )
    return finished_run(warehouse, judge)


def filled(rows: Any, aspects: tuple[str, ...], value: float) -> dict[str, dict[str, float]]:
    return {row["item"]: dict.fromkeys(aspects, value) for row in rows}


def test_answers_come_before_their_evaluations(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]
) -> None:
    run = judged(home, warehouse, data([]), "j1", 80)
    sheet = export_answers(warehouse, run, "ann", None, "nugget_coverage")
    assert (len(sheet.rows), "system" in write_sheet("csv", ANSWERS, sheet.rows)) == (4, False)
    with pytest.raises(UsageError, match="^ann has scored no answer of run .* yet, and answers come first"):
        export_evaluations(warehouse, run, "ann")
    first = sheet.rows[:1]
    assert import_scores(warehouse, run, "answers", filled(first, ASPECTS, 4.0), "ann", "test") == Taken(
        3, 0, 0
    )
    evaluations = export_evaluations(warehouse, run, "ann")
    assert (len(evaluations.rows), evaluations.n_waiting, evaluations.rows[0]["justification"]) == (
        1,
        3,
        "j1 says so",
    )
    aspects = (*ASPECTS, "reference_correctness")
    assert (
        import_scores(
            warehouse, run, "evaluations", filled(evaluations.rows, aspects, 2.0), "ann", "test"
        ).n_new
        == 4
    )
    with pytest.raises(SheetUnreadable, match="bo has not scored this answer on every aspect yet"):
        import_scores(warehouse, run, "evaluations", filled(evaluations.rows, aspects, 2.0), "bo", "test")
    with pytest.raises(
        SheetUnreadable, match="its answer is kept for test, and no answer is both; say --role test"
    ):
        import_scores(warehouse, run, "answers", filled(first, ASPECTS, 4.0), "bo", "tune")
    with pytest.raises(SheetUnreadable, match="^its items are evaluations: say --step evaluations$"):
        import_scores(warehouse, run, "answers", {"e0": {"fluency": 3.0}}, "ann", "test")
    with pytest.raises(SheetUnreadable, match="^item nowhere: not of run"):
        import_scores(warehouse, run, "answers", {"nowhere": {"relevancy": 1.0}}, "bo", "test")
    again = export_answers(warehouse, run, "ann", None, "nugget_coverage")
    assert [row["item"] for row in again.rows] == [row["item"] for row in sheet.rows]
    assert [row["relevancy"] for row in again.rows if "relevancy" in row] == ["4"]


def test_a_sheet_through_a_spreadsheet() -> None:
    text = write_sheet(
        "csv", ANSWERS, [{"item": "i1", "question": "=cmd()", "answer": "a;b\nc", "relevancy": "5"}]
    )
    assert "'=cmd()" in text
    assert read_scores(read_sheet("csv", text, ANSWERS), ANSWERS) == {"i1": {"relevancy": 5.0}}
    with pytest.raises(SheetUnreadable) as wrong:
        read_scores(read_sheet("csv", text.replace(",5,", ",6,"), ANSWERS), ANSWERS)
    assert wrong.value.problems == ["line 2: relevancy is '6'; write a whole number from 1 to 5"]
    with pytest.raises(SheetUnreadable, match="is it the sheet of another step"):
        read_sheet("csv", text, BLIND)


SHEET = 'item,question,answer,relevancy,fluency,knowledge_correctness\n{}i1,?,"a,b\n;c",5,,4\n'


@pytest.mark.parametrize(
    "text",
    [
        SHEET.format(""),
        "\ufeff" + SHEET.format("").replace(",", ";").replace("a;b\n;c", "a,b;c"),
        SHEET.format("").replace(",", "\t"),
        SHEET.format("").replace(",", "|"),
        SHEET.format("").replace("\n", "\r\n"),
        SHEET.format("").replace("\n", "\r"),
        "sep=,\n" + SHEET.format(""),
        SHEET.format("").replace("knowledge_correctness", "Knowledge Correctness").replace("item", " Item"),
        # What a spreadsheet leaves of rows that somebody emptied, and of columns beyond the last.
        SHEET.format(",,,,,,,\n") + ",,,,,\n\n",
        SHEET.format("").replace("?", "?" * 200_000),
    ],
)  # fmt: skip
def test_a_sheet_from_any_spreadsheet(text: str) -> None:
    assert read_scores(read_sheet("csv", text, ANSWERS), ANSWERS) == {
        "i1": {"relevancy": 5.0, "knowledge_correctness": 4.0}
    }


def test_a_sheet_whose_cells_moved_or_whose_quotes_broke_is_not_guessed_at() -> None:
    for text, said in (
        (SHEET.format("").replace('"a,b\n;c"', "a,b,c"), "line 2: more cells than the header has"),
        (SHEET.format("").replace('c"', "c"), "after line 3: not CSV"),
        (SHEET.format(",?,,5,5,5\n"), "line 2: the item is empty"),
    ):
        with pytest.raises(SheetUnreadable, match=said):
            read_sheet("csv", text, ANSWERS)


def test_blinded_pairs_come_back_as_judges(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path], tmp_path: Path
) -> None:
    one, two = (judged(home, warehouse, data([]), judge, mark) for judge, mark in (("j1", 80), ("j2", 40)))
    pairs = export_pairs(warehouse, one, two, 7, None)
    text = write_sheet("jsonl", BLIND, pairs.rows).replace("j1 says so", "").replace("j2 says so", "")
    assert not any(word in text for word in ("j1", "j2", one.run_id, '"a"', "system"))
    assert sorted(row["side_of_a"] for row in pairs.key) == ["left", "left", "right", "right"]
    key = tmp_path / "key.jsonl"
    write_key(key, pairs.key)
    assert key.stat().st_mode & 0o777 == 0o600
    known = read_key(key)
    prefers_first = {
        row["item"]: {
            "fluency": "left" if row["left_safety"] == 80 else "right",
            "knowledge_correctness": "tie",
        }
        for row in pairs.rows
    }
    assert import_pairs(warehouse, known, prefers_first, "ann") == Taken(8, 0, 0)
    assert import_pairs(warehouse, known, prefers_first, "ann") == Taken(0, 0, 8)
    item = pairs.rows[0]["item"]
    import_pairs(warehouse, known, {row["item"]: {"fluency": "tie"} for row in pairs.rows}, "bo")
    assert import_pairs(warehouse, known, {item: {"fluency": "tie"}}, "ann") == Taken(0, 1, 0)
    found = [row for row in shares(warehouse, one.run_id, two.run_id) if row["field"] == "fluency"]
    assert [(row["annotator"], row["a"], row["tie"], row["b"], row["share_a"]) for row in found] == [
        ("ann", 3, 1, 0, 0.875),
        ("bo", 0, 4, 0, 0.5),
        ("all", 3, 5, 0, 0.6875),
    ]
    assert found[2]["spread"] == pytest.approx(0.2651650429449553, abs=1e-12)
    with pytest.raises(UsageError, match="have no evaluated answer in common"):
        export_pairs(warehouse, one, FinishedRun("other", "clinic", "seed"), 7, None)


def test_agreement_counts_what_people_say_of_evaluations(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]
) -> None:
    one, two = (judged(home, warehouse, data([]), judge, mark) for judge, mark in (("j1", 80), ("j2", 40)))
    scores = [
        {**SCORE, "target": "evaluation", "judge": "j1", "annotator": who, "metric": metric, "score": score}
        for who, metric, score in (("ann", "fluency", 4.0), ("bo", "fluency", 2.0), ("ann", "relevancy", 5.0))
    ]
    take_scores(warehouse, "clinic", scores, "sheet")
    pairs = export_pairs(warehouse, one, two, 7, None)
    sides = {row["item"]: {"fluency": row["side_of_a"]} for row in pairs.key}
    import_pairs(warehouse, {row["item"]: row for row in pairs.key}, sides, "ann")
    found = {
        (row["human_metric"], row["metric"], row["measure"]): (row["value"], row["n"], row["reason"])
        for row in of_evaluations(warehouse, one.run_id)
    }
    few = "1 question is too few for an interval"
    assert found["fluency", "j1", "mean"] == (3.0, 1, few)
    assert found["relevancy", "j1", "mean"] == (5.0, 1, few)
    # bo scored one aspect, which is no mean over both
    assert found["human_score", "j1", "mean"] == (4.5, 1, few)
    assert found["fluency", "j1 over j2", "preferred"] == (
        1.0, 4, "a tie counts half; 2 questions are too few for an interval; the left side was preferred to 0.50",
    )  # fmt: skip
    assert list(of_evaluations(warehouse, two.run_id))[0]["measure"] == "preferred"


def test_what_people_say_of_evaluations_is_of_the_rows_for_testing(
    home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]
) -> None:
    """On the answer for testing both say the same; on the one for tuning, which counts for nothing, the opposite."""
    one = judged(home, warehouse, data([]), "j1", 80)
    said = {("q1", "test"): (4.0, 4.0), ("q1", "tune"): (1.0, 5.0), ("q2", "test"): (2.0, 2.0)}
    scores = [
        {
            **SCORE, "target": "evaluation", "judge": "j1", "annotator": annotator, "metric": metric,
            "question_id": question_id, "system": "a" if role == "test" else "b", "role": role, "score": score,
        }
        for (question_id, role), both in said.items()
        for annotator, score in zip(("ann", "bo"), both, strict=True)
        for metric in ("fluency", "relevancy")
    ]  # fmt: skip
    take_scores(warehouse, "clinic", scores, "sheet")
    found = {
        (row["human_metric"], row["measure"]): (row["value"], row["n"], row["reason"])
        for row in of_evaluations(warehouse, one.run_id)
    }
    few = "2 questions are too few for an interval"
    alpha = "of j1's evaluations; α at the ordinal level of measurement; 2 items are too few for an interval"
    assert found == {
        ("fluency", "mean"): (3.0, 2, few),
        ("fluency", "Krippendorff's α"): (1.0, 2, alpha),
        ("relevancy", "mean"): (3.0, 2, few),
        ("relevancy", "Krippendorff's α"): (1.0, 2, alpha),
        ("human_score", "mean"): (3.0, 2, few),
        ("human_score", "Krippendorff's α"): (1.0, 2, alpha),
    }


def test_the_next_answers_to_score(home: Path, warehouse: Warehouse, data: Callable[[Rows], Path]) -> None:
    run = judged(home, warehouse, data([{**SCORE, "metric": aspect} for aspect in ASPECTS]), "j1", 80)
    warehouse.execute(
        "update mart.score set value = if(system = 'a', 0.2, 0.8), reason = null where metric = 'nugget_coverage'"
    )
    exported = export_answers(warehouse, run, "ann", 2, "nugget_coverage")
    # The level of system b has no label yet; then the question without any.
    assert [(row["question_id"], row["system"]) for row in exported.rows] == [("q2", "b"), ("q1", "b")] or [
        (row["question_id"], row["system"]) for row in exported.rows
    ] == [("q2", "b"), ("q2", "a")]
    with pytest.raises(
        UsageError, match="^--metric safest: not scored in run .*; choose one of .*nugget_coverage"
    ):
        export_answers(warehouse, run, "ann", 2, "safest")
