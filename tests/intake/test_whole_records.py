"""Nothing that a whole record holds may vanish: it is a row, or it is in quarantine with its place."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, read_data, violations

ASKED = {"question_id": "q1", "question": "Is it safe?"}


def read(folder: Path, *records: object, name: str = "data.jsonl") -> list[Intake | BadRow]:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return list(read_data(path).rows)


def values(rows: list[Intake | BadRow], kind: str) -> list[dict[str, Any]]:
    return [row.value for row in rows if isinstance(row, Intake) and row.kind == kind]


def refused(rows: list[Intake | BadRow], kind: Any) -> list[str]:
    return [v.rule for row in values(rows, kind) for v in violations(kind, [row])[:1]]


@pytest.mark.parametrize("answers", [17, True, [17], [None], {"m": 17}, [["Yes."]]])
def test_answers_that_are_none_are_refused_by_a_rule(tmp_path: Path, answers: object) -> None:
    assert len(refused(read(tmp_path, ASKED | {"answers": answers}), "answer")) == 1


def test_a_single_text_is_the_answer_of_the_system_that_the_file_is_called_after(tmp_path: Path) -> None:
    for answers in ("Yes.", ["Yes."]):
        rows = read(tmp_path, ASKED | {"answers": answers})
        assert values(rows, "answer") == [{"question_id": "q1", "system": "data", "answer": "Yes."}]


def test_one_systems_answer_may_be_a_single_text(tmp_path: Path) -> None:
    expected = [{"question_id": "q1", "system": "m", "answer": "Yes."}]
    for answers in ("Yes.", ["Yes."], {"answer": "Yes."}, {"system": "m", "answer": "Yes."}, {"m": "Yes."}):
        rows = read(tmp_path, ASKED | {"system": "m", "answers": answers})
        assert values(rows, "answer") == expected, answers


def test_documents_may_be_a_map_by_id_or_one_document(tmp_path: Path) -> None:
    expected = [{"id": "d1", "text": "It is safe."}]
    for documents in (
        {"d1": "It is safe."},
        {"d1": {"text": "It is safe."}},
        {"id": "d1", "text": "It is safe."},
    ):
        rows = read(tmp_path, ASKED | {"answers": {"m": "Yes."}, "documents": documents})
        assert values(rows, "document") == expected, documents


@pytest.mark.parametrize(
    "documents", ["It is safe.", 17, ["It is safe."], [None], [17], {"d1": 17}, {"d1": None}]
)
def test_documents_that_are_none_are_refused_by_a_rule(tmp_path: Path, documents: object) -> None:
    assert len(refused(read(tmp_path, ASKED | {"documents": documents}), "document")) == 1


def test_of_results_with_a_bad_item_the_others_are_read(tmp_path: Path) -> None:
    sound = ASKED | {"system": "m", "answer": "Yes."}
    rows = read(tmp_path, {"results": [sound, "oops", None], "documents": {"d1": "T."}, "metrics": {"f1": 1}})
    assert values(rows, "answer") == [{"question_id": "q1", "system": "m", "answer": "Yes."}]
    assert values(rows, "document") == [{"id": "d1", "text": "T."}]
    assert [(row.line, row.observed) for row in rows if isinstance(row, BadRow)] == [
        (1, 'item 2 of results: "oops"'),
        (1, "item 3 of results: null"),
    ]


def test_what_stands_beside_the_rows_of_a_json_file_is_read_or_told(tmp_path: Path) -> None:
    sound = ASKED | {"system": "m", "answer": "Yes."}
    path = tmp_path / "data.json"
    path.write_text(
        json.dumps({"documents": {"d1": "T."}, "results": [sound, 5], "metrics": {"f1": 1}, "n": 2})
    )
    data = read_data(path)
    rows = list(data.rows)
    assert values(rows, "document") == [{"id": "d1", "text": "T."}]
    assert [row.observed for row in rows if isinstance(row, BadRow)] == ["item 2: 5"]
    assert data.warnings == [f"{path}: stands beside the rows and is not read: metrics, n"]


def test_answers_and_documents_in_a_table_of_questions_are_read(tmp_path: Path) -> None:
    rows = read(
        tmp_path, ASKED | {"answers": {"m": "Yes."}, "documents": {"d1": "T."}}, name="questions.jsonl"
    )
    assert [len(values(rows, kind)) for kind in ("question", "answer", "document")] == [1, 1, 1]


def test_a_second_name_for_a_field_that_says_something_else_is_told(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(ASKED | {"system": "m", "answer": "Yes.", "response": "No."}))
    data = read_data(path)
    assert values(list(data.rows), "answer") == [
        {"question_id": "q1", "system": "m", "answer": "Yes.", "response": "No."}
    ]
    assert data.warnings == [f"{path}: answer columns that nothing reads: response"]


def test_a_document_keeps_its_text_beside_its_sections() -> None:
    from medassay.models.intake import to_document
    from medassay.models.records import Section

    sections = [{"label": "A", "text": "One."}]
    assert to_document({"id": "d", "text": "Two.", "sections": sections}).sections == (
        Section("", "Two."),
        Section("A", "One."),
    )
    for text in ("A: One.", "One."):
        assert to_document({"id": "d", "text": text, "sections": sections}).sections == (
            Section("A", "One."),
        )


def test_items_in_are_items_used_and_items_refused(tmp_path: Path) -> None:
    """Over nested forms drawn at random: each numbered item comes out in a row or in what is refused."""
    drawn = random.Random(20)
    for _ in range(100):
        tokens: list[str] = []

        def token(tokens: list[str] = tokens) -> str:
            tokens.append(f"item-{len(tokens)}-")
            return tokens[-1]

        def answer() -> Any:
            said = token()
            return drawn.choice([said, {"system": "m", "answer": said}, {"text": said}, [said]])

        def document() -> Any:
            said = token()
            return drawn.choice([said, {"id": "d", "text": said}, {"title": said}, [said], {"text": [said]}])

        def held(one: Any) -> Any:
            n = range(drawn.randint(0, 3))
            return drawn.choice(
                [lambda: one(), lambda: [one() for _ in n], lambda: {f"key {i}": one() for i in n}]
            )()

        def record() -> dict[str, Any]:
            parts: dict[str, Any] = {"question_id": "q"}
            if drawn.random() < 0.7:
                parts["question"] = token()
            if drawn.random() < 0.3:
                parts["reference_answer"] = token()
            if drawn.random() < 0.7:
                parts["answers"] = held(answer)
            if drawn.random() < 0.5:
                parts["documents"] = held(document)
            return parts

        rows = [record() for _ in range(drawn.randint(1, 3))]
        form = drawn.choice(["lines", "results", "file"])
        if form == "lines":
            text = "".join(json.dumps(row) + "\n" for row in rows)
        else:
            extra = {"documents": held(document)} if drawn.random() < 0.5 else {}
            wrapped = {**extra, "results": [*rows, token()]}
            text = json.dumps(wrapped) + "\n"
        path = tmp_path / ("data.json" if form == "file" else "data.jsonl")
        path.write_text(text, encoding="utf-8")
        told = [
            json.dumps(row.value) if isinstance(row, Intake) else row.observed for row in read_data(path).rows
        ]
        lost = [one for one in tokens if not any(one in said for said in told)]
        assert not lost, (text, lost)
