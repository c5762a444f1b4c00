"""Broken inputs of every kind: each ends in one clear line, in quarantine or as the end of the run."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from medassay.models.intake import BadRow, Intake, IntakeError, Kind, read_data, read_rows, violations
from medassay.models.intake.expectations import may_break
from medassay.models.intake.rules import RULES, Rule

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"question_id": "q1", "question": "Is it safe?"}
AS_UTF8 = "remove it, or write the file as UTF-8"
MEND_LINE = "mend the line; one JSON object a line"
ICONV = "convert the file: iconv -f latin1 -t utf-8"
ICONV_WINDOWS = "convert the file: iconv -f cp1252 -t utf-8"
MEND_FILE = "mend the file, or write it again"


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def parquet(table: dict[str, list[object]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    body = io.BytesIO()
    pq.write_table(pa.table(table), body)
    return body.getvalue()


def read(folder: Path, name: str, body: bytes) -> list[Intake | BadRow]:
    (folder / name).write_bytes(body)
    return list(read_data(folder).rows)


BAD_LINES = {
    "a line that is no JSON": (
        "questions.jsonl",
        lines(GOOD) + b"{oops\n",
        (2, "the line is not valid JSON", "Expecting property name enclosed in double quotes at character 2: {oops", MEND_LINE),
    ),
    "a line cut short": (
        "questions.jsonl",
        b'{"question_id": "q1", "question": "Is\n' + lines(GOOD),
        (1, "the line is not valid JSON", 'Unterminated string starting at at character 35: {"question_id": "q1", "question": "Is', MEND_LINE),
    ),
    "an array where an object belongs": (
        "questions.jsonl", lines(GOOD, [1, 2]), (2, "not a JSON object", "[1, 2]", "write an object with named fields"),
    ),
    "a text where an object belongs": (
        "questions.json", lines([GOOD, "q2"]), (1, "not a JSON object", 'item 2: "q2"', "write an object with named fields"),
    ),
    "an infinite number": (
        "questions.jsonl",
        b'{"question_id": "q", "question": Infinity}\n',
        (1, "the line is not valid JSON", 'Infinity is not a JSON value: {"question_id": "q", "question": Infinity}', MEND_LINE),
    ),
    "a number beyond all numbers": (
        "questions.jsonl",
        b'{"question_id": "q", "risk_level": 1e999}\n',
        (1, "the line is not valid JSON", '1e999 is too large a number: {"question_id": "q", "risk_level": 1e999}', MEND_LINE),
    ),
    "a whole number of more digits than are read": (
        "questions.jsonl",
        b'{"question_id": ' + b"9" * 5000 + b"}\n",
        (1, "the line is not valid JSON", '99999999999999999999… is too large a number: {"question_id": 99999999999999999999999999999999999999999999…', MEND_LINE),
    ),
    "a key that stands twice": (
        "questions.jsonl",
        b'{"question_id": "q", "question_id": "r"}\n',
        (1, "the line is not valid JSON", "the key 'question_id' stands there twice: {\"question_id\": \"q\", \"question_id\": \"r\"}", MEND_LINE),
    ),
    "a NUL byte": ("questions.jsonl", b'{"question_id": "q\x00"}\n', (1, "the line holds a NUL byte", "at byte 19", "remove it, or write the file as UTF-8")),
    "an escaped NUL": ("questions.jsonl", lines({**GOOD, "guidance": "a\x00b"}), (1, "a text cannot be stored", "a NUL character in guidance", AS_UTF8)),
    "half a character": ("questions.jsonl", lines({**GOOD, "nuggets": ["x", {"text": "\ud83d y"}]}), (1, "a text cannot be stored", "half a character in nuggets[2].text", AS_UTF8)),
    "Latin-1": ("questions.jsonl", '{"question": "naïve"}\n'.encode("latin-1"), (1, "the line is not UTF-8", "byte 0xef at position 17", ICONV)),
    "Latin-1 in an array": (
        "questions.json",
        '[{"question_id": "q", "question": "naïve"}]'.encode("latin-1"),
        (1, "a text cannot be stored", "item 1: byte 0xef, which is not UTF-8, in question", ICONV),
    ),
    "Latin-1 in a CSV": (
        "questions.csv",
        "question_id,question\nq1,ok\nq2,naïve\n".encode("latin-1"),
        (3, "a text cannot be stored", "byte 0xef, which is not UTF-8, in question", ICONV),
    ),
    "one line of another encoding in a file of UTF-8": (
        "questions.jsonl",
        '{"question_id": "q", "question": "naïve"}\n'.encode() + b'{"question": "na\xefve"}\n',
        (2, "the line is not UTF-8", "byte 0xef at position 17", "convert this row alone: other text in the file is UTF-8"),
    ),
    "JSON nested too deeply": ("questions.jsonl", b"[" * 100_000 + b"\n", (1, "the JSON is nested too deeply", "[" * 80 + "…", "flatten it")),
    "a stray quote in a CSV": (
        "questions.csv",
        b'question_id,question\n"q1,"x\nq2,fine\n',
        (2, "the row's quotes are broken", "',' expected after '\"'", "double a quote within quotes"),
    ),
    "a CSV row too short": (
        "questions.csv",
        b"question_id,question\nq1\nq2,fine\n",
        (
            2, "the row does not fit the header", "1 cells under 2 columns",
            "give every column a cell, empty or not, and quote cells that hold line breaks",
        ),
    ),
    "a CSV row too long": (
        "questions.csv",
        b"sep=;\nquestion_id;question\n;\nq1;Is it; or not?\nq2;fine\n;;\n",
        (4, "the row does not fit the header", "3 cells under 2 columns", "quote cells that hold the separator"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "body", "seen"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_broken_line_is_named_and_the_others_are_read(
    tmp_path: Path, name: str, body: bytes, seen: tuple[int, str, str, str]
) -> None:
    rows = read(tmp_path, name, body)
    (bad,) = [row for row in rows if isinstance(row, BadRow)]
    assert (bad.line, bad.rule, bad.observed, bad.advice) == seen
    assert bad.kind == "question" and bad.file == str(tmp_path / name)


def test_every_row_of_a_file_is_told_the_same_conversion(tmp_path: Path) -> None:
    """A dash of Windows in the last row says what the bytes of the first are, whatever the file's form."""
    texts = ("naïve", "5 – 10 mg")
    records = [json.dumps({**GOOD, "question": text}, ensure_ascii=False) for text in texts]
    bodies = {
        "questions.csv": "".join(
            f"{text}\n" for text in ("question_id,question", *(f"q,{t}" for t in texts))
        ),
        "questions.jsonl": "".join(f"{record}\n" for record in records),
        "questions.json": f"[{', '.join(records)}]",
    }
    for name, body in bodies.items():
        rows = read(tmp_path, name, body.encode("cp1252"))
        assert [row.advice for row in rows if isinstance(row, BadRow)] == [ICONV_WINDOWS] * 2, name
        (tmp_path / name).unlink()


