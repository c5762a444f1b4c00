"""Inputs of public reports that went wrong: what is read of them. They lie beside the checkout, or are skipped."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, read_data, to_answer
from medassay.models.records import Answer, Reference
from medassay.models.text.claims.decomposition import decompose

ROOT = Path(__file__).resolve().parents[2]


def case(name: str) -> Path:
    folder = ROOT.parent / "shared" / "cases" / "public" / name
    if not folder.is_dir():
        pytest.skip("the public cases are not beside this checkout")
    return folder


def answers_of(folder: Path) -> dict[str, dict[str, Any]]:
    rows = list(read_data(folder).rows)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return {
        row.value["system"]: row.value for row in rows if isinstance(row, Intake) and row.kind == "answer"
    }


def cited(answer: Answer) -> list[tuple[str, list[str | None]]]:
    return [
        (c.text, [one.source_id for one in c.citations])
        for c in decompose(answer, "What?", ["d1", "d2", "d3"]).claims
        if c.kind == "claim"
    ]


def test_citations_that_providers_deliver_beside_the_text() -> None:
    answers = {name: to_answer(row) for name, row in answers_of(case("02_provider_objects")).items()}
    url = "url:https://example-journal.org/metformin-"
    by_url = [[f"{url}b12"], [f"{url}lactate"], [f"{url}gut"]]
    for system in (
        "control",
        "openai_raw",
        "openai_ann",
        "openai_chat",
        "perplexity",
        "perplexity_sr",
        "langchain",
        "llamaindex",
    ):
        found = [ids for _, ids in cited(answers[system])]
        if system.startswith("perplexity"):
            assert found[-1].pop() is None  # [4], which leads nowhere
        if answers[system].references and answers[system].references[0].content:
            # Their own texts are what is cited; where they are from is known.
            found = [[f"url:{reference.url}"] for reference in answers[system].references]
        assert found == by_url, system
    assert [ids for _, ids in cited(answers["cohere"])] == [["document:d1"], ["document:d2"], ["document:d3"]]
    anthropic = answers["anthropic"]
    assert [r.title for r in anthropic.references] == [
        "Metformin and B12",
        "Metformin and lactate",
        "Metformin and the gut",
    ]
    assert [len(ids) for _, ids in cited(anthropic)] == [1, 1, 1]
    assert len({ids[0] for _, ids in cited(anthropic)}) == 3


def test_thoughts_in_any_wrapping_are_no_claims() -> None:
    answers = answers_of(case("03_reasoning_markup"))
    said = {
        name: [claim.text for claim in decompose(to_answer(row), "What?").claims if claim.kind == "claim"]
        for name, row in answers.items()
    }
    control = said.pop("control")
    assert len(control) == 2
    said.pop("unclosed")
    assert {name: found for name, found in said.items() if found != control} == {}
    assert answers["unclosed"]["failed"] == "the answer was cut off in its reasoning, before it said anything"


def test_a_decimal_comma_is_a_number_and_dropped_zeros_come_back() -> None:
    data = read_data(case("07_excel_scores_c"))
    rows = [row for row in data.rows if isinstance(row, Intake) and row.kind == "human_score"]
    assert [(r.value["question_id"], r.value["score"]) for r in rows[:3]] == [
        ("001", 4.5),
        ("001", 4.0),
        ("001", 1.5),
    ]
    assert any("question_id 1 is read as 001" in line for line in data.warnings)


def test_ragas_rows_are_read_with_pandas_index_and_printed_lists() -> None:
    data = read_data(case("09_ragas_csv") / "ragas.csv")
    rows = [row for row in data.rows if isinstance(row, Intake)]
    questions = [row.value for row in rows if row.kind == "question"]
    assert [row["reference_answer"] for row in questions] == [
        "Metformin lowers vitamin B12.",
        "Warfarin is teratogenic and must be avoided in pregnancy.",
    ]
    answers = [to_answer(row.value) for row in rows if row.kind == "answer"]
    assert [[r.content for r in answer.references] for answer in answers] == [
        ["Long-term metformin lowered vitamin B12 in this trial.", "The trial's dose was 2 g."],
        ["Warfarin is teratogenic.", "Heparin does not cross the placenta."],
    ]
    assert {answer.system for answer in answers} == {"ragas"}
    assert any("'user_input' as question" in line for line in data.warnings)


def test_trec_rag_of_2025_is_read() -> None:
    rows = list(read_data(case("10a_rag25")).rows)
    assert not [row for row in rows if isinstance(row, BadRow)]
    (answer,) = (to_answer(row.value) for row in rows if isinstance(row, Intake) and row.kind == "answer")
    assert (answer.question_id, answer.system) == ("t1", "run1")
    assert [span.citations for span in answer.cited_spans] == [
        ("msmarco_v2.1_doc_01_1#0_5",),
        ("msmarco_v2.1_doc_02_2#1_7",),
    ]


def test_every_vendors_mark_cites() -> None:
    answers = {name: to_answer(row) for name, row in answers_of(case("12_citation_marks")).items()}
    assert cited(answers["ragflow"]) == cited(answers["each"])


def test_what_stands_where_there_is_no_answer_is_no_answer() -> None:
    rows = [
        r.value for r in read_data(case("15f_refusals")).rows if isinstance(r, Intake) and r.kind == "answer"
    ]
    second = {row["system"]: row for row in rows if row["question_id"] == "2"}
    assert sorted(name for name, row in second.items() if row.get("failed")) == ["boxed", "paren", "the"]
    for system in ("letter", "wrong", "full", "word"):
        claims = decompose(to_answer(second[system]), "What?").claims
        assert "a refusal" in {claim.kind_reason for claim in claims}, system
        assert {claim.kind for claim in claims} == {"non_claim"}, system
    first = [row for row in rows if row["question_id"] == "1"]
    assert not any(row.get("failed") for row in first)


def test_a_colleagues_sheet_is_read(tmp_path: Path) -> None:
    sheet = tmp_path / "questions for MedAssay.csv"
    sheet.write_text(
        "Frage;Gold Answer;GPT-4;Claude;Kommentar\nIst es sicher?;Ja, das ist es.;Ja.;Nein.;gut\n",
        encoding="utf-8",
    )
    data = read_data(sheet)
    rows = [(row.kind, row.value) for row in data.rows if isinstance(row, Intake)]
    named = rows[0][1]["question_id"]
    assert rows[0] == (
        "question",
        {
            "question_id": named,
            "question": "Ist es sicher?",
            "reference_answer": "Ja, das ist es.",
            "Kommentar": "gut",
        },
    )
    assert [row["system"] for kind, row in rows if kind == "answer"] == ["GPT-4", "Claude"]
    assert data.warnings == [
        f"{sheet}: read 'Frage' as question, 'Gold Answer' as reference_answer",
        f"{sheet}: each of the columns GPT-4, Claude is read as a system's answers",
        f"{sheet}: no question_id in 1 row: made from the question's text",
        f"{sheet}: question columns that nothing reads: Kommentar",
    ]


def test_a_heading_may_be_chosen(tmp_path: Path) -> None:
    sheet = tmp_path / "data.csv"
    sheet.write_text("question,Panel says,answer\nIs it?,It is.,Yes.\n", encoding="utf-8")
    data = read_data(sheet, ["reference_answer=panel says", "guidance=nowhere"])
    rows = [row.value for row in data.rows if isinstance(row, Intake)]
    assert rows[0]["reference_answer"] == "It is."
    assert "--column: no file has a heading that reads nowhere" in data.warnings


def test_answers_without_ids_find_their_questions_by_text(tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text("question_id,question\n7,Is it?\n")
    (tmp_path / "answers.csv").write_text("Question,Model,Response\nIs it?,m,Yes.\n")
    rows = [row.value for row in read_data(tmp_path).rows if isinstance(row, Intake)]
    assert rows[1] == {"question_id": "7", "system": "m", "answer": "Yes."}


GEMINI = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "Für B12 gilt das. Es sinkt."}]},
            "groundingMetadata": {
                "groundingChunks": [{"web": {"uri": "https://a.example/1", "title": "One"}}],
                "groundingSupports": [
                    {"segment": {"startIndex": 19, "endIndex": 28}, "groundingChunkIndices": [0]}
                ],
            },
        }
    ]
}


def test_grounding_chunks_cite_where_the_api_says_counted_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps({"question": "Sinkt B12?", "system": "g", "answer": GEMINI}))
    (answer,) = (
        to_answer(r.value) for r in read_data(path).rows if isinstance(r, Intake) and r.kind == "answer"
    )
    assert [answer.text[s.start : s.end] for s in answer.cited_spans] == ["Es sinkt."]
    assert answer.references == (Reference(marker="1", url="https://a.example/1", title="One"),)
