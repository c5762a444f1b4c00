"""BioACE / TREC BioGen: one record an answer, in sentences that cite PMIDs."""

from collections.abc import Iterator
from typing import Any

from models.intake.rows import Kind

NAME = "BioACE / TREC BioGen"
_SENTENCES = ("responses", "answer", "answer_sentences")


def recognises(value: dict[str, Any]) -> bool:
    """Say whether a record has the form: sentences with their citations under a topic."""
    sentences = _sentences(value)
    has_topic = any(name in value for name in ("metadata", "topic_id", "qid", "question_id", "id"))
    return (
        bool(sentences)
        and has_topic
        and all(
            isinstance(s, dict)
            and ("citations" in s or "references" in s)
            and ("text" in s or "answer_sentence" in s)
            for s in sentences
        )
    )


def _sentences(value: dict[str, Any]) -> list[Any]:
    found = next((value[name] for name in _SENTENCES if isinstance(value.get(name), list)), [])
    return list(found)


def convert(value: dict[str, Any]) -> Iterator[tuple[Kind, dict[str, Any]]]:
    """Yield the answer, and its question where the record holds it."""
    about = value.get("metadata") or value
    topic = next(
        (about[n] for n in ("topic_id", "qid", "question_id", "id") if about.get(n) is not None), None
    )
    system = next(
        (about[n] for n in ("run_id", "run_name", "system", "team_id", "runtag") if about.get(n)), None
    )
    question = next((about[n] for n in ("question", "topic", "query", "narrative") if about.get(n)), None)
    if question is not None:
        yield (
            "question",
            {
                "question_id": topic,
                "question": question,
                "reference_answer": value.get("reference_answer") or value.get("expert_answer"),
                "nuggets": value.get("nuggets"),
            },
        )
    listed = value.get("references") or []
    yield (
        "answer",
        {
            "question_id": topic,
            "system": system,
            "sentences": [
                {
                    "text": sentence.get("text") or sentence.get("answer_sentence") or "",
                    "citations": [
                        _cited(c, listed)
                        for c in sentence.get("citations") or sentence.get("references") or []
                    ],
                }
                for sentence in _sentences(value)
            ],
        },
    )


def _cited(citation: Any, listed: list[Any]) -> str:
    """Read a PMID, an object with one, or an index into the record's list of references."""
    if isinstance(citation, dict):
        citation = citation.get("pmid") or citation.get("cited_pmid") or citation.get("docid") or ""
    if isinstance(citation, int) and citation < len(listed):
        citation = listed[citation]
    text = str(citation)
    return f"PMID:{text}" if text.isdigit() else text