QUESTION_COLUMNS = "question_id, question, case_id, category, criteria, guidance, messages, must_ask, nuggets, profile, red_flags, reference_answer, risk_level"
EMPTY = ": the file holds no row; give at least one, or remove the file"
BAD_FILES = {
    "an empty file": ("questions.jsonl", b"", EMPTY),
    "an empty array": ("questions.json", b"[]", EMPTY),
    "a header without rows": ("questions.csv", b"question_id,question\n", EMPTY),
    "one value over many lines": (
        "questions.jsonl", json.dumps(GOOD, indent=1).encode(), ":1: one JSON value over many lines, not one a line; name it .json",
    ),
    "UTF-16": ("questions.jsonl", json.dumps(GOOD).encode("utf-16"), ": the file is UTF-16; convert it: iconv -f utf-16 -t utf-8"),
    "gzip that breaks off": (
        "questions.jsonl.gz",
        gzip.compress(lines(GOOD) * 999)[:-20],
        ": the gzip data is damaged (Compressed file ended before the end-of-stream marker was reached); write the file again",
    ),
    "text called gzip": ("questions.jsonl.gz", lines(GOOD), ": the gzip data is damaged (Not a gzipped file (b'{\"')); write the file again"),
    "gzip called text": ("questions.jsonl", gzip.compress(lines(GOOD)), ": the file is gzipped; give its name the ending .gz"),
    "no Parquet": (
        "questions.parquet",
        b"PAR1nonsense",
        ": not a readable Parquet file (Parquet magic bytes not found in footer. Either the file is corrupted or this is…); write it again",
    ),
    "Parquet of other columns": (
        "questions.parquet", parquet({"a": [1], "b": [2]}), f":1: none of the columns is known: a, b; give the names in the first line: {QUESTION_COLUMNS}",
    ),
    "a CSV of one column": ("questions.csv", b"hello\nworld\n", ":1: no header of two or more distinct names: hello; name every column once"),
    "a CSV without a header": (
        "questions.csv", b"q1,Is it safe?\nq2,Is it?\n", f":1: none of the columns is known: q1, Is it safe?; give the names in the first line: {QUESTION_COLUMNS}",
    ),
    "a CSV without a column": (
        "questions.csv", b"question_id,quesiton\nq1,x\n", ":1: no column question; there are question_id, quesiton; add it",
    ),
    "answers without two columns": (
        "answers.csv", b"question_id,text\nq1,x\n", ":1: no column system and no answer or sentences or messages or turns; there are question_id, text; add it",
    ),
    "a CSV with an open quote": (
        "questions.csv", b'question_id,question\nq1,ok\nq2,"x\nq3,fine\n', ":3: a quote opened here is never closed; mend the quoting",
    ),
    "a JSON array that breaks off in a record": (
        "questions.json",
        b'[{"question_id": "q1"}, {"ques',
        f':1: not valid JSON (Unterminated string starting at), at item 2: "ques; {MEND_FILE}',
    ),
    "a JSON array without a comma": (
        "questions.json", b'[{"question_id": "q1"}\n{}]', f":2: not valid JSON (',' or ']' is missing), at item 1: {{}}]; {MEND_FILE}",
    ),
    "a word after a JSON array": (
        "questions.json", lines([GOOD]) + b"end", f":2: not valid JSON (no array and no object), at item 1: end; {MEND_FILE}",
    ),
    "a JSON array nested too deeply": ("questions.json", b"[" * 100_000, f":1: not valid JSON (nested too deeply), at item 1: {'[' * 40}; {MEND_FILE}"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "body", "message"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, body: bytes, message: str) -> None:
    with pytest.raises(IntakeError) as caught:
        read(tmp_path, name, body)
    assert str(caught.value) == f"{tmp_path / name}{message}"


def test_an_error_in_a_long_file_is_found_where_it_stands(tmp_path: Path) -> None:
    body = b'[{"question_id": "q1", "question": "?"},\n {"question_id" 2}' + b" " * 5_000_000 + b"]"
    with pytest.raises(IntakeError, match=r"questions\.json:2: not valid JSON \(Expecting ':' delimiter\)"):
        read(tmp_path, "questions.json", body)


def test_what_is_not_there_says_what_to_give(tmp_path: Path) -> None:
    def message() -> str:
        with pytest.raises(IntakeError) as caught:
            list(read_data(tmp_path / "data").rows)
        return str(caught.value).removeprefix(f"{tmp_path}/")

    assert (
        message() == "data: no such file or folder; give a folder with questions.* and answers.*, or one file"
    )
    (tmp_path / "data").mkdir()
    forms = ".jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx"
    (tmp_path / "data" / "answers.docx").write_bytes(b"PK")
    assert message() == f"data/answers.docx: not a form that is read; save it as {forms}"
    (tmp_path / "data" / "answers.docx").unlink()
    assert (
        message()
        == f"data: no questions.*, no answers.* and no other data file in it; give one of them as {forms}"
    )
    (tmp_path / "data" / "questions.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "data" / "questions.csv").write_bytes(b"question_id,question\n")
    assert message() == "data: questions.csv and questions.jsonl both hold questions; keep one of them"


def test_a_link_that_leads_nowhere_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    data, share = tmp_path / "data", tmp_path / "share"
    data.mkdir()
    (data / "questions.jsonl").write_bytes(lines(GOOD))
    (data / "documents.jsonl").symlink_to(share / "documents.jsonl")
    (data / "answers.jsonl").symlink_to("answers.jsonl")
    with pytest.raises(IntakeError) as caught:
        read_data(data)
    assert sorted(str(caught.value).splitlines()) == [
        f"{data}/answers.jsonl: a link that leads round in a circle; let it lead to a file, or remove it",
        f"{data}/documents.jsonl: a link to {share}/documents.jsonl, where nothing is;"
        " mount or restore what it leads to, or remove the link",
    ]
    (tmp_path / "link").symlink_to(share)
    with pytest.raises(IntakeError, match="link: a link to .*share, where nothing is; mount or restore"):
        read_data(tmp_path / "link")


def test_a_folder_under_a_tables_name_is_told_of(tmp_path: Path) -> None:
    forms = ".jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx"
    (tmp_path / "questions.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "documents").mkdir()
    assert read_data(tmp_path).warnings == [
        f"{tmp_path}/documents: a folder, not read; save what it holds in one file as {forms}"
    ]
    (tmp_path / "documents.csv").write_bytes(b"id,text\nd,It is so.\n")
    assert read_data(tmp_path).warnings == []
    (tmp_path / "answers.jsonl").mkdir()
    with pytest.raises(IntakeError) as caught:
        read_data(tmp_path)
    said = "a folder stands where a file was expected; give the file in it"
    assert str(caught.value) == f"{tmp_path}/answers.jsonl: {said}"


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medassay.models.intake.json_forms.LONGEST_RECORD", 1000)
    for name, message in (
        ("a.jsonl", ":2: a line without end; write one JSON object a line"),
        ("a.json", ":2: a JSON value without end; write an array of objects"),
    ):
        path = tmp_path / name
        path.write_bytes(lines(GOOD) + b'{"question": "' + b"x" * 3_000_000)
        with pytest.raises(IntakeError) as caught:
            list(read_rows(path))
        assert str(caught.value) == f"{path}{message}"


def test_what_lies_beside_the_tables_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "._questions.jsonl").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / "old.parquet").write_bytes(b"")
    data = read_data(tmp_path)
    assert len(list(data.rows)) == 1
    assert data.warnings == [f"{tmp_path / 'old.parquet'}: not read; the file holds no row"]


def test_a_file_whose_name_says_nothing_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "data.docx"
    path.write_bytes(b"PK")
    with pytest.raises(IntakeError) as caught:
        read_data(path)
    assert str(caught.value) == (
        f"{path}: not a form that is read; use .jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx"
    )


ANSWER = {"question_id": "q", "system": "s"}
SCORE = {"question_id": "q", "system": "s", "annotator": "a", "metric": "m", "role": "tune", "score": 1}
BAD_ROWS: dict[str, tuple[Kind, dict[str, object], str, str]] = {
    "no id": ("question", {"question": "x"}, "question_id is missing or not text", "nothing there"),
    "a blank question": ("question", {**GOOD, "question": "  "}, "question is missing or not text", '"  "'),
    "a list for a risk": ("question", {**GOOD, "risk_level": ["high"]}, "risk_level is not text", '["high"]'),
    "nuggets as one text": ("question", {**GOOD, "nuggets": "a; b"}, "nuggets are not a list of texts", '"a; b"'),
    "a nugget as a number": ("question", {**GOOD, "nuggets": ["a", 2]}, "nuggets are not a list of texts", "nugget 2: no text in 2"),
    "points in words": (
        "question", {**GOOD, "criteria": [{"text": "Says to rest", "points": "many"}]},
        "criteria are not a list of texts with points", 'criterion 1: points is "many"',
    ),
    "an unknown importance": (
        "question", {**GOOD, "nuggets": [{"text": "a", "importance": "high"}]}, "nuggets are not a list of texts", 'nugget 1: importance "high"',
    ),
    "an escaped NUL": ("answer", {**ANSWER, "answer": "a\x00b"}, "a text cannot be stored", "a NUL character in answer"),
    "a lost alphabet": ("answer", {**ANSWER, "answer": "\ufffd\ufffdok"}, "answer is full of replacement characters", '"��ok"'),
    "no system": ("answer", {"question_id": "q", "answer": "a"}, "system is missing or not text", "nothing there"),
    "no answer at all": ("answer", ANSWER, "answer is missing or not text", "nothing there"),
    "an endless answer": ("answer", {**ANSWER, "answer": "a" * 10_000_001}, "answer is longer than 10,000,000 characters", "10,000,001 characters"),
    "endless sentences": (
        "answer", {**ANSWER, "sentences": [{"text": "a" * 6_000_000}] * 2}, "answer is longer than 10,000,000 characters", "12,000,000 characters",
    ),
    "sentences as a text": ("answer", {**ANSWER, "sentences": "A. B."}, "sentences are not objects with text and citations", '"A. B."'),
    "citations as a text": (
        "answer",
        {**ANSWER, "sentences": ["x", {"text": "a", "citations": "PMID:1"}]},
        "sentences are not objects with text and citations",
        'sentence 2: citations is "PMID:1"',
    ),
    "a citation as null": (
        "answer",
        {**ANSWER, "sentences": [{"text": "a", "citations": ["PMID:1", None]}]},
        "sentences are not objects with text and citations",
        "sentence 1: a citation is null",
    ),
    "a reference within a reference": (
        "answer", {**ANSWER, "answer": "a", "references": ["1", {"pmid": ["1", "2"]}]}, "references cannot be read", 'reference 2: pmid is ["1", "2"]',
    ),
    "a document without text": ("document", {"id": "d", "title": "t"}, "the document has no text", "nothing there"),
    "a section as a number": ("document", {"id": "d", "sections": ["a", 7]}, "the document has no text", "section 2: 7"),
    "one identifier for a list": ("document", {"id": "d", "text": "t", "identifiers": "pmid:1"}, "identifiers are not a list", '"pmid:1"'),
    "a score without a number": ("human_score", {**SCORE, "score": "good"}, "neither a score nor a label", '"good"'),
    "an infinite score": ("human_score", {**SCORE, "score": "inf"}, "neither a score nor a label", '"inf"'),
    "no role": ("human_score", {**SCORE, "role": None}, "role is neither tune nor test", "nothing there"),
    "an unknown target": ("human_score", {**SCORE, "target": "weather"}, "target is unknown", '"weather"'),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "row", "rule", "observed"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_that_breaks_a_rule_is_named(
    kind: Kind, row: dict[str, object], rule: str, observed: str
) -> None:
    found = violations(kind, [row])
    assert [(v.row, v.rule, v.observed, v.severity) for v in found] == [(0, rule, observed, "warning")]


def test_silence_refusal_and_five_megabytes_are_valid() -> None:
    answers = [{**ANSWER, "answer": text} for text in ("", "I cannot answer that.", "a " * 2_500_000)]
    assert violations("answer", [*answers, {**ANSWER, "sentences": []}]) == []


def test_only_the_broken_rows_of_a_chunk_are_named() -> None:
    rows: list[dict[str, object]] = [dict(GOOD) for _ in range(1000)]
    rows[7] = {"question_id": "q8"}
    rows[999] = {"question": "x"}
    assert [(v.row, v.rule) for v in violations("question", rows)] == [
        (999, "question_id is missing or not text"),
        (7, "question is missing or not text"),
    ]


def test_nothing_leaves_the_machine(tmp_path: Path) -> None:
    """The first validation of a process, its imports included, opens no connection and asks for no name."""
    program = """
import socket, sys
asked = []
sys.addaudithook(lambda event, args: asked.append(event) if event in ("socket.connect", "socket.getaddrinfo") else None)
from medassay.models.intake import violations
print(len(violations("question", [{"question": "?"}])), asked)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "1 []\n"


def test_a_table_none_of_whose_rows_has_a_column_is_critical() -> None:
    rows: list[dict[str, object]] = [{"question_id": "q", "modle": "m", "answer": "a"}] * 100
    (critical,) = [v for v in violations("answer", rows) if v.severity == "critical"]
    assert (critical.row, critical.rule, critical.observed, critical.advice) == (
        0,
        "no row has a system",
        "fields question_id, modle, answer",
        "name the column system (also read: model, run_id, run_name, team_id)",
    )
    assert {v.severity for v in violations("answer", rows[:99])} == {"warning"}


def test_unknown_columns_are_named_once(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_bytes(lines({**GOOD, "colour": 1}, {**GOOD, "colour": 2, "mood": 3}))
    (tmp_path / "reasons.jsonl").write_bytes(lines({"reason": "because"}))
    data = read_data(tmp_path)
    assert len(list(data.rows)) == 2
    assert data.warnings == [
        f"{tmp_path / 'reasons.jsonl'}: not read; neither its name nor its form is known",
        f"{tmp_path / 'questions.jsonl'}: question columns that nothing reads: colour, mood",
    ]


def test_identifiers_that_name_no_record_are_told_once_a_file(tmp_path: Path) -> None:
    listed = [{"pmid": said} for said in ("3.12E+07", "31,234,567", "n/a", 0, 31234567, "222, 333")]
    answer = {"question_id": "q1", "system": "s", "answer": "a [1]"}
    (tmp_path / "questions.jsonl").write_bytes(lines(GOOD))
    (tmp_path / "answers.jsonl").write_bytes(lines({**answer, "references": [*listed, {"DOI": "vol 7"}]}))
    (tmp_path / "documents.jsonl").write_bytes(lines({"id": "d", "text": "It is.", "pmcid": "PMC 1.5E+6"}))
    data = read_data(tmp_path)
    assert len(list(data.rows)) == 3
    passed_over = "names no record, or more than one, and is passed over, such as"
    assert sorted(data.warnings) == [
        f'{tmp_path / "answers.jsonl"}: the doi of 1 reference {passed_over} "vol 7"',
        f'{tmp_path / "answers.jsonl"}: the pmid of 2 references {passed_over} "3.12E+07"',
        f'{tmp_path / "documents.jsonl"}: the pmcid of 1 document {passed_over} "PMC 1.5E+6"',
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


NO_GZIP = "the gzip data is damaged (Not a gzipped file (b'no')); write the file again"


def test_all_files_that_cannot_be_read_are_told_of_at_once(tmp_path: Path) -> None:
    questions, answers, scores = (
        tmp_path / name for name in ("questions.jsonl.gz", "answers.json", "human_scores.jsonl")
    )
    questions.write_bytes(b"not gzip")
    answers.write_bytes(b"{")
    scores.write_bytes(lines({"annotator": "a"}))
    with pytest.raises(IntakeError) as caught:
        read_data(tmp_path)
    assert str(caught.value).splitlines() == [f"{questions}: {NO_GZIP}", str(broken(answers))]


def test_files_that_break_off_on_the_way_are_told_of_at_once_and_the_others_are_read(tmp_path: Path) -> None:
    answer = {"question_id": "q1", "system": "a", "answer": "Yes."}
    broken_off = {
        tmp_path / "questions.json": json.dumps([GOOD]).encode()[:-1] + b", {",
        tmp_path / "answers.json": json.dumps([answer]).encode()[:-1] + b", {",
    }
    for path, body in broken_off.items():
        path.write_bytes(body)
    documents = tmp_path / "documents.jsonl"
    documents.write_bytes(lines({"source_id": "pmid:1", "text": "So it is."}))
    kinds = []
    with pytest.raises(IntakeError) as caught:
        for row in read_data(tmp_path).rows:
            kinds.append(row.kind)
    assert kinds.count("document") == 1
    assert str(caught.value).splitlines() == [str(broken(path)) for path in broken_off]

    documents.write_bytes(b"")
    with pytest.raises(IntakeError) as caught:
        read_data(tmp_path)
    empty = f"{documents}: the file holds no row; give at least one, or remove the file"
    assert str(caught.value).splitlines() == [empty, *(str(broken(path)) for path in broken_off)]


def broken(path: Path) -> IntakeError:
    """Return the error of one file that cannot be read to its end."""
    with pytest.raises(IntakeError) as caught:
        list(read_rows(path))
    return caught.value


@pytest.mark.parametrize(
    ("expectation", "arguments", "sound", "broken"),
    [
        ("ExpectColumnValuesToNotBeNull", {}, ["a", "b"], ["a", None]),
        ("ExpectColumnValuesToNotBeNull", {"mostly": 1e-9}, ["a", "b"], [None, None]),
        ("ExpectColumnValuesToBeNull", {}, [None, None], [None, "fault"]),
        ("ExpectColumnValuesToBeInSet", {"value_set": ["str"]}, ["str", None], ["str", "int"]),
        ("ExpectColumnValuesToBeBetween", {"max_value": 3}, [1.0, 3.0, None], [1.0, 3.5]),
    ],
)
def test_what_can_break_no_expectation_is_known_without_the_suite(
    expectation: str, arguments: dict[str, Any], sound: list[Any], broken: list[Any]
) -> None:
    rule = Rule("r", "mend it", "c", lambda row: None, expectation, arguments)
    dtype = "float64" if "Between" in expectation else "object"
    assert not may_break(rule, pd.Series(sound, dtype=dtype))
    assert may_break(rule, pd.Series(broken, dtype=dtype))


def test_every_expectation_of_the_rules_is_known_without_the_suite() -> None:
    """One that is not goes through Great Expectations whatever the values are."""
    values = {"ExpectColumnValuesToNotBeNull": "a", "ExpectColumnValuesToBeBetween": 0.0}
    for rules in RULES.values():
        for rule in rules:
            value = values.get(rule.expectation)
            dtype = "float64" if isinstance(value, float) else "object"
            assert not may_break(rule, pd.Series([value], dtype=dtype)), rule.name
