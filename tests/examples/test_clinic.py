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


def test_documents_are_marked_and_no_pmid_is_real() -> None:
    assert all(row["note"].endswith("not a publication") for row in DOCUMENTS.values())
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


def test_every_error_stands_where_it_is_said_to_and_not_in_the_careful_answer() -> None:
    by_system = {(row["question_id"], row["system"]): text(row) for row in ANSWERS}
    assert {row["question_id"] for row in ERRORS if row["system"] == "fluent"} == set(QUESTIONS)
    assert "misread source" in {row["kind"] for row in ERRORS}
    for row in ERRORS:
        assert row["wrong"] in by_system[row["question_id"], row["system"]], row
        assert row["wrong"] not in by_system[row["question_id"], "careful"], row
