"""Forms of retrieval-augmented evaluation tools and corpora: RAGChecker, nuggetizer, open-rag-eval, PubMedQA."""

from collections.abc import Iterator
from typing import Any

from models.intake.rows import Kind

Rows = Iterator[tuple[Kind, dict[str, Any]]]


def recognises_ragchecker(value: dict[str, Any]) -> bool:
    """Say whether a record is RAGChecker's: `results` of queries with a response and a ground truth."""
    results = value.get("results")
    return (
        isinstance(results, list) and bool(results) and "query_id" in results[0] and "response" in results[0]
    )


def convert_ragchecker(value: dict[str, Any]) -> Rows:
    """Yield questions, answers and the retrieved passages as documents."""
    system = value.get("system") or "system"
    for result in value["results"]:
        identity = str(result["query_id"])
        yield (
            "question",
            {
                "question_id": identity,
                "question": result.get("query"),
                "reference_answer": result.get("gt_answer"),
            },
        )
        yield (
            "answer",
            {
                "question_id": identity,
                "system": result.get("system") or system,
                "answer": result.get("response"),
            },
        )
        for passage in result.get("retrieved_context") or []:
            yield "document", {"id": passage.get("doc_id"), "text": passage.get("text")}


def recognises_nuggetizer(value: dict[str, Any]) -> bool:
    """Say whether a row is nuggetizer's: a query with its nuggets."""
    return {"qid", "query", "nuggets"} <= value.keys()


def convert_nuggetizer(value: dict[str, Any]) -> Rows:
    """Yield the question with its nuggets."""
    nuggets = [{"text": n["text"], "importance": n.get("importance") or "vital"} for n in value["nuggets"]]
    yield "question", {"question_id": str(value["qid"]), "question": value["query"], "nuggets": nuggets}


def recognises_open_rag_eval(value: dict[str, Any]) -> bool:
    """Say whether a row is open-rag-eval's: a query with a generated answer and numbered passages."""
    return {"query_id", "query", "generated_answer"} <= value.keys()


def convert_open_rag_eval(value: dict[str, Any]) -> Rows:
    """Yield the question and the answer with the passages it was given as references."""
    identity = str(value["query_id"])
    passages = value.get("passages") or value.get("passage") or []
    texts = list(passages.values()) if isinstance(passages, dict) else passages
    yield "question", {"question_id": identity, "question": value["query"]}
    yield (
        "answer",
        {
            "question_id": identity,
            "system": value.get("system") or value.get("query_run") or "system",
            "answer": value["generated_answer"],
            "references": [
                {"marker": str(n), "content": text if isinstance(text, str) else text.get("text")}
                for n, text in enumerate(texts, 1)
            ],
        },
    )


def recognises_pubmedqa(value: dict[str, Any]) -> bool:
    """Say whether a row is PubMedQA's: a question with the abstract and conclusion it was made from."""
    return {"pmid", "question", "sections", "conclusion"} <= value.keys()


def convert_pubmedqa(value: dict[str, Any]) -> Rows:
    """Yield the question and its abstract; the conclusion is the reference answer, and one system's answer too."""
    pmid = str(value["pmid"])
    yield (
        "question",
        {"question_id": pmid, "question": value["question"], "reference_answer": value["conclusion"]},
    )
    yield (
        "answer",
        {
            "question_id": pmid,
            "system": "conclusion",
            "sentences": [{"text": value["conclusion"], "citations": [f"PMID:{pmid}"]}],
        },
    )
