"""RAGChecker: `results` of queries with a ground truth, a response and the context it was given."""

from collections.abc import Iterator

from models.intake.adapters.adapter import Record, record_by_record
from models.intake.rows import Kind


def recognises(record: Record) -> bool:
    """Say whether a record is one of RAGChecker's results."""
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
    passages = [p for p in record.get("retrieved_context") or () if isinstance(p, dict)]
    yield (
        "answer",
        {
            "question_id": record["query_id"],
            "system": record.get("system") or stem,
            "answer": record["response"],
            "references": [
                {"marker": str(number), "title": passage.get("doc_id"), "content": passage.get("text")}
                for number, passage in enumerate(passages, 1)
            ],
        },
    )


ADAPTER = record_by_record("RAGChecker", recognises, convert)
