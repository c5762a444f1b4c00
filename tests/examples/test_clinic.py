"""The examples hold together: ids resolve, errors are where they are said to be, nothing looks like a real PMID."""

import json
import re
from pathlib import Path
from typing import Any

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CLINIC / f"{name}.jsonl").read_text("utf-8").splitlines()]


def errors() -> list[dict[str, Any]]:
    text = CLINIC.with_name("clinic-errors.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


QUESTIONS = {row["question_id"]: row for row in rows("questions")}
DOCUMENTS = {row["id"]: row for row in rows("documents")}
ANSWERS = rows("answers")


def text(answer: dict[str, Any]) -> str:
    return answer.get("answer") or " ".join(sentence["text"] for sentence in answer["sentences"])


def test_twelve_questions_from_many_fields_with_guidance_and_risk() -> None:
    assert len(QUESTIONS) == 12
    assert len({row["category"] for row in QUESTIONS.values()}) >= 7
    assert all(row["guidance"] and row["risk_level"] in ("low", "medium", "high") for row in QUESTIONS.values())
    assert sum("nuggets" in row for row in QUESTIONS.values()) == 8


def test_three_systems_and_one_silence() -> None:
    asked = {(row["question_id"], row["system"]) for row in ANSWERS}
    assert len(asked) == len(ANSWERS) == 35
    assert {question for question, _ in asked} == set(QUESTIONS)
    assert {q for q in QUESTIONS if (q, "miscited") not in asked} == {"neutropenic-fever"}


def test_documents_are_marked_and_no_pmid_is_real() -> None:
    assert len(DOCUMENTS) == 24
    assert all(row["note"].endswith("not a publication") for row in DOCUMENTS.values())
    everything = " ".join(path.read_text("utf-8") for path in CLINIC.glob("*.jsonl"))
    pmids = [int(number) for number in re.findall(r"PMID:?\s*(\d+)", everything)]
    assert pmids and min(pmids) >= 99999901


def test_the_careful_system_cites_supplied_documents_only() -> None:
    for answer in (row for row in ANSWERS if row["system"] == "careful"):
        cited = set(re.findall(r"clinic-[a-z]+-\d\d", json.dumps(answer)))
        assert cited and cited <= DOCUMENTS.keys(), answer["question_id"]


def test_every_error_stands_in_the_fluent_answer_and_not_in_the_careful_one() -> None:
    by_system = {(row["question_id"], row["system"]): text(row) for row in ANSWERS}
    assert len({row["question_id"] for row in errors()}) == 12
    for row in errors():
        assert row["wrong"] in by_system[row["question_id"], "fluent"], row
        assert row["wrong"] not in by_system[row["question_id"], "careful"], row
