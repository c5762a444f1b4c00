"""Sources in the warehouse: stored once by content, and listed."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from medassay.models.keys import content_key, text_key
from medassay.models.records import SourceRecord
from medassay.models.sources.resolver import Resolution
from medassay.models.sources.transfer import KeptSource
from medassay.sql.warehouse import Row, Warehouse, statement

# Moves when the same answer of a source is read into another record: what was read before is read again from the body
# that is kept, and asked for again where none is.
READING = 4
# What came with the data travels with the data.
FROM_DATA = ("document", "answer", "supplied")


@dataclass(frozen=True, slots=True)
class Told:
    """A record, who told it, when, the digest of the body or file that it was read from, and by which reading."""

    record: SourceRecord
    origin: str
    body_digest: str | None = None
    fetched_at: datetime | None = None
    reading: int | None = READING


def keep(warehouse: Warehouse, told: Iterable[Told]) -> dict[str, int]:
    """Store a fetch of each source with its passages; return their numbers by id. Of one id the last item counts."""
    latest = {item.record.source_id: item for item in told}
    return dict(zip(latest, keep_all(warehouse, list(latest.values())), strict=True))


def keep_all(warehouse: Warehouse, told: Sequence[Told]) -> list[int]:
    """Store fetches with their passages, several of a source maybe; return their numbers in the same order.

    Where the same was told by the same before, nothing is stored but when it was told last.
    """
    from medassay.models.sources.passages import passages_of

    known = _known_fetches(warehouse, list({item.record.source_id for item in told}))
    numbers: list[int] = []
    sources: list[Row] = []
    passages: list[Row] = []
    texts: dict[str, str] = {}
    again: list[Row] = []
    for item in told:
        source_id = item.record.source_id
        # A title is no text to judge a claim by.
        parts = passages_of(item.record) if item.record.sections else []
        digest = _content_digest(item.record, [(part.label, part.text) for part in parts])
        before = known.setdefault(source_id, [])
        row = _source_row(item, max((row["fetch_no"] for row in before), default=0) + 1, digest)
        there = next((earlier for earlier in before if _tells_the_same(earlier, row)), None)
        fetch_no = (there or row)["fetch_no"]
        numbers.append(fetch_no)
        if there:
            if row["record"] and row["told_at"] >= there["told_at"]:
                reading = max(there["reading"] or 0, row["reading"] or 0) or None
                again.append({**there, "told_at": row["told_at"], "reading": reading})
            continue
        sources.append(row)
        before.append(row)
        for position, part in enumerate(parts):
            texts[text_key(part.text)] = part.text
            passages.append(
                {
                    "source_id": source_id,
                    "fetch_no": fetch_no,
                    "position": position,
                    "label": part.label,
                    "text_key": text_key(part.text),
                }
            )
    with warehouse.transaction():
        warehouse.insert("text", [{"text_key": key, "text": text} for key, text in texts.items()])
        warehouse.insert("passage", passages)
        warehouse.insert("source", sources)
        warehouse.replace("source", again)
    return numbers


def _known_fetches(warehouse: Warehouse, source_ids: list[str]) -> dict[str, list[Row]]:
    """Return what was fetched before, by source."""
    known: dict[str, list[Row]] = {}
    for row in warehouse.rows(
        "from source where source_id in (select unnest($names::varchar[])) order by fetch_no",
        {"names": source_ids},
    ):
        known.setdefault(row["source_id"], []).append(row)
    return known


def _tells_the_same(earlier: Row, row: Row) -> bool:
    """Tell whether text and standing are the same, and so is whatever else the same teller says of the article."""
    if earlier["content_digest"] != row["content_digest"]:
        return False
    if earlier["record"] is None or row["record"] is None:
        return earlier["record"] is row["record"]
    return bool(
        earlier["origin"] == row["origin"] and json.loads(earlier["record"]) == json.loads(row["record"])
    )


def _content_digest(record: SourceRecord, parts: list[tuple[str, str]]) -> str:
    standing = [record.retracted, record.concern, record.erratum]
    return content_key([record.title, [list(part) for part in parts], standing, record.full_text])


def _source_row(item: Told, fetch_no: int, digest: str) -> Row:
    record = item.record
    fetched_at = item.fetched_at or datetime.now(UTC)
    return {
        "source_id": record.source_id,
        "fetch_no": fetch_no,
        "origin": item.origin,
        "content_digest": digest,
        "title": record.title,
        "year": record.year,
        "journal": record.journal,
        "publication_types": json.dumps(record.publication_types),
        "url": record.url,
        "retracted": record.retracted,
        "concern": record.concern,
        "erratum": record.erratum,
        "full_text": record.full_text,
        "record": None if item.origin in FROM_DATA else json.dumps(asdict(record), ensure_ascii=False),
        "body_digest": item.body_digest,
        "fetched_at": fetched_at,
        "told_at": fetched_at,
        "reading": item.reading,
    }


def learn(warehouse: Warehouse, resolution: Resolution, fingerprint: str) -> dict[str, int]:
    """Keep what sources answered, bodies and all; return the fetch numbers of what they have, by id."""
    times = {raw.digest: raw.fetched_at for raw in resolution.raw}
    # What a file says it has said since it was added, however often it is read.
    times |= {row["file_digest"]: row["added_at"] for row in warehouse.rows("from pubmed_file")}
    told = [
        Told(record, resolution.origins[name], digest, times.get(digest or ""))
        for name, record in resolution.found.items()
        for digest in [resolution.bodies.get(name)]
    ]
    now = datetime.now(UTC)
    missing = [
        KeptSource(name, "not_found", None, reason, resolution.origins[name], now)
        for name, reason in resolution.not_found.items()
        if resolution.origins[name] != "pubmed files"
    ]
    with warehouse.transaction():
        warehouse.insert(
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
        numbers = keep(warehouse, told)
        warehouse.replace(
            "textless_source", [{"source_id": name, "asked_at": now} for name in sorted(resolution.textless)]
        )
        keep_missing(warehouse, missing, fingerprint)
    return numbers


def keep_missing(warehouse: Warehouse, missing: Iterable[KeptSource], fingerprint: str | None) -> None:
    """Remember that sources which answered do not have these records; what is newer counts."""
    rows = [row for row in missing if row.origin not in FROM_DATA]
    warehouse.execute(
        statement("statements/citations/sources/keep_missing"),
        {
            "names": [row.source_id for row in rows],
            "reasons": [row.reason or "the source that was asked has no such record" for row in rows],
            "origins": [row.origin for row in rows],
            "times": [row.fetched_at or datetime.now(UTC) for row in rows],
            "fingerprint": fingerprint,
        },
    )


def list_sources(warehouse: Warehouse) -> list[Row]:
    """Count what is here by origin: names, records, those with text, retracted ones, the newest fetch's date.

    A name counts once, for who told it last; a record once by however many names it is known. So does a record of
    PubMed's files, however often they revise it. What was not found has names and no records.
    """
    return warehouse.rows(statement("statements/citations/sources/list_sources"))
