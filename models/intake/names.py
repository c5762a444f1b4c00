"""The canonical names of fields, and what else people call them."""

from typing import Any

from models.intake.rows import Kind

SYNONYMS: dict[Kind, dict[str, str]] = {
    "question": {
        "id": "question_id", "qid": "question_id", "query_id": "question_id", "topic_id": "question_id",
        "question_summary": "question", "query": "question",
        "expert_answer": "reference_answer", "gt_answer": "reference_answer",
        "evaluator_notes": "guidance",
    },
    "answer": {
        "id": "question_id", "qid": "question_id", "query_id": "question_id", "topic_id": "question_id",
        "output": "answer", "response": "answer", "model": "system", "run_id": "system", "team_id": "system",
    },
    "document": {"document_id": "id", "doc_id": "id", "content": "text", "abstract": "text"},
    "human_score": {"id": "question_id", "rater": "annotator"},
}  # fmt: skip
KNOWN: dict[Kind, frozenset[str]] = {
    "question": frozenset(
        "question_id question reference_answer nuggets profile messages guidance risk_level category case_id".split()
    ),
    "answer": frozenset("question_id system answer sentences references".split()),
    "document": frozenset("id title text sections pmid pmcid doi nct url identifiers note".split()),
    "human_score": frozenset(
        "question_id system annotator metric score label target judge role item".split()
    ),
}
_TEXT_IDS = ("question_id", "system", "id", "annotator", "case_id")


def canonical(kind: Kind, value: dict[str, Any]) -> dict[str, Any]:
    """Give a row's fields their canonical names, numbers that are ids their text; drop what is NULL.

    A canonical name that is there wins over its synonyms. Unknown fields are kept: the caller says which.
    """
    synonyms = SYNONYMS[kind]
    row = {name: v for name, v in value.items() if name not in synonyms and v is not None}
    for other, name in synonyms.items():
        if value.get(other) is not None:
            row.setdefault(name, value[other])
    for name in _TEXT_IDS:
        if isinstance(row.get(name), int) and not isinstance(row[name], bool):
            row[name] = str(row[name])
    for name in ("profile", "messages", "guidance"):
        if name in row and not isinstance(row[name], str):
            row[name] = readable(row[name])
    return row


def readable(value: Any) -> str:
    """Write a list or an object as lines of text, as a reader would note it."""
    if isinstance(value, dict):
        if set(value) >= {"role", "content"}:
            return f"{value['role']}: {readable(value['content'])}"
        return "\n".join(f"{name}: {readable(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "\n".join(readable(part) for part in value)
    return value if isinstance(value, str) else str(value)


def unknown(kind: Kind, row: dict[str, Any]) -> frozenset[str]:
    """Return the fields that nothing reads."""
    return frozenset(row) - KNOWN[kind]
