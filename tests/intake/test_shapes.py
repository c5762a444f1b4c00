"""Every form that is read, to the rows that it becomes."""

import gzip
import json
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from models.intake import BadRow, Intake, read_data, to_answer, to_document, to_question, violations
from models.records import Answer, CitedSpan, Document, GivenNugget, Question, Reference, Section


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
    assert [(row.line, row.value["question"]) for row in rows_of(tmp_path)] == [(2, "a\nb"), (4, "c")]


def test_what_people_call_the_fields() -> None:
    from models.intake.names import canonical

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


def test_sentences_become_one_text_with_cited_spans() -> None:
    value = {
        "question_id": "q",
        "system": "s",
        "sentences": [{"text": "A.", "citations": ["PMID:1"]}, "B.", {"text": "C.", "citations": ["d-1", 2]}],
    }
    assert to_answer(value) == Answer(
        "q", "s", "A. B. C.", (), (CitedSpan(0, 2, ("PMID:1",)), CitedSpan(6, 8, ("d-1", "2")))
    )


def test_records_are_built_from_rows() -> None:
    assert to_question(
        {"question_id": "q", "question": "?", "nuggets": ["a", {"text": "b", "importance": "okay"}]}
    ) == (Question("q", "?", nuggets=(GivenNugget("a", "vital"), GivenNugget("b", "okay"))))
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


def test_bioace_and_trec_biogen_answers(tmp_path: Path) -> None:
    record = {
        "metadata": {"topic_id": "12", "run_id": "team-1", "question": "Why?"},
        "references": ["111", "222"],
        "answer": [{"text": "Because.", "citations": [0, 1]}, {"text": "Also.", "citations": ["333"]}],
    }
    data = read_data(write(tmp_path / "run.jsonl", record))
    assert data.shape == "BioACE / TREC BioGen"
    assert [(row.kind, row.value) for row in data.rows if isinstance(row, Intake)] == [
        ("question", {"question_id": "12", "question": "Why?"}),
        (
            "answer",
            {
                "question_id": "12",
                "system": "team-1",
                "sentences": [
                    {"text": "Because.", "citations": ["PMID:111", "PMID:222"]},
                    {"text": "Also.", "citations": ["PMID:333"]},
                ],
            },
        ),
    ]


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


@pytest.mark.parametrize(
    ("record", "shape", "kinds"),
    [
        (
            {"results": [{"query_id": "1", "query": "?", "gt_answer": "g", "response": "r", "retrieved_context": [{"doc_id": "d", "text": "t"}]}]},
            "RAGChecker",
            ["question", "answer", "document"],
        ),
        ({"qid": "1", "query": "?", "nuggets": [{"text": "n", "importance": "okay"}]}, "nuggetizer", ["question"]),
        ({"query_id": "1", "query": "?", "generated_answer": "a", "passages": {"[1]": "p"}}, "open-rag-eval", ["question", "answer"]),
        ({"pmid": "1", "question": "?", "sections": [], "conclusion": "c"}, "PubMedQA", ["question", "answer"]),
    ],
)  # fmt: skip
def test_peers_forms_are_recognised(tmp_path: Path, record: object, shape: str, kinds: list[str]) -> None:
    data = read_data(write(tmp_path / "peer.jsonl", record))
    rows = [row for row in data.rows if isinstance(row, Intake)]
    assert (data.shape, [row.kind for row in rows]) == (shape, kinds)
    assert [violations(row.kind, [row.value]) for row in rows] == [[]] * len(kinds)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    row = json.dumps({"question_id": "q", "system": "s", "answer": "x" * 1000})
    for name, before, between, after in (("answers.jsonl", "", "\n", "\n"), ("answers.json", "[", ",", "]")):
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        (folder / name).write_text(before + between.join([row] * 20_000) + after)
        data = read_data(folder)
        tracemalloc.start()
        count = sum(1 for _ in data.rows)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 20_000
        assert peak < 12_000_000, name


@pytest.mark.shared_data
def test_kqa_folder_counts_in_equal_counts_out(shared_data: Path) -> None:
    data = read_data(shared_data / "kqa")
    rows = list(data.rows)
    counts = Counter(row.kind for row in rows)
    assert (data.shape, counts) == ("K-QA", {"question": 201, "answer": 15, "human_score": 315, "nugget": 3})


@pytest.mark.shared_data
def test_the_medaesqa_excerpt(shared_data: Path) -> None:
    data = read_data(shared_data / "medaesqa" / "raw_excerpt_q116_M1-M3.json")
    rows = [row for row in data.rows if isinstance(row, Intake)]
    assert (data.shape, [row.value.get("system") for row in rows]) == ("MedAESQA", [None, "M1", "M2", "M3"])
    assert "[" not in rows[0].value["reference_answer"]
    assert "[22014867]" in rows[1].value["answer"]
