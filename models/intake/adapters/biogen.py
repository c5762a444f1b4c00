"""BioACE / TREC BioGen: topics, and answers as sentences that cite PMIDs.

The forms of the track's pages: 2025's task B (`metadata`, `responses` of text and citations) and task A
(`answer` of text, supported and contradicted citations), 2024's runs (`results` of answers with bracketed PMIDs),
the organisers' topics; and TREC RAG's (`citations` that are indices into `references`).
"""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, first_of, record_by_record
from medassay.models.intake.rows import Kind

_TOPIC = ("topic_id", "narrative_id", "qa_id", "question_id", "qid", "id")
_SYSTEM = ("run_id", "run_name", "runtag", "system", "team_id")
_SENTENCES = ("responses", "answer", "answer_sentences")
_TEXT = ("text", "answer_sentence", "sentence")
_CITED = ("citations", "supported_citations", "references")


def recognises(record: Record) -> bool:
    """Return whether a record is a topic, or an answer in sentences or with a list of PMIDs under a topic."""
    if {"question", "narrative"} <= record.keys():
        return True
    if first_of(_about(record), *_TOPIC) is None:
        return False
    sentences = _sentences(record)
    if sentences:
        return all(isinstance(s, dict) and first_of(s, *_TEXT) is not None for s in sentences)
    if sentences == []:
        return "metadata" in record or "meta_data" in record
    return isinstance(record.get("answer"), str) and "topic_id" in record and _pmids(record.get("references"))


def _about(record: Record) -> Record:
    about = first_of(record, "metadata", "meta_data")
    return about if isinstance(about, dict) else record


def _sentences(record: Record) -> list[Any] | None:
    return next((record[name] for name in _SENTENCES if isinstance(record.get(name), list)), None)


def _pmids(listed: Any) -> bool:
    return isinstance(listed, list) and all(str(entry).isdigit() for entry in listed)


def convert(record: Record, stem: str) -> Iterator[tuple[Kind, Record]]:
    """Yield the answer, and its question where the record holds it."""
    about = _about(record)
    topic = first_of(about, *_TOPIC)
    if isinstance(question := first_of(about, "question", "topic", "query"), str):
        yield (
            "question",
            {
                "question_id": topic,
                "question": question,
                "reference_answer": first_of(record, "reference_answer", "expert_answer"),
                "nuggets": record.get("nuggets"),
                "category": about.get("topic") if "question" in about else None,
                "guidance": about.get("narrative"),
            },
        )
    own: Record = {"question_id": topic, "system": first_of(about, *_SYSTEM) or stem}
    sentences = _sentences(record)
    if sentences is not None:
        listed = record.get("references") or []
        yield "answer", own | {"sentences": [_sentence(sentence, listed) for sentence in sentences]}
    elif isinstance(record.get("answer"), str):
        references = [{"marker": str(pmid), "pmid": str(pmid)} for pmid in record.get("references") or ()]
        yield "answer", own | {"answer": record["answer"], "references": references}


def _sentence(sentence: Record, listed: list[Any]) -> Record:
    cited = first_of(sentence, *_CITED)
    if isinstance(cited, dict):  # RAGTIME: documents with the system's own scores
        cited = list(cited)
    citations = [_cited(c, listed) for c in cited] if isinstance(cited, list) else cited
    return {"text": first_of(sentence, *_TEXT), "citations": citations or []}


def _cited(citation: Any, listed: list[Any]) -> Any:
    """Read a PMID, an object with one, or an index into the record's references; what names nothing stays."""
    if isinstance(citation, int) and not isinstance(citation, bool) and 0 <= citation < len(listed):
        citation = listed[citation]
    named = (
        first_of(citation, "pmid", "cited_pmid", "docid", "id") if isinstance(citation, dict) else citation
    )
    if named is None or isinstance(named, bool | list | dict):
        return citation
    text = str(named)
    return f"PMID:{text}" if text.isdigit() else text


ADAPTER = record_by_record("BioACE / TREC BioGen", recognises, convert)
