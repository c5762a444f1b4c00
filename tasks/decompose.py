"""Answers → claims with their citations and their place in the text."""

import json
from typing import Any

from models.keys import text_key
from models.records import Answer, CitedSpan, Decomposition, Reference
from models.settings import Settings
from sql.warehouse import Row
from tasks.stages import Stage, Step

STAGE_VERSION = 1
BATCH = 200


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the rules by which an answer is taken apart."""
    return {"method": "rules", "stage_version": STAGE_VERSION}


def answer_of(row: Row) -> Answer:
    """Rebuild the answer that a warehouse row holds."""
    return Answer(
        question_id="",
        system="",
        text=row["text"],
        references=tuple(Reference(**entry) for entry in json.loads(row["reference_list"])),
        cited_spans=tuple(
            CitedSpan(entry["start"], entry["end"], tuple(entry["citations"]))
            for entry in json.loads(row["cited_spans"])
        ),
    )


def work(step: Step) -> None:
    """Take each new answer apart: claims, what they cite, and what asserts nothing."""
    from models.text.claims import decompose

    for batch in step.batches(BATCH):
        parts = [
            (row["answer_key"], decompose(answer_of(row), row["question"], json.loads(row["documents"])))
            for row in batch
        ]
        with step.warehouse.transaction():
            write(step, parts)
        step.advance(len(batch))


def write(step: Step, parts: list[tuple[str, Decomposition]]) -> None:
    """Store decompositions: one row a claim, a citation, a cited source, and a summary that marks the answer done."""
    keyed = [({"answer_key": key, "fingerprint": step.fingerprint}, part) for key, part in parts]
    claims = [(key, claim) for key, part in keyed for claim in part.claims]
    insert = step.warehouse.insert
    insert("text", [{"text_key": text_key(claim.text), "text": claim.text} for _, claim in claims])
    insert(
        "claim",
        [
            {
                **key,
                "position": claim.position,
                "text_key": text_key(claim.text),
                "span_start": claim.start,
                "span_end": claim.end,
                "kind": claim.kind,
                "kind_reason": claim.kind_reason,
                "needs_citation": claim.needs_citation,
                "needs_reason": claim.needs_reason,
            }
            for key, claim in claims
        ],
    )
    insert(
        "citation",
        [
            {
                **key,
                "claim_position": claim.position,
                "ordinal": citation.ordinal,
                "marker": citation.marker,
                "source_id": citation.source_id,
                "span_start": citation.start,
                "span_end": citation.end,
            }
            for key, claim in claims
            for citation in claim.citations
        ],
    )
    insert(
        "cited_source",
        [
            {
                **key,
                "source_id": source.source_id,
                "title": source.title,
                "url": source.url,
                "content": source.content,
                "origin": source.origin,
            }
            for key, part in keyed
            for source in part.sources
        ],
    )
    insert(
        "decomposition",
        [
            {
                **key,
                "n_claims": sum(claim.kind == "claim" for claim in part.claims),
                "n_non_claims": sum(claim.kind == "non_claim" for claim in part.claims),
                "n_characters": part.n_characters,
                "n_characters_covered": part.n_characters_covered,
                "has_references": part.has_references,
            }
            for key, part in keyed
        ],
    )


decompose_answers = Stage("decompose", work, spec)
