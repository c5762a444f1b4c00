"""The examples hold together: ids resolve, errors are where they are said to be, nothing looks like a real PMID."""

import json
import re
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text("utf-8").splitlines()]


QUESTIONS = {row["question_id"]: row for row in rows("clinic/questions")}
DOCUMENTS = {row["id"]: row for row in rows("clinic/documents")}
ANSWERS = rows("clinic/answers")
ERRORS = rows("clinic-errors")


def text(answer: dict[str, Any]) -> str:
    return answer.get("answer") or " ".join(sentence["text"] for sentence in answer["sentences"])


def n_words(written: str) -> int:
    """Count words, citations and a list of references apart."""
    return len(re.sub(r"\n\nReferences:.*|\[[^\]]*\]|\(PMID[^)]*\)", "", written, flags=re.DOTALL).split())


def test_questions_from_many_fields_with_guidance_and_risk() -> None:
    assert len(QUESTIONS) == 14
    assert len({row["category"] for row in QUESTIONS.values()}) == 14
    assert {row["risk_level"] for row in QUESTIONS.values()} == {"low", "medium", "high"}
    assert all("Do " in row["guidance"] and "Don't " in row["guidance"] for row in QUESTIONS.values())
    assert sum("profile" in row for row in QUESTIONS.values()) == 4
    assert [name for name, row in QUESTIONS.items() if "messages" in row] == ["ace-pregnancy"]


def test_nuggets_of_two_thirds_are_given() -> None:
    given = [row["nuggets"] for row in QUESTIONS.values() if "nuggets" in row]
    assert sorted(len(nuggets) for nuggets in given) == [5, 5, 5, 5, 5, 5, 6, 6, 6, 6]
    assert {nugget["importance"] for nuggets in given for nugget in nuggets} == {"vital", "okay"}


def test_three_systems_and_one_silence() -> None:
    asked = {(row["question_id"], row["system"]) for row in ANSWERS}
    assert len(asked) == len(ANSWERS) == 41
    assert {question for question, _ in asked} == set(QUESTIONS)
    assert [q for q in QUESTIONS if (q, "miscited") not in asked] == ["neutropenic-fever"]


def test_answers_are_as_long_as_answers_are() -> None:
    lengths: dict[str, list[int]] = {system: [] for system in ("careful", "fluent", "miscited")}
    for answer in ANSWERS:
        lengths[answer["system"]].append(n_words(text(answer)))
    assert all(55 <= n <= 140 for system in ("careful", "fluent") for n in lengths[system])
    assert max(lengths["miscited"]) < 60


def test_documents_are_marked_and_no_pmid_is_real() -> None:
    assert len(DOCUMENTS) == 28
    assert all(row["note"].endswith("not a publication") for row in DOCUMENTS.values())
    for row in DOCUMENTS.values():
        assert 110 <= sum(len(section["text"].split()) for section in row["sections"]) <= 220, row["id"]
    everything = " ".join(path.read_text("utf-8") for path in EXAMPLES.rglob("*.jsonl"))
    pmids = [int(number) for number in re.findall(r"PMID:?\s*(\d+)", everything)]
    assert pmids and min(pmids) >= 99999901
    assert not re.search(r"10\.\d{4,}/|PMC\d+|NCT\d+", everything)


def test_every_sentence_of_the_careful_system_cites_a_document_or_states_nothing() -> None:
    cited: set[str] = set()
    for answer in (row for row in ANSWERS if row["system"] == "careful"):
        found = set(re.findall(r"clinic-[a-z]+-\d\d", json.dumps(answer)))
        assert found and found <= DOCUMENTS.keys(), answer["question_id"]
        markers = set(re.findall(r"\[(\d+)\]", text(answer)))
        assert markers == {reference["marker"] for reference in answer.get("references", [])}
        cited |= found
    assert cited == DOCUMENTS.keys()


def test_bare_numbers_of_the_miscited_system_have_nothing_behind_them() -> None:
    miscited = [row for row in ANSWERS if row["system"] == "miscited"]
    assert all(set(row) == {"question_id", "system", "answer"} for row in miscited)
    bare = sum(len(re.findall(r"\[\d+\]", row["answer"])) for row in miscited)
    invented = sum(row["answer"].count("PMID") for row in miscited)
    documents = re.findall(r"clinic-[a-z]+-\d\d", " ".join(row["answer"] for row in miscited))
    assert (bare, invented, len(documents)) == (13, 13, 16)
    assert set(documents) <= DOCUMENTS.keys()


def test_every_error_stands_where_it_is_said_to_and_not_in_the_careful_answer() -> None:
    by_system = {(row["question_id"], row["system"]): text(row) for row in ANSWERS}
    assert {row["question_id"] for row in ERRORS if row["system"] == "fluent"} == set(QUESTIONS)
    assert sum(row["kind"] == "misread source" for row in ERRORS) == 8
    for row in ERRORS:
        assert row["wrong"] in by_system[row["question_id"], row["system"]], row
        assert row["wrong"] not in by_system[row["question_id"], "careful"], row
