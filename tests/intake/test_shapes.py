"""The own form, in every kind of file, to rows and records."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.intake import BadRow, Intake, read_data, to_answer, to_document, to_question
from medassay.models.records import Document, GivenNugget, Question, Reference, Section


def rows_of(path: Path) -> list[Intake]:
    rows = list(read_data(path).rows)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [row for row in rows if isinstance(row, Intake)]


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_one_table_in_every_form(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    record = {"question_id": "q1", "question": "Is it, “safe”?", "nuggets": ["It is."]}
    text = json.dumps(record)
    bodies = {
        "questions.jsonl": text.encode(),
        "questions.jsonl.gz": gzip.compress(text.encode()),
        "questions.ndjson": b"\xef\xbb\xbf" + text.encode() + b"\r\n",
        "questions.json": f"[{text}]".encode(),
        "questions.csv": 'question_id,question,nuggets\nq1,"Is it, “safe”?","[""It is.""]"\n'.encode(),
        "questions.tsv": 'question_id\tquestion\tnuggets\nq1\tIs it, “safe”?\t"[""It is.""]"\n'.encode(),
    }
    for name, body in bodies.items():
        (tmp_path / name).write_bytes(body)
        assert [row.value for row in rows_of(tmp_path / name)] == [record], name
    pq.write_table(pa.Table.from_pylist([record]), tmp_path / "questions.parquet")
    assert [row.value for row in rows_of(tmp_path / "questions.parquet")] == [record]


def test_a_csv_row_over_several_lines_keeps_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text('question_id,question\nq1,"a\nb"\nq2,c\n')
    assert [(row.place.line, row.value["question"]) for row in rows_of(tmp_path)] == [(2, "a\nb"), (4, "c")]


def test_what_people_call_the_fields() -> None:
    from medassay.models.intake.names import canonical

    value = {"id": 7, "question_summary": "s", "expert_answer": "e", "evaluator_notes": ["Do a.", "Don't b."]}
    assert canonical("question", value) == {
        "question_id": "7",
        "question": "s",
        "reference_answer": "e",
        "guidance": "Do a.\nDon't b.",
    }
    assert canonical("answer", {"question_id": "q", "model": "m", "output": "o"}) == {
        "question_id": "q",
        "system": "m",
        "answer": "o",
    }


def test_blanks_around_a_name_are_no_part_of_it() -> None:
    from medassay.models.intake.names import canonical

    assert canonical("answer", {"question_id": " q\n", "model": "\u00a0m ", "output": " o "}) == {
        "question_id": "q",
        "system": "m",
        "answer": " o ",
    }
    score = {"question_id": "q", "system": "m", "annotator": " ada", "metric": "fluency ", "item": "It is. "}
    named = canonical("human_score", score)
    assert (named["annotator"], named["metric"], named["item"]) == ("ada", "fluency", "It is. ")


def test_records_are_built_from_rows() -> None:
    assert to_question(
        {"question_id": "q", "question": "?", "nuggets": ["a", {"text": "b", "importance": "okay"}]}
    ) == (Question("q", "?", nuggets=(GivenNugget("a", "vital"), GivenNugget("b", "okay"))))
    assert to_question({"question_id": "q", "question": "?", "guidance": " \n ", "profile": "Ada "}) == (
        Question("q", "?", profile="Ada ")
    )
    assert to_answer(
        {
            "question_id": "q",
            "system": "s",
            "answer": "x",
            "references": [{"marker": 1, "link": "https://a.example"}, "123"],
        }
    ).references == (Reference(marker="1", url="https://a.example"), Reference(marker="2", pmid="123"))
    assert to_document({"id": "d", "pmid": 9, "sections": {"METHODS": "m"}}) == Document(
        "d", None, (Section("METHODS", "m"),), ("pmid:9",), None
    )


def test_whole_records_with_their_answers(tmp_path: Path) -> None:
    listed = {
        "question_id": "q",
        "question": "?",
        "answers": [{"system": "a", "answer": "x"}, {"system": "b", "answer": "y"}],
    }
    beside = {"question_id": "r", "question": "?", "system": "a", "answer": "z"}
    rows = rows_of(write(tmp_path / "records.jsonl", listed, beside))
    assert [(row.kind, row.value.get("system"), row.value.get("answer")) for row in rows] == [
        ("question", None, None),
        ("answer", "a", "x"),
        ("answer", "b", "y"),
        ("question", None, None),
        ("answer", "a", "z"),
    ]


def test_answers_as_a_map_and_documents_beside_them(tmp_path: Path) -> None:
    record = {
        "id": 5,
        "question": "?",
        "evaluator_notes": "Be kind.",
        "answers": {"a": "x", "b": {"output": "y"}},
        "documents": [{"id": "d", "text": "t"}],
    }
    rows = rows_of(write(tmp_path / "records.jsonl", record))
    assert [(row.kind, row.value) for row in rows] == [
        ("question", {"question_id": "5", "question": "?", "guidance": "Be kind."}),
        ("document", {"id": "d", "text": "t"}),
        ("answer", {"question_id": "5", "system": "a", "answer": "x"}),
        ("answer", {"question_id": "5", "system": "b", "answer": "y"}),
    ]


def test_answers_without_a_questions_file_hold_their_questions(tmp_path: Path) -> None:
    rows = rows_of(
        write(tmp_path / "answers.jsonl", {"qid": "1", "question": "?", "model": "m", "output": ""})
    )
    assert [(row.kind, row.value) for row in rows] == [
        ("question", {"question_id": "1", "question": "?"}),
        ("answer", {"question_id": "1", "system": "m", "answer": ""}),
    ]


@pytest.mark.parametrize("heading", ["output", "Antwort", "model response"])
def test_an_empty_cell_is_silence_only_where_an_answer_stands(tmp_path: Path, heading: str) -> None:
    (tmp_path / "questions.csv").write_text("question_id,question,reference_answer\nq1,?,\n")
    (tmp_path / "answers.csv").write_text(f"question_id;system;{heading}\nq1;a;\n")
    assert [row.value for row in rows_of(tmp_path)] == [
        {"question_id": "q1", "question": "?"},
        {"question_id": "q1", "system": "a", "answer": ""},
    ]


def test_a_table_as_a_spreadsheet_writes_it(tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text(
        "\ufeffsep=;\r\nQuestion Id;QUESTION;Reference Answer;Nuggets;Mood\r\nq1;?;NA;n/a;NA\r\n;;;;\r\n",
        "utf-8",
    )
    (tmp_path / "answers.csv").write_text(
        "Question_ID,System,Output,References\nq1,a,NA,null\nq1,b,,[]\n,,,\n"
    )
    assert [(row.place.line, row.value) for row in rows_of(tmp_path)] == [
        (3, {"question_id": "q1", "question": "?", "reference_answer": "NA", "Mood": "NA"}),
        (
            2,
            {
                "question_id": "q1",
                "system": "a",
                "answer": "NA",
                "failed": "'NA' stands where the answer should: what programs write for nothing",
            },
        ),
        (3, {"question_id": "q1", "system": "b", "answer": "", "references": []}),
    ]


def test_parquet_as_pandas_writes_it(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "question_id": [116.0, 117.0],
            "question": ["?", "!"],
            "category": [None, "x"],
            "risk_level": [float("nan"), 2.0],
            "asked": pd.to_datetime(["2026-11-01", None]),
        }
    )
    frame.to_parquet(tmp_path / "plain.parquet")
    (tmp_path / "questions.parquet.gz").write_bytes(gzip.compress((tmp_path / "plain.parquet").read_bytes()))
    (tmp_path / "plain.parquet").unlink()
    rows = rows_of(tmp_path)
    assert [row.value for row in rows] == [
        {"question_id": "116", "question": "?", "asked": "2026-11-01T00:00:00"},
        {"question_id": "117", "question": "!", "category": "x", "risk_level": "2"},
    ]
    assert json.dumps([row.value for row in rows], allow_nan=False)


def test_json_in_its_other_frames(tmp_path: Path) -> None:
    record = {"question_id": "1", "question": "?"}
    bodies = {
        "wrapped": json.dumps({"version": 1, "data": [record]}),
        "keyed": json.dumps({"1": {"question": "?"}}),
        "one after another": json.dumps(record, indent=2) + "\n",
        "alone": json.dumps(record),
    }
    for name, body in bodies.items():
        (tmp_path / "questions.json").write_text(body, encoding="utf-8")
        (row,) = rows_of(tmp_path)
        assert {n: row.value[n] for n in record} == record, name


def test_the_line_of_a_record_is_where_it_starts(tmp_path: Path) -> None:
    records = [{"question_id": str(n), "question": "a\nb"} for n in range(3)]
    (tmp_path / "questions.json").write_text(json.dumps(records, indent=1), encoding="utf-8")
    assert [row.place for row in rows_of(tmp_path)] == [(2, 1), (6, 2), (10, 3)]


def test_conversations_and_profiles_become_lines() -> None:
    from medassay.models.intake.names import canonical

    value = {
        "question_id": "q",
        "question": "?",
        "profile": {"age": 61, "sex": "female"},
        "messages": [{"role": "patient", "content": "It hurts."}, {"role": "doctor", "content": "Where?"}],
        "nuggets": [{"nugget": "a", "importance": " Vital "}, {"text": "b", "importance": None}],
    }
    assert canonical("question", value) == {
        "question_id": "q",
        "question": "?",
        "profile": "age: 61\nsex: female",
        "messages": "patient: It hurts.\ndoctor: Where?",
        "nuggets": [{"text": "a", "importance": "vital"}, {"text": "b"}],
    }


def test_human_scores_are_complete_and_numbers_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "human_scores.csv").write_text(
        "question_id,system,rater,metric,score,role,label\n1,s,ann,fluency,3.5,tune,\n1,s,ann,overall,,test,good\n"
    )
    common = {
        "question_id": "1",
        "system": "s",
        "annotator": "ann",
        "target": "answer",
        "judge": "",
        "item": "",
    }
    assert [row.value for row in rows_of(tmp_path)] == [
        {**common, "metric": "fluency", "score": 3.5, "role": "tune"},
        {**common, "metric": "overall", "role": "test", "label": "good"},
    ]


def test_what_a_label_is_of_is_known_by_its_metric() -> None:
    from medassay.models.intake.names import canonical

    label = {"question_id": "q", "metric": "nugget_label", "label": "covered", "item": "It helps."}
    assert canonical("human_score", label)["target"] == "nugget"
    assert canonical("human_score", {**label, "metric": "accurate"})["target"] == "answer"
    assert canonical("human_score", {**label, "target": "answer"})["target"] == "answer"


def test_a_document_may_be_known_by_its_identifier_alone(tmp_path: Path) -> None:
    (row,) = rows_of(write(tmp_path / "documents.jsonl", {"pmid": 9, "abstract": "t"}))
    assert to_document(row.value) == Document("pmid:9", None, (Section("", "t"),), ("pmid:9",), None)


def test_references_as_people_write_them() -> None:
    listed = [
        {"PMID": 9.0},
        "https://a.example/x",
        {"label": "[b]", "link": "l", "passage": "p"},
        {"id": " d-1 "},
        "PMID: 123456",
        "pmid 9",
        "PMC77, doi:10.1000/XYZ",
        "NCT01234567",
        "https://doi.org/10.1000/x",
        "Lee A. Aspirin. Lancet 2020. PMID: 5",
        "just a title",
        7.0,
    ]
    value = {"question_id": "q", "system": "s", "answer": "x", "references": listed}
    assert to_answer(value).references == (
        Reference(marker="1", pmid="9"),
        Reference(marker="2", url="https://a.example/x"),
        Reference(marker="[b]", url="l", content="p"),
        Reference(marker="4", document="d-1"),
        Reference(marker="5", pmid="123456"),
        Reference(marker="6", pmid="9"),
        Reference(marker="7", pmcid="PMC77", doi="10.1000/xyz"),
        Reference(marker="8", nct="NCT01234567"),
        Reference(marker="9", doi="10.1000/x"),
        Reference(marker="10", pmid="5", title="Lee A. Aspirin. Lancet 2020. PMID: 5"),
        Reference(marker="11", title="just a title"),
        Reference(marker="12", pmid="7"),
    )


def test_an_answer_written_as_json_is_read_by_what_it_holds(tmp_path: Path) -> None:
    held = {"answer": "INR rises [1].", "references": [{"id": 1, "pmid": "9605759"}], "confidence": 0.9}
    other = [{"marker": "1", "pmid": "1"}]
    write(
        tmp_path / "answers.jsonl",
        {"question_id": "q", "system": "a", "answer": json.dumps(held)},
        {
            "question_id": "q",
            "system": "b",
            "answer": f"```json\n{json.dumps(held, indent=1)}\n```\n",
            "references": other,
        },
        {"question_id": "q", "system": "c", "answer": '{"risk": "high"}'},
        {"question_id": "q", "system": "d", "answer": "{INR} rises."},
        {
            "question_id": "q",
            "system": "e",
            "answer": json.dumps({"answer": "It helps.", "citations": [1, 2]}),
        },
    )
    data = read_data(tmp_path / "answers.jsonl")
    rows = [row.value for row in data.rows if isinstance(row, Intake)]
    assert [(row["answer"], row.get("references")) for row in rows] == [
        ("INR rises [1].", held["references"]),
        ("INR rises [1].", other),
        ('{"risk": "high"}', None),
        ("{INR} rises.", None),
        ("It helps.", None),
    ]
    assert data.warnings == [
        f"{tmp_path / 'answers.jsonl'}: 3 answers written as JSON: what it holds as text and references is read"
    ]
    assert to_answer(rows[0]).references[0].pmid == "9605759"
