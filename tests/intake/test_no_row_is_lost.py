"""Rows that are odd but sound are read; of those that are not, each is in quarantine and the others stay."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, IntakeError, read_data, violations

QUESTIONS = "question_id,question\nq1,Is it safe?\n"


def rows_of(folder: Path, **files: str) -> list[Intake | BadRow]:
    for name, body in files.items():
        (folder / name.replace("__", ".")).write_text(body, encoding="utf-8")
    return list(read_data(folder).rows)


def values(rows: list[Intake | BadRow], kind: str) -> list[dict[str, Any]]:
    return [row.value for row in rows if isinstance(row, Intake) and row.kind == kind]


def test_an_answer_in_a_table_is_text_whatever_it_looks_like(tmp_path: Path) -> None:
    answers = (
        "question_id,system,answer\n"
        'q1,a,"{""answer"": ""It is [1]."", ""references"": [{""pmid"": ""1""}]}"\n'
        "q1,b,[1]\nq1,c,{}\n"
    )
    rows = rows_of(tmp_path, questions__csv=QUESTIONS, answers__csv=answers)
    found = values(rows, "answer")
    assert [row["answer"] for row in found] == ["It is [1].", "[1]", "{}"]
    assert found[0]["references"] == [{"pmid": "1"}]
    assert violations("answer", found) == []


def test_columns_without_a_name_that_a_spreadsheet_adds_at_the_end_are_left_out(tmp_path: Path) -> None:
    questions = "question_id,question,,\nq1,Is it safe?,,\nq2,Is it?\nq3,Why?,,because\n"
    first, second, third, *_ = rows_of(
        tmp_path, questions__csv=questions, answers__csv="question_id,system,answer\nq1,a,Yes.,\n"
    )
    assert [row.value["question_id"] for row in (first, second) if isinstance(row, Intake)] == ["q1", "q2"]
    assert isinstance(third, BadRow) and third.observed == "4 cells under 2 columns"


def test_half_a_character_within_an_answer_that_is_json_is_quarantined(tmp_path: Path) -> None:
    answers = [{"question_id": "q1", "system": s, "answer": json.dumps({"answer": t})} for s, t in
               (("a", "cut \ud83d"), ("b", "whole"))]  # fmt: skip
    rows = rows_of(
        tmp_path, questions__csv=QUESTIONS, answers__jsonl="".join(json.dumps(row) + "\n" for row in answers)
    )
    (bad,) = (row for row in rows if isinstance(row, BadRow))
    assert (bad.line, bad.kind, bad.rule) == (1, "answer", "a text cannot be stored")
    assert bad.fields["system"] == "a"
    assert [row["answer"] for row in values(rows, "answer")] == ["whole"]


PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "PubMedQA": ("p", {"pmid": 1, "question": "Q?", "sections": 5, "conclusion": "C."}),
    "RAGChecker": ("r", {"query_id": "1", "query": "Q?", "gt_answer": "G.", "response": "R.", "retrieved_context": 5}),
    "nuggetizer": ("n", {"qid": "1", "query": "Q?", "nuggets": 5}),
    "K-QA": ("k", {"question_id": ["1"], "system": "s", "answer": "A.", "nugget": "N.", "labels": []}),
    "open-rag-eval": ("o", {"query_id": "1", "query": "Q?", "generated_answer": "A.", "passages": 5}),
    "MedAESQA": ("m", {"question_id": "1", "machine_generated_answers": {"a": {"answer_sentences": [None]}}}),
}  # fmt: skip


@pytest.mark.parametrize("form", PEERS)
def test_a_peers_record_of_another_form_is_quarantined_and_the_next_is_read(
    tmp_path: Path, form: str
) -> None:
    name, record = PEERS[form]
    sound = {"question_id": "q2", "question": "Is it?", "system": "a", "answer": "Yes."}
    (tmp_path / f"{name}.jsonl").write_text(
        json.dumps(record) + "\n" + json.dumps(sound) + "\n", encoding="utf-8"
    )
    rows = list(read_data(tmp_path / f"{name}.jsonl").rows)
    (bad,) = (row for row in rows if isinstance(row, BadRow))
    assert (bad.line, bad.rule) == (1, f"the record is not as {form} has it")
    assert values(rows, "answer")[-1]["answer"] == "Yes."


def test_of_one_system_without_an_answer_the_others_are_read(tmp_path: Path) -> None:
    record = {
        "question_id": "1",
        "question": "Q?",
        "machine_generated_answers": {"a": None, "b": {"answer": "B."}},
    }
    rows = rows_of(tmp_path, data__jsonl=json.dumps(record))
    answers = values(rows, "answer")
    assert [(row["system"], row.get("answer")) for row in answers] == [("a", None), ("b", "B.")]
    assert [(one.row, one.rule) for one in violations("answer", answers)] == [
        (0, "answer is missing or not text")
    ]


def test_a_citation_that_names_nothing_is_not_one_called_none(tmp_path: Path) -> None:
    record = {
        "metadata": {"topic_id": 1, "run_id": "r"},
        "responses": [{"text": "So.", "citations": ["7", None]}],
    }
    answers = values(rows_of(tmp_path, data__jsonl=json.dumps(record)), "answer")
    assert answers[0]["sentences"] == [{"text": "So.", "citations": ["PMID:7", None]}]
    assert [one.observed for one in violations("answer", answers)] == ["sentence 1: a citation is null"]


@pytest.mark.parametrize("held", ["answers", "documents"])
def test_a_question_behind_its_answers_is_never_passed_over(tmp_path: Path, held: str) -> None:
    record = {
        held: [{"id": "d", "text": "T.", "system": "a", "answer": "A."}],
        "question_id": "1",
        "question": "Q?",
    }
    with pytest.raises(IntakeError) as error:
        rows_of(tmp_path, data__json=json.dumps(record))
    assert str(error.value) == (
        f"{tmp_path / 'data.json'}:1: question_id stands behind the list of its answers or documents; put it before them"
    )


def test_a_name_that_is_no_utf8_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"donn\xe9es")
    folder.mkdir()
    with pytest.raises(IntakeError) as error:
        read_data(folder)
    assert (
        str(error.value)
        == f"{tmp_path}/donn\\xe9es: the name is not UTF-8; rename it, or the folder that it is in"
    )
