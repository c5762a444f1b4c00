"""nuggetizer: queries with candidates, with their nuggets, and answers with the nuggets assigned to them."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, first_of, listed, record_by_record
from medassay.models.intake.rows import Kind


def recognises(record: Record) -> bool:
    """Return whether a record is an input of its `create`, or an output of `create` or `assign`."""
    return ("query" in record and "candidates" in record) or {"qid", "query", "nuggets"} <= record.keys()


def convert(record: Record, stem: str) -> Iterator[tuple[Kind, Record]]:
    """Yield the question with its nuggets, the answer they were assigned to, and candidates as documents.

    An assignment is a model's opinion, not a person's: it is left out.
    """
    query = record["query"]
    asked = query if isinstance(query, dict) else {"qid": record.get("qid"), "text": query}
    question: Record = {"question_id": asked.get("qid"), "question": asked.get("text")}
    if "nuggets" in record:
        question["nuggets"] = [_nugget(nugget) for nugget in listed(record["nuggets"])]
    yield "question", question
    if "answer_text" in record:
        own = {"question_id": asked.get("qid"), "system": record.get("run_id") or stem}
        yield "answer", own | {"answer": record["answer_text"]}
    for candidate in listed(record.get("candidates")):
        yield "document", _document(candidate) if isinstance(candidate, dict) else {"text": candidate}


def _document(candidate: Record) -> Record:
    doc = candidate.get("doc")
    text = first_of(doc, "segment", "contents", "text") if isinstance(doc, dict) else doc
    return {"id": candidate.get("docid"), "text": text}


def _nugget(nugget: Any) -> Any:
    """Keep text and importance; one whose importance it failed to find counts nowhere but under all: as okay."""
    if not isinstance(nugget, dict):
        return nugget
    importance = nugget.get("importance") or "vital"
    return {"text": nugget.get("text"), "importance": "okay" if importance == "failed" else importance}


ADAPTER = record_by_record("nuggetizer", recognises, convert)
