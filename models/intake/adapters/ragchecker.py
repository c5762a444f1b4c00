"""RAGChecker: `results` of queries with a ground truth, a response and the context it was given."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, listed, record_by_record
from medassay.models.intake.rows import Kind


def recognises(record: Record) -> bool:
    """Return whether a record is one of RAGChecker's results."""
    return {"query_id", "response"} <= record.keys() and bool(
        record.keys() & {"gt_answer", "retrieved_context"}
    )


def convert(record: Record, stem: str) -> Iterator[tuple[Kind, Record]]:
    """Yield the question, and the answer with its context as numbered references."""
    yield (
        "question",
        {
            "question_id": record["query_id"],
            "question": record.get("query"),
            "reference_answer": record.get("gt_answer"),
        },
    )
    context = record.get("retrieved_context")
    passages = [context] if isinstance(context, str) else listed(context)
    yield (
        "answer",
        {
            "question_id": record["query_id"],
            "system": record.get("system") or stem,
            "answer": record["response"],
            "references": [_reference(str(number), passage) for number, passage in enumerate(passages, 1)],
            "contexts": passages,
        },
    )


def _reference(number: str, passage: Any) -> Any:
    """Return a passage as a numbered reference; what is none stays as it is, for the rules to name."""
    if isinstance(passage, dict):
        return {"marker": number, "title": passage.get("doc_id"), "content": passage.get("text")}
    return {"marker": number, "content": passage} if isinstance(passage, str) else passage


ADAPTER = record_by_record("RAGChecker", recognises, convert)
