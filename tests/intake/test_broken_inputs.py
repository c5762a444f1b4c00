"""Broken inputs of every kind: each ends in one clear line, in quarantine or as the end of the run."""

import gzip
import json
from pathlib import Path

import pytest

from models.intake import BadRow, Intake, IntakeError, read_data, violations

GOOD = {"question_id": "q1", "question": "Is it safe?"}


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def read(folder: Path, name: str, body: bytes) -> list[Intake | BadRow]:
    (folder / name).write_bytes(body)
    return list(read_data(folder).rows)


BAD_LINES = {
    "a line that is no JSON": (
        lines(GOOD) + b"{oops\n",
        (2, "the line is not valid JSON", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1): {oops"),
    ),
    "a line cut short": (
        b'{"question_id": "q1", "question": "Is\n' + lines(GOOD),
        (1, "the line is not valid JSON", 'Unterminated string starting at: line 1 column 35 (char 34): {"question_id": "q1", "question": "Is'),
    ),
    "an array where an object belongs": (lines(GOOD, [1, 2]), (2, "the line is not a JSON object", "[1, 2]")),
    "NaN": (b'{"question_id": "q", "question": NaN}\n', (1, "the line is not valid JSON", 'NaN is not a JSON value: {"question_id": "q", "question": NaN}')),
    "a key that stands twice": (
        b'{"question_id": "q", "question_id": "r"}\n',
        (1, "the line is not valid JSON", "the key 'question_id' stands there twice: {\"question_id\": \"q\", \"question_id\": \"r\"}"),
    ),
    "a NUL byte": (b'{"question_id": "q\x00"}\n', (1, "the line holds a NUL byte", "at byte 19")),
    "Latin-1": ('{"question": "naïve"}\n'.encode("latin-1"), (1, "the line is not UTF-8", "byte 0xef at position 17")),
    "JSON nested too deeply": (b"[" * 100_000 + b"\n", (1, "the JSON is nested too deeply", "[" * 80 + "…")),
}  # fmt: skip


@pytest.mark.parametrize(("body", "seen"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_broken_line_is_named_and_the_others_are_read(
    tmp_path: Path, body: bytes, seen: tuple[int, str, str]
) -> None:
    rows = read(tmp_path, "questions.jsonl", body)
    (bad,) = [row for row in rows if isinstance(row, BadRow)]
    assert (bad.line, bad.rule, bad.observed) == seen
    assert bad.advice and bad.kind == "question" and bad.file.endswith("questions.jsonl")
    assert len(rows) == body.count(b"\n")


BAD_FILES = {
    "an empty file": ("questions.jsonl", b"", "the file is empty; give at least one row"),
    "gzip that breaks off": ("questions.jsonl.gz", gzip.compress(lines(GOOD) * 999)[:-20], "the gzip data is damaged"),
    "text called gzip": ("questions.jsonl.gz", lines(GOOD), "the gzip data is damaged"),
    "no Parquet": ("questions.parquet", b"PAR1nonsense", "not a readable Parquet file"),
    "a CSV of one column": ("questions.csv", b"hello\nworld\n", "line 1: not a header of distinct column names; seen: hello"),
    "a CSV with a column twice": ("questions.csv", b"a,a\n1,2\n", "line 1: not a header of distinct column names; seen: a,a"),
    "a CSV with an open quote": ("questions.csv", b'question_id,question\n"q1,"x\n', "line 2: "),
    "a CSV in Latin-1": ("questions.csv", "question_id,question\nq1,naïve\n".encode("latin-1"), "not UTF-8"),
    "a JSON array that breaks off": ("questions.json", b'[{"question_id": "q1"}, {"ques', "record 2: not valid JSON"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "body", "message"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, body: bytes, message: str) -> None:
    with pytest.raises(IntakeError) as caught:
        read(tmp_path, name, body)
    assert str(caught.value).startswith(f"{tmp_path / name}: {message}")
    assert "\n" not in str(caught.value)


def test_what_is_not_there_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(
        IntakeError, match=r"nowhere: no such file or folder; give a folder with questions\.\*"
    ):
        read_data(tmp_path / "nowhere")
    with pytest.raises(IntakeError, match="no questions.* or answers.* in it"):
        read_data(tmp_path)
    (tmp_path / "answers.jsonl").mkdir()
    (tmp_path / "questions.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "questions.csv").write_bytes(b"question_id,question\n")
    with pytest.raises(
        IntakeError, match=r"questions\.csv and questions\.jsonl both hold questions; keep one"
    ):
        read_data(tmp_path)


BAD_ROWS = {
    "no id": ("question", {"question": "x"}, "question_id is missing or not text", "nothing there"),
    "a blank question": ("question", {**GOOD, "question": "  "}, "question is missing or not text", "  "),
    "a number for a question": ("question", {**GOOD, "question": 7}, "question is missing or not text", "7"),
    "nuggets as one text": ("question", {**GOOD, "nuggets": "a; b"}, "nuggets are not a list of texts", "a; b"),
    "an unknown importance": (
        "question",
        {**GOOD, "nuggets": [{"text": "a", "importance": "high"}]},
        "nuggets are not a list of texts",
        "[{'text': 'a', 'importance': 'high'}]",
    ),
    "half a character": ("question", {**GOOD, "question": "\ud83d x"}, "question holds a NUL byte or half a character", "\\xd83d x"),
    "an escaped NUL": ("answer", {"question_id": "q", "system": "s", "answer": "a\x00b"}, "answer holds a NUL byte or half a character", "a\\x00b"),
    "no system": ("answer", {"question_id": "q", "answer": "a"}, "system is missing or not text", "nothing there"),
    "no answer at all": ("answer", {"question_id": "q", "system": "s"}, "answer is missing or not text", "nothing there"),
    "an answer as a number": ("answer", {"question_id": "q", "system": "s", "answer": 3}, "answer is missing or not text", "3"),
    "citations as a text": (
        "answer",
        {"question_id": "q", "system": "s", "sentences": [{"text": "a", "citations": "PMID:1"}]},
        "sentences are not objects with text and citations",
        "[{'text': 'a', 'citations': 'PMID:1'}]",
    ),
    "references as a text": ("answer", {"question_id": "q", "system": "s", "answer": "a", "references": "x"}, "references are not a list", "x"),
    "an endless answer": ("answer", {"question_id": "q", "system": "s", "answer": "a" * 10_000_001}, "answer is longer than 10,000,000 characters", "10,000,001 characters"),
    "a document without text": ("document", {"id": "d", "title": "t"}, "the document has no text", "nothing there"),
    "a score without a number": (
        "human_score",
        {"question_id": "q", "system": "s", "annotator": "a", "metric": "m", "role": "tune", "score": "good"},
        "neither a score nor a label",
        "good",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "row", "rule", "observed"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_that_breaks_a_rule_is_named(
    kind: str, row: dict[str, object], rule: str, observed: str
) -> None:
    found = violations(kind, [row])  # type: ignore[arg-type]
    assert [(v.row, v.rule, v.observed) for v in found] == [(0, rule, observed)]
    assert found[0].advice and found[0].severity == "warning"


def test_silence_and_five_megabytes_are_valid() -> None:
    answers = [
        {"question_id": "q", "system": "s", "answer": text}
        for text in ("", "I cannot answer that.", "a " * 2_500_000)
    ]
    assert violations("answer", answers) == []


def test_only_the_broken_rows_of_a_chunk_are_named() -> None:
    rows: list[dict[str, object]] = [dict(GOOD) for _ in range(1000)]
    rows[7] = {"question_id": "q8"}
    rows[999] = {"question": "x"}
    assert [(v.row, v.rule) for v in violations("question", rows)] == [
        (999, "question_id is missing or not text"),
        (7, "question is missing or not text"),
    ]


def test_unknown_columns_are_named_once(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_bytes(lines({**GOOD, "colour": 1}, {**GOOD, "colour": 2, "mood": 3}))
    data = read_data(tmp_path)
    assert len(list(data.rows)) == 2
    assert data.warnings == [
        f"{tmp_path / 'questions.jsonl'}: question columns that nothing reads: colour, mood"
    ]


def test_a_blank_nugget_is_left_out_and_the_question_stays(tmp_path: Path) -> None:
    bad, question = read(
        tmp_path, "questions.jsonl", lines({**GOOD, "nuggets": [{"text": "a"}, {"text": " "}]})
    )
    assert isinstance(bad, BadRow) and (bad.rule, bad.observed, bad.kind) == (
        "the nugget is blank",
        "nugget 2 of question q1",
        "nugget",
    )
    assert isinstance(question, Intake) and question.value["nuggets"] == [{"text": "a"}]
