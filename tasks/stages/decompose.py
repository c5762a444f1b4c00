"""Stage `decompose`: answers to claims and citations, as spans of the text."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from medassay.models.attribution import LLM
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.keys import content_key, text_key
from medassay.models.records import Answer, AuthoredReference, CitedSpan, Decomposition, Reference, Span
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.asking import MAX_REPLY_TOKENS, Ask, asking, describe_llm
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Stage, Step

if TYPE_CHECKING:
    from medassay.models.atomic.facts import AtomicReading

STAGE_VERSION = 36
BATCH = 200
ASKED_AT_ONCE = 32


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the rules by which an answer is taken apart, and the model that goes on where they end."""
    from medassay.models.text.markers.shapes import patterns

    asked = describe_llm(settings)
    shapes = content_key(patterns())
    if asked is None:
        return {"method": "rules", "shapes": shapes, "stage_version": STAGE_VERSION}
    from medassay.models.atomic.facts import atomic_prompt

    return {
        "method": "atomic facts",
        **asked,
        "prompt": content_key(atomic_prompt()),
        "material": "neutralised",
        "shapes": shapes,
        "stage_version": STAGE_VERSION,
    }


def answer_of(row: Row) -> Answer:
    """Rebuild the answer that a warehouse row holds."""
    return Answer(
        question_id="",
        system="",
        text=row["text"],
        references=tuple(_reference(entry) for entry in json.loads(row["reference_list"])),
        cited_spans=tuple(
            CitedSpan(
                entry["start"], entry["end"], tuple(entry["citations"]), entry.get("is_sentence", False)
            )
            for entry in json.loads(row["cited_spans"])
        ),
    )


def has_given_sentences(row: Row) -> bool:
    """Return whether the answer was given as sentences, which nobody splits further."""
    return any(entry.get("is_sentence") for entry in json.loads(row["cited_spans"]))


def _reference(entry: Row) -> Reference:
    return AuthoredReference(**entry) if "authors" in entry else Reference(**entry)


def work(step: Step) -> None:
    """Split new answers into claims and citations; mark what asserts nothing."""
    if describe_llm(step.settings) is None:
        for batch in step.batches(BATCH):
            finish(step, batch, [by_rule(row) for row in batch])
        return
    with asking(step) as ask:
        for batch in step.batches(ASKED_AT_ONCE):
            finish(step, batch, by_model(step, batch, ask))


def by_rule(row: Row) -> Decomposition:
    """Split an answer by rule."""
    from medassay.models.text.claims.decomposition import decompose

    return decompose(answer_of(row), row["question"], dict(map(tuple, json.loads(row["documents"]))))


def by_model(step: Step, batch: list[Row], ask: Ask) -> list[Decomposition | None]:
    """Split answers by rule, then let the model go on; what it cannot say stays as the rule has it, with the reason.

    An answer about which the model could not be reached is None: it is asked about again.
    """
    from medassay.models.atomic.facts import apply_atomic, left_to_the_rules, sentences_to_split

    rules = [by_rule(row) for row in batch]
    spans = [
        [] if has_given_sentences(row) else sentences_to_split(r) for row, r in zip(batch, rules, strict=True)
    ]
    asked = [index for index, found in enumerate(spans) if found]
    outcomes = ask([atomic_question(batch[index], spans[index]) for index in asked])
    parts: list[Decomposition | None] = [*rules]
    for index, outcome in zip(asked, outcomes, strict=True):
        row, rule = batch[index], rules[index]
        if outcome.value is not None:
            parts[index] = apply_atomic(row["text"], row["question"], rule, outcome.value)
            continue
        reason = outcome.reason or "the model was not reached"
        step.set_aside(row["answer_key"], outcome.status, reason)
        parts[index] = left_to_the_rules(rule, reason) if outcome.status == "abstained" else None
    return parts


def atomic_question(row: Row, spans: list[Span]) -> "Request[AtomicReading]":
    """Ask for the atomic facts of an answer's sentences; the reply is read to spans of the answer."""
    from medassay.models.atomic.facts import atomic_request, read_atomic

    messages, schema = atomic_request([row["text"][span.start : span.end] for span in spans])

    def read(text: str) -> "AtomicReading":
        reading = read_atomic(read_objects(text)[0].value, row["text"], spans)
        if not reading.facts:
            raise Complaint(next(iter(reading.refused.values())))
        return reading

    return Request(
        item_key=row["answer_key"],
        messages=(Message("system", messages[0]["content"]), Message("user", messages[1]["content"])),
        read=read,
        schema=schema,
        schema_name="atomic_facts",
        max_tokens=MAX_REPLY_TOKENS,
    )


def finish(step: Step, batch: list[Row], parts: Sequence[Decomposition | None]) -> None:
    """Write what was taken apart."""
    made = [(row["answer_key"], part) for row, part in zip(batch, parts, strict=True) if part is not None]
    with step.warehouse.transaction():
        write(step, made)
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
                "split_reason": claim.split_reason,
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


def prepare(run: RunRef) -> None:
    """With `--retry`, drop what stands of answers of which the model said nothing usable: it is asked again."""
    warehouse = run.warehouse
    keys = [row["answer_key"] for row in warehouse.rows("from decompose_again")]
    with warehouse.transaction():
        for table in made_of_claims(warehouse) if keys else ():
            warehouse.execute(
                f"delete from {table} where answer_key in (select unnest($keys))", {"keys": keys}
            )


def made_of_claims(warehouse: Warehouse) -> list[str]:
    """Return the tables of what an answer's claims are, and of what was made of them: all by answer and fingerprint.

    Criteria are judged on the answer as a whole.
    """
    rows = warehouse.rows(
        "select table_name from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)"
        " where database_name = current_database() and schema_name = 'main' and table_name <> 'criterion_verdict'"
        " group by table_name having list_has_all(list(column_name), ['answer_key', 'fingerprint']) order by table_name"
    )
    return [row["table_name"] for row in rows]


decompose = Stage(
    "decompose",
    work,
    spec,
    LLM,
    prepare=prepare,
    retries=1,
    settles=("current_answer", "current_claim"),
    writes=("decomposition", "claim", "citation", "cited_source"),
)
