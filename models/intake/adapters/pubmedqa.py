"""PubMedQA: a question that is a paper's title, its abstract without the conclusion, and the conclusion."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, first_of, listed, record_by_record
from medassay.models.intake.rows import Kind

SYSTEM = "conclusion"


def recognises(record: Record) -> bool:
    """Return whether a record has one of the published forms, or the one of sections and a conclusion."""
    return (
        {"QUESTION", "CONTEXTS", "LONG_ANSWER"} <= record.keys()
        or {"pubid", "question", "context", "long_answer"} <= record.keys()
        or {"pmid", "question", "sections", "conclusion"} <= record.keys()
    )


def convert(record: Record, stem: str) -> Iterator[tuple[Kind, Record]]:
    """Yield the question with the conclusion as its reference, the abstract, and the conclusion as an answer citing it.

    The authors' conclusion as a system of its own is the yardstick: what the best answer scores here.
    """
    named = first_of(record, "pmid", "pubid", "question_id")
    pmid = None if named is None else str(named)
    conclusion = first_of(record, "conclusion", "LONG_ANSWER", "long_answer")
    question = first_of(record, "question", "QUESTION")
    yield "question", {"question_id": pmid, "question": question, "reference_answer": conclusion}
    yield "document", {"id": pmid and f"abstract-{pmid}", "pmid": pmid, "sections": _sections(record)}
    cited = [{"text": conclusion, "citations": [f"PMID:{pmid}"]}]
    yield "answer", {"question_id": pmid, "system": SYSTEM, "sentences": cited}


def _sections(record: Record) -> Any:
    if "sections" in record:
        sections = record["sections"]
        return sections if isinstance(sections, dict) else listed(sections)
    context = record.get("context")
    held = context if isinstance(context, dict) else record
    labels, texts = listed(first_of(held, "LABELS", "labels")), listed(first_of(held, "CONTEXTS", "contexts"))
    labels = labels if len(labels) == len(texts) else [""] * len(texts)
    return [{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)]


ADAPTER = record_by_record("PubMedQA", recognises, convert)
