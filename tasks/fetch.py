"""Cited sources → passages, or the reason why there are none."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from models.keys import content_key, text_key
from models.records import Section, SourceRecord
from models.settings import Settings
from tasks.progress import watcher
from tasks.run import RunRef
from tasks.stages import Report, Stage, Step

STAGE_VERSION = 1
NOT_ASKED = "PubMed was not asked: set NCBI_EMAIL to let it be, or supply the source in documents.*"
OFFLINE = (
    "PubMed was not asked: the run is offline; supply the source in documents.*, or run without --offline"
)
NOBODY = "none"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: which sources may be, and how their answers are read."""
    from models.sources.choosing import why_pubmed_is_closed
    from models.sources.entrez import EntrezSettings

    closed = why_pubmed_is_closed(offline=settings.offline)
    pubmed = None if closed else EntrezSettings.from_environment().base_url
    return {"pubmed": pubmed, "stage_version": STAGE_VERSION}


def work(step: Step) -> None:
    """Ask for the sources that nothing at hand has the text of."""
    source_ids = [row["item_key"] for row in step.pending()]
    if source_ids:
        ask(step, source_ids)


def pin_what_is_at_hand(step: Step) -> None:
    """Pin what answers carry and what was fetched before; where nobody may be asked, say so once."""
    from models.sources.choosing import why_pubmed_is_closed

    pin_carried(step)
    pin_cached(step)
    pin_known_missing(step)
    closed = why_pubmed_is_closed(offline=step.settings.offline)
    if closed and (source_ids := [row["item_key"] for row in step.pending()]):
        watcher().say(f"{len(source_ids)} cited sources cannot be checked: {closed}")
        ask(step, source_ids)


def pin(step: Step, rows: Iterable[tuple[str, int | None, str, str | None]]) -> None:
    """Write down which text of each source this run uses: (source, fetch number, state, reason)."""
    step.warehouse.insert(
        "run_source",
        [
            {
                "run_id": step.run.run_id,
                "source_id": source_id,
                "fetch_no": fetch_no,
                "state": state,
                "reason": reason,
            }
            for source_id, fetch_no, state, reason in rows
        ],
    )


def pin_carried(step: Step) -> None:
    """Use the text that an answer carries of its own source, such as an internal FAQ."""
    records = [
        SourceRecord(row["source_id"], row["title"], (Section("", row["content"]),), url=row["url"])
        for row in step.warehouse.rows("from fetch_carried")
    ]
    pin(step, [(record.source_id, store(step, record, "answer"), "found", None) for record in records])


def pin_cached(step: Step) -> None:
    """Use what was fetched before."""
    cached = step.warehouse.rows("from fetch_cached")
    pin(step, [(row["source_id"], row["fetch_no"], "found", None) for row in cached])


def pin_known_missing(step: Step) -> None:
    """Keep to it that a source which answered does not know this record, until `--retry`."""
    missing = step.warehouse.rows("from fetch_known_missing")
    pin(step, [(row["source_id"], None, "not_found", row["reason"]) for row in missing])


def ask(step: Step, source_ids: list[str]) -> None:
    """Ask in order: what a source does not know is not found, what it could not say has failed and is asked again."""
    from models.sources.choosing import choose_resolvers
    from models.sources.resolver import resolve_in_order

    resolvers = choose_resolvers((), offline=step.settings.offline)
    resolution = resolve_in_order(resolvers, source_ids, step.advance)
    with step.warehouse.transaction():
        step.warehouse.insert(
            "source_body",
            [
                {
                    "content_digest": raw.digest,
                    "url": raw.url,
                    "body": raw.packed(),
                    "fetched_at": raw.fetched_at,
                }
                for raw in resolution.raw
            ],
        )
        pin(
            step,
            [
                (source_id, store(step, record, resolution.origins[source_id]), "found", None)
                for source_id, record in resolution.found.items()
            ],
        )
        pin(
            step,
            [(source_id, None, "not_found", reason) for source_id, reason in resolution.not_found.items()],
        )
        for source_id, reason in resolution.not_found.items():
            step.set_aside(source_id, "not_found", reason)
        for source_id, reason in resolution.unresolved.items():
            if resolution.origins[source_id] in NOT_ASKED:
                pin(step, [(source_id, None, "unverifiable", reason)])
            else:
                step.set_aside(source_id, "failed", reason)


def store(step: Step, record: SourceRecord, origin: str) -> int:
    """Store one fetch of a source with its passages, unless the same text is there; return its number."""
    from models.sources.passages import passages_of

    parts = passages_of(record)
    digest = content_key(
        [record.title, [(part.label, part.text) for part in parts], record.retracted, record.concern]
    )
    known = step.warehouse.rows(
        "select fetch_no, content_digest from source where source_id = ? order by fetch_no",
        [record.source_id],
    )
    for row in known:
        if row["content_digest"] == digest:
            return int(row["fetch_no"])
    fetch_no = len(known) + 1
    step.warehouse.insert("text", [{"text_key": text_key(part.text), "text": part.text} for part in parts])
    step.warehouse.insert(
        "passage",
        [
            {
                "source_id": record.source_id,
                "fetch_no": fetch_no,
                "position": position,
                "label": part.label,
                "text_key": text_key(part.text),
            }
            for position, part in enumerate(parts)
        ],
    )
    step.warehouse.insert(
        "source",
        [
            {
                "source_id": record.source_id,
                "fetch_no": fetch_no,
                "origin": origin,
                "content_digest": digest,
                "title": record.title,
                "year": record.year,
                "journal": record.journal,
                "publication_types": json.dumps(record.publication_types),
                "url": record.url,
                "retracted": record.retracted,
                "concern": record.concern,
                "erratum": record.erratum,
                "fetched_at": datetime.now(UTC),
            }
        ],
    )
    return fetch_no


FETCH = Stage("fetch", work, spec, retries=2)


def fetch(run: RunRef) -> Report:
    """Pin what is at hand, then ask for the rest."""
    fingerprint = FETCH.pin(run)
    pin_what_is_at_hand(Step(run, FETCH.name, fingerprint, run.warehouse, run.settings))
    return FETCH(run)
