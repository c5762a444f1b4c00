"""MedAESQA: one record a question, with an expert's answer and those of many systems."""

from collections.abc import Iterator
from typing import Any

from models.intake.rows import Kind

NAME = "MedAESQA"


def recognises(value: dict[str, Any]) -> bool:
    """Say whether a record has the form."""
    return "machine_generated_answers" in value and "question_id" in value


def convert(value: dict[str, Any]) -> Iterator[tuple[Kind, dict[str, Any]]]:
    """Yield the question and the answer of each system.

    The bracketed numbers in both are PMIDs; those in the expert's answer are cut from what the nuggets are
    made of, those in the answers are read as the citations they are.
    """
    yield (
        "question",
        {
            "question_id": value["question_id"],
            "question": value.get("question"),
            "reference_answer": without_pmids(value.get("expert_curated_answer") or "") or None,
            "category": (value.get("question_frame") or {}).get("Specialty"),
        },
    )
    for system, answer in value["machine_generated_answers"].items():
        yield (
            "answer",
            {"question_id": value["question_id"], "system": system, "answer": answer.get("answer")},
        )


def without_pmids(text: str) -> str:
    """Cut `[12345678, 23456789]` with the space before it."""
    import re

    return re.sub(r"\s*\[\d{6,9}(?:\s*,\s*\d{6,9})*\]", "", text).strip()
