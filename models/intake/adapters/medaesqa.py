"""MedAESQA: questions with an expert's answer, many systems' answers, and what experts judged of each."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, record_by_record
from medassay.models.intake.rows import Kind

Rows = Iterator[tuple[Kind, Record]]
_EXPERTS = "experts"


def raw(record: Record, stem: str) -> Rows:
    """Yield the question and each system's answer, as they stand: the bracketed numbers in both are PMIDs.

    Human scores: `answer_accurate` (1 for yes, 0 for no), `required_sentences` (the share of the answer's sentences
    that experts hold to be required), and `evidence_relation`, the label of each cited PMID by sentence.
    """
    identity = record["question_id"]
    frame = record.get("question_frame")
    yield (
        "question",
        {
            "question_id": identity,
            "question": record.get("question"),
            "reference_answer": record.get("expert_curated_answer"),
            "category": frame.get("Specialty") if isinstance(frame, dict) else None,
        },
    )
    answers = record["machine_generated_answers"]
    for system, answer in answers.items():
        said = answer.get("answer") if isinstance(answer, dict) else answer
        yield "answer", {"question_id": identity, "system": system, "answer": said}
    # After all answers: a judgement that cannot be read must not cost another system its answer.
    for system, answer in answers.items():
        if not isinstance(answer, dict):
            continue
        scored = {
            "question_id": identity,
            "system": system,
            "annotator": _EXPERTS,
            "role": record.get("role") or "tune",
        }
        yield from _accuracy(scored, answer)
        sentences = answer.get("answer_sentences") or []
        if sentences:
            required = sum(s.get("answer_sentence_relevance") == "required" for s in sentences)
            yield "human_score", scored | {"metric": "required_sentences", "score": required / len(sentences)}
        yield from _relations(scored, sentences)


def _relations(scored: Record, sentences: list[Record]) -> Rows:
    """Yield one label a cited PMID and sentence: several spans of a paper are one judgement of it, the strongest."""
    for number, sentence in enumerate(sentences, 1):
        by_pmid: dict[str, list[Any]] = {}
        for assessed in sentence.get("citation_assessment") or ():
            by_pmid.setdefault(str(assessed.get("cited_pmid")), []).append(assessed.get("evidence_relation"))
        for pmid, relations in by_pmid.items():
            label = next(
                (known for known in ("supporting", "contradicting") if known in relations), relations[0]
            )
            item = f"sentence {sentence.get('answer_sentence_id') or number}, PMID:{pmid}"
            yield "human_score", scored | {"metric": "evidence_relation", "item": item, "label": label}


def judged(record: Record, stem: str) -> Rows:
    """Yield an answer that stands beside its judgements, and those as human scores.

    `clusters_required` and `clusters_supported_required` are the shares of the question's clusters of judged sentences
    that the answer hits; `n_required_sentences` is a count, since the number of sentences is not in the record.
    """
    own = {"question_id": record["question_id"], "system": record["system"]}
    yield "answer", own | {"answer": record["answer"]}
    scored = own | {"annotator": _EXPERTS, "role": record.get("role") or "tune"}
    yield from _accuracy(scored, record)
    for name in ("required_sentences", "borderline_sentences", "supported_required_sentences"):
        if isinstance(record.get(name), list):
            yield "human_score", scored | {"metric": f"n_{name}", "score": len(record[name])}
    total = record.get("clusters_total")
    for name in ("clusters_required", "clusters_supported_required"):
        if isinstance(record.get(name), list) and isinstance(total, int) and total:
            yield "human_score", scored | {"metric": name, "score": len(record[name]) / total}


def _accuracy(scored: Record, judged: Record) -> Rows:
    label = judged.get("is_answer_accurate")
    if isinstance(label, str):
        score = {"yes": 1.0, "no": 0.0}.get(label)
        yield "human_score", scored | {"metric": "answer_accurate", "label": label, "score": score}


RAW = record_by_record(
    "MedAESQA",
    lambda record: "question_id" in record and isinstance(record.get("machine_generated_answers"), dict),
    raw,
)
JUDGED = record_by_record(
    "MedAESQA",
    lambda record: {"question_id", "system", "answer", "is_answer_accurate"} <= record.keys(),
    judged,
)
