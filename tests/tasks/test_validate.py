"""Landed rows become the run's rows or go to quarantine: what is said of those that do not stay."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.tasks.ingest import ingest
from medassay.tasks.progress import watched_by
from medassay.tasks.run import BadData, started_run
from medassay.tasks.spending.planning import plan
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.fetch import fetch
from medassay.tasks.validate import validate
from tests.rows import write_rows
from tests.runs import Told, read_in

QUESTION = {"question_id": "q", "question": "Is it safe?"}
ANSWER = {"question_id": "q", "system": "s", "answer": "It is."}


def lines(path: Path, *rows: Any) -> None:
    write_rows(path, rows)


def told_of(home: Path, folder: Path) -> list[str]:
    """Validate a folder and return what was said of it, the last word of a run that ends there included."""
    told = Told()
    with suppress(BadData), watched_by(told), started_run(home, Settings(str(folder))) as run:
        ingest(run)
        try:
            validate(run)
        except BadData as error:
            told.say(str(error))
            raise
    return [line.replace(str(folder), "data").replace("data/", "") for line in told.lines]


def test_a_row_of_a_json_file_is_named_by_its_item(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.json", [QUESTION])
    answers = [ANSWER, {"question_id": "q", "answer": "x"}, ANSWER, {**ANSWER, "question_id": "r"}]
    lines(tmp_path / "answers.json", answers)
    repeated = "keep one of the rows, or give each its own id"
    assert told_of(home, tmp_path) == [
        "answers.json:1: system is missing or not text: item 2: nothing there; give every row a system",
        "answers.json:1: question_id and system are repeated: item 3: q/s was read before, at answers.json:1, item 1;"
        f" {repeated}",
        "answers.json:1: the question is unknown: item 4: question_id r;"
        " add the question to questions.*, or correct the id; if the question is in quarantine, mend it first",
    ]


def test_where_the_rows_stand_that_are_not_shown_is_said_only_where_they_are_kept(
    home: Path, tmp_path: Path
) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION)
    bad = [{"question_id": "q", "system": f"s{n}", "answer": n} for n in range(22)]
    lines(tmp_path / "answers.jsonl", *bad, ANSWER)
    told = Told()
    with watched_by(told):
        plan(home, Settings(str(tmp_path), judge="none", reader="none", matcher="cosine"))
    assert [line for line in told.lines if line.startswith("…")] == [
        "… and 2 more rows, which a plan does not keep: `medassay evaluate` puts them into quarantine"
    ]
    assert told_of(home, tmp_path)[-1] == '… and 2 more rows: medassay query "from quarantine"'
    lines(tmp_path / "answers.jsonl", *bad)
    assert told_of(home, tmp_path)[-2] == "… and 2 more rows"


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.json"])
def test_a_column_that_a_whole_file_lacks_is_one_line(home: Path, tmp_path: Path, name: str) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION)
    bad = [{"question_id": "q", "system": f"s{n}", "reply_text": "It is."} for n in range(25)]
    lines(tmp_path / name, *(bad if name.endswith("l") else [bad]))
    assert told_of(home, tmp_path) == [
        f"{name}: answer columns that nothing reads: reply_text",
        f"{name}: answer is missing or not text, in all 25 rows; they have question_id, system, reply_text; give the"
        " answer as text, empty where the system said nothing, or as sentences",
        "data: no valid answer left of 25 read; the lines above say why",
    ]
    # Where one row has it, each of the others is at fault itself.
    rows = [*bad[:2], ANSWER]
    lines(tmp_path / name, *(rows if name.endswith("l") else [rows]))
    assert len(told_of(home, tmp_path)) == 3


def test_without_a_question_the_cause_is_said_and_no_answer_is_blamed(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "answers.jsonl", ANSWER, {**ANSWER, "question_id": "r"})
    advice = "give questions in questions.* as .jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx"
    assert told_of(home, tmp_path) == [f"data: no valid question left of 0 read; {advice}"]
    (tmp_path / "questions.docx").write_bytes(b"PK")
    assert told_of(home, tmp_path) == [
        "questions.docx: not read; save it as .jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx",
        f"data: no valid question left of 0 read; {advice}",
    ]


def test_lines_that_could_not_be_read_are_counted_as_read(home: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("{oops\n" * 3)
    lines(tmp_path / "answers.jsonl", ANSWER)
    *broken, last = told_of(home, tmp_path)
    assert (len(broken), last) == (3, "data: no valid question left of 3 read; the lines above say why")
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "answers.jsonl", {**ANSWER, "answer": "\x00"}, {**ANSWER, "answer": "\ud800"})
    *broken, last = told_of(home, tmp_path)
    assert (len(broken), last) == (2, "data: no valid answer left of 2 read; the lines above say why")


def test_a_document_beside_each_of_its_answers_is_no_repetition(home: Path, tmp_path: Path) -> None:
    document = {"id": "d", "text": "Rest helps."}
    records = [{**QUESTION, **ANSWER, "system": system, "documents": [document]} for system in "ab"]
    lines(tmp_path / "records.json", records)
    assert told_of(home, tmp_path) == []
    records[1]["documents"] = [{**document, "text": "Rest harms."}]
    lines(tmp_path / "records.json", records)
    (line,) = told_of(home, tmp_path)
    assert line.startswith("records.json:1: document id is repeated: item 2: d was read before")


def test_a_faulty_row_does_not_cost_the_run_the_sound_one_of_its_id(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", {**QUESTION, "question": ""}, QUESTION)
    lines(tmp_path / "answers.jsonl", {**ANSWER, "answer": None}, ANSWER)
    lines(tmp_path / "documents.jsonl", {"id": "d"}, {"id": "d", "text": "It is safe."})
    score = {"question_id": "q", "system": "s", "annotator": "ada", "metric": "m", "role": "tune"}
    lines(tmp_path / "human_scores.jsonl", {**score, "score": "five"}, {**score, "score": 5})
    assert [line.split(": ")[:2] for line in told_of(home, tmp_path)] == [
        ["answers.jsonl:1", "answer is missing or not text"],
        ["documents.jsonl:1", "the document has no text"],
        ["human_scores.jsonl:1", "neither a score nor a label"],
        ["questions.jsonl:1", "question is missing or not text"],
    ]


def test_a_faulty_question_beside_each_of_its_answers_is_told_of_once(home: Path, tmp_path: Path) -> None:
    faulty = {**QUESTION, "question_id": "r", "nuggets": "one"}
    records = [
        {**asked, **ANSWER, "question_id": asked["question_id"], "system": s}
        for asked in (QUESTION, faulty)
        for s in "ab"
    ]
    lines(tmp_path / "records.json", records)
    told = [line.split(": ")[1] for line in told_of(home, tmp_path)]
    assert told == ["nuggets are not a list of texts", "the question is unknown", "the question is unknown"]


def test_what_became_of_an_answer_is_not_taken_for_silence_or_a_refusal(home: Path, tmp_path: Path) -> None:
    texts: dict[str, Any] = {
        "blank": "\n\t \n",
        "asks": "Please ask about significant interactions.",
        "refuses": "I can’t say.",
        "broken": 5,
        "whole": "It is.",
    }
    lines(tmp_path / "questions.jsonl", *({**QUESTION, "question_id": name} for name in (*texts, "silent")))
    answers = [{"question_id": name, "system": "s", "answer": text} for name, text in texts.items()]
    lines(
        tmp_path / "answers.jsonl",
        *answers,
        {**answers[-1], "answer": 5},
        {**answers[0], "system": "t", "answer": 5},
    )
    with watched_by(Told()), read_in(home, Settings(str(tmp_path))) as run:
        decompose.run(run)
        states = run.warehouse.rows("select question_id, system, state from new_answer order by all")
        kept = run.warehouse.rows("select question_id, system, reason, in_quarantine from run_unasked")
    assert {(row["question_id"], row["state"]) for row in states} == {
        ("blank", "empty"),
        ("asks", "answered"),
        ("refuses", "refused"),
        ("broken", "failed"),
        ("whole", "answered"),
        ("silent", "not_answered"),
    }
    assert {row["system"] for row in states} == {"s"}
    (told,) = kept
    assert (told["question_id"], told["reason"]) == ("broken", "answer is missing or not text")
    assert told["in_quarantine"]


BROKEN = (
    b'{"question_id": "r0", "system": "s", "answer": "It is',
    b'{"question_id": "r1", "system": "s", "answer": "It is \xff."}',
    b'{"question_id": "r2", "system": "s", "answer": "It is \x00."}',
    rb'{"answer": "It is \u0000.", "id": "r3", "model": "s"}',
    b'{"question_id": "r4", "system": "s", "answer": "It is.", "answer": "It is not."}',
    b'{"question_id": "r5", "system": "s", "answer": "It is.", "references": ' + b"[" * 100_000,
)


@pytest.mark.parametrize("whole_records", [False, True])
def test_an_answer_that_could_not_be_read_is_no_silence(
    home: Path, tmp_path: Path, whole_records: bool
) -> None:
    lost = [f"r{n}" for n in range(len(BROKEN))]
    questions = [{**QUESTION, "nuggets": ["It is safe."], "question_id": name} for name in ("q", *lost)]
    if whole_records:
        lines(tmp_path / "all.jsonl", *({**asked, "system": "t", "answer": "It is."} for asked in questions))
        lines(tmp_path / "more.jsonl", ANSWER)
        into = tmp_path / "more.jsonl"
    else:
        lines(tmp_path / "questions.jsonl", *questions)
        lines(tmp_path / "answers.jsonl", ANSWER)
        into = tmp_path / "answers.jsonl"
    with into.open("ab") as file:
        file.writelines(broken + b"\n" for broken in BROKEN)
    with watched_by(Told()), read_in(home, Settings(str(tmp_path))) as run:
        left = run.warehouse.rows("select row_key, rule from rejected_row order by row_key")
        states = run.warehouse.rows(
            "select question_id, state from new_answer where system = 's' order by all"
        )
        nugget_states = run.warehouse.rows("select question_id from new_nugget_state where system = 's'")
        run.warehouse.execute("insert into mart.answer by name from new_answer")
        run.warehouse.execute("insert into mart.question by name from new_question")
        scores = run.warehouse.rows(
            "select distinct question_id, value, status, reason from new_score"
            " where question_id <> 'q' and system = 's' order by question_id"
        )
    assert [row["row_key"] for row in left] == [f"{name}/s" for name in lost]
    assert [tuple(row.values()) for row in states] == [
        ("q", "answered"),
        *((name, "failed") for name in lost),
    ]
    assert nugget_states == []
    assert [tuple(row.values()) for row in scores] == [
        (name, None, "failed", f"its row is in quarantine: {row['rule']}")
        for name, row in zip(lost, left, strict=True)
    ]


@pytest.mark.parametrize("row", ["r,s,It is, said she.", "r,s"])
def test_a_row_of_a_table_keeps_the_names_before_its_text(home: Path, tmp_path: Path, row: str) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION, {**QUESTION, "question_id": "r"})
    (tmp_path / "answers.csv").write_text(f"id,model,answer\nq,s,It is.\n{row}\n", "utf-8")
    with watched_by(Told()), read_in(home, Settings(str(tmp_path))) as run:
        (left,) = run.warehouse.rows("select row_key, rule, value from rejected_row")
        states = run.warehouse.rows("select question_id, state from new_answer order by all")
    assert (left["row_key"], left["rule"]) == ("r/s", "the row does not fit the header")
    assert json.loads(left["value"]) == {"question_id": "r", "system": "s"}
    assert [row["state"] for row in states] == ["answered", "failed"]


def test_documents_of_one_article_speak_for_it_together(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medassay.tasks.validate.CHUNK", 1)
    texts = {"a": "Rest helps.", "b": "Rest does no harm.", "c": "Rest helps."}
    documents = [
        {"id": name, "pmid": "9", "title": f"On {name}", "text": text} for name, text in texts.items()
    ]
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "answers.jsonl", ANSWER)
    lines(tmp_path / "documents.jsonl", *documents, {"id": "empty", "pmid": "9", "text": ""})
    with read_in(home, Settings(str(tmp_path))) as run:
        rows = run.warehouse.rows(
            "select source_id, title, text from current_passage join current_source using (source_id, fetch_no)"
            " join text using (text_key) where label is distinct from 'TITLE' order by source_id, position"
        )
    assert [tuple(row.values()) for row in rows] == [
        *((f"document:{name}", f"On {name}", text) for name, text in texts.items()),
        ("pmid:9", "On a", "Rest helps."),
        ("pmid:9", "On a", "Rest does no harm."),
    ]


def test_a_document_in_quarantine_is_cited_in_every_notation(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "documents.jsonl", {"id": "tit", "title": "Of metformin", "text": ""})
    claim = "Metformin lowers vitamin B12"
    lines(
        tmp_path / "answers.jsonl",
        {**ANSWER, "answer": f"{claim} [1].", "references": [{"marker": "1", "document": "tit"}]},
        {"question_id": "q", "system": "t", "sentences": [{"text": f"{claim}.", "citations": ["tit"]}]},
        {**ANSWER, "system": "u", "answer": f"{claim} [tit]."},
    )
    with read_in(home, Settings(str(tmp_path), offline=True, reader="none")) as run:
        decompose.run(run)
        fetch.prepare(run)
        fetch.run(run)
        cited = run.warehouse.rows(
            "select system, source_id, state, reason from new_citation order by system"
        )
        claims = run.warehouse.rows(
            "select text from text semi join current_claim using (text_key) order by all"
        )
    why = f"the document is in quarantine: {tmp_path}/documents.jsonl:1: the document has no text"
    assert [tuple(row.values())[1:] for row in cited] == [("document:tit", "unverifiable", why)] * 3
    assert [row["text"] for row in claims] == [f"{claim}."]


def test_a_supplied_page_answers_however_its_address_begins(home: Path, tmp_path: Path) -> None:
    page = {"id": "d", "url": "https://intranet.example/guidelines/a", "text": "Rest helps."}
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "documents.jsonl", page)
    addresses = ("http://intranet.example/guidelines/a/", "https://www.intranet.example/guidelines/a")
    text = " ".join(f"Rest helps ({address})." for address in (*addresses, "https://intranet.example/b"))
    lines(tmp_path / "answers.jsonl", {**ANSWER, "answer": text})
    with read_in(home, Settings(str(tmp_path), offline=True, reader="none")) as run:
        decompose.run(run)
        fetch.prepare(run)
        fetch.run(run)
        found = run.warehouse.rows(
            "select source_id, state from current_source where starts_with(source_id, 'url:') order by all"
        )
    assert [tuple(row.values()) for row in found] == [
        ("url:http://intranet.example/guidelines/a", "found"),
        ("url:https://intranet.example/b", "unverifiable"),
        ("url:https://intranet.example/guidelines/a", "found"),
        ("url:https://www.intranet.example/guidelines/a", "found"),
    ]


def scores(values: list[Any], **more: Any) -> list[dict[str, Any]]:
    """Return the scores that as many people gave the one answer."""
    row = {"question_id": "q", "system": "s", "metric": "relevancy", "role": "test", **more}
    return [{**row, "annotator": f"p{place}", "score": value} for place, value in enumerate(values)]


def kept_scores(home: Path, folder: Path) -> list[float]:
    with watched_by(Told()), read_in(home, Settings(str(folder))) as run:
        rows = run.warehouse.rows(
            "select score from human_score where dataset = ? order by score", [folder.name]
        )
    return [row["score"] for row in rows]


def test_codes_for_no_score_are_named_in_one_line_and_left_out(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "answers.jsonl", ANSWER)
    lines(tmp_path / "human_scores.jsonl", *scores([1, 2, 3, 4, 5, "4,5", 3, -1, 99, 2, -1]))
    assert told_of(home, tmp_path) == [
        "human_scores.jsonl: 1 score with a decimal comma read as numbers, such as 4,5 as 4.5",
        "human scores: 3 scores of relevancy outside the scale and left out: -1 (2 times), 99 beside scores from 1 to 5;"
        " leave the cell empty where nobody scored, or name the scale in a column scale (0 to 100)",
    ]
    assert kept_scores(home, tmp_path) == [1, 2, 2, 3, 3, 4, 4.5, 5]


def test_a_scale_that_is_named_comes_first(home: Path, tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", QUESTION)
    lines(tmp_path / "answers.jsonl", ANSWER)
    values = [1, 2, 3, 4, 5, 3, 0, -1]
    lines(tmp_path / "human_scores.jsonl", *scores(values, scale="1 to 5"))
    *_, zero, below = told_of(home, tmp_path)
    rule = "the score is not on the scale that its row names"
    advice = "leave the cell empty where nobody scored; write a scale as 1 to 5"
    assert zero == f"human_scores.jsonl:7: {rule}: 0 on 1 to 5; {advice}"
    assert below == f"human_scores.jsonl:8: {rule}: -1 on 1 to 5; {advice}"
    lines(tmp_path / "human_scores.jsonl", *scores(values, scale="-1 to 5"))
    assert told_of(home, tmp_path) == []
    lines(tmp_path / "human_scores.jsonl", *scores([3], scale="2026-05-01"))
    assert told_of(home, tmp_path) == [f'human_scores.jsonl:1: {rule}: scale "2026-05-01"; {advice}']
