"""Sources in the warehouse: kept once by content, listed, and carried between homes."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from models.keys import content_key, text_key
from models.records import SourceRecord
from models.sources.transfer import KeptSource, State, read_sources, record_from_row, write_sources
from sql.warehouse import Row, Warehouse

BATCH = 500
# Moves when the same answer of a source is read into another record: what was read before is asked for again.
READING = 2
# What came with the data travels with the data.
FROM_DATA = ("document", "answer", "supplied")


@dataclass(frozen=True, slots=True)
class Told:
    """A record, who told it, when, and the digest of the body or file that it was read from."""

    record: SourceRecord
    origin: str
    body_digest: str | None = None
    fetched_at: datetime | None = None


def keep(warehouse: Warehouse, told: Iterable[Told]) -> dict[str, int]:
    """Store a fetch of each source with its passages, unless the same text is there; return their numbers by id."""
    from models.sources.passages import passages_of

    latest = {item.record.source_id: item for item in told}
    known = _known_fetches(warehouse, list(latest))
    numbers: dict[str, int] = {}
    sources: list[Row] = []
    passages: list[Row] = []
    texts: dict[str, str] = {}
    for source_id, item in latest.items():
        # A title is no text to judge a claim by.
        parts = passages_of(item.record) if item.record.sections else []
        digest = _content_digest(item.record, [(part.label, part.text) for part in parts])
        before = known.get(source_id, {})
        if digest in before:
            numbers[source_id] = before[digest]
            continue
        fetch_no = numbers[source_id] = max(before.values(), default=0) + 1
        sources.append(_source_row(item, fetch_no, digest))
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
        warehouse.execute(
            "update source set reading = $reading from"
            " (select unnest($names::varchar[]) as source_id, unnest($numbers::integer[]) as fetch_no) as told"
            " where source.source_id = told.source_id and source.fetch_no = told.fetch_no"
            " and source.reading is distinct from $reading",
            {"reading": READING, "names": list(numbers), "numbers": list(numbers.values())},
        )
    return numbers


def _known_fetches(warehouse: Warehouse, source_ids: list[str]) -> dict[str, dict[str, int]]:
    known: dict[str, dict[str, int]] = {}
    for row in warehouse.rows(
        "select source_id, content_digest, fetch_no from source"
        " where source_id in (select unnest($names::varchar[]))",
        {"names": source_ids},
    ):
        known.setdefault(row["source_id"], {})[row["content_digest"]] = row["fetch_no"]
    return known


def _content_digest(record: SourceRecord, parts: list[tuple[str, str]]) -> str:
    standing = [record.retracted, record.concern, record.erratum]
    return content_key([record.title, [list(part) for part in parts], standing, record.full_text])


def _source_row(item: Told, fetch_no: int, digest: str) -> Row:
    record = item.record
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
        "fetched_at": item.fetched_at or datetime.now(UTC),
        "reading": READING,
    }


def keep_missing(warehouse: Warehouse, missing: Iterable[KeptSource], fingerprint: str | None) -> None:
    """Remember that sources which answered do not have these records; what is newer counts."""
    rows = [row for row in missing if row.origin not in FROM_DATA]
    warehouse.execute(
        "insert into missing_source by name"
        " select unnest($names::varchar[]) as source_id, unnest($reasons::varchar[]) as reason,"
        " unnest($origins::varchar[]) as origin, $fingerprint as fingerprint,"
        " unnest($times::timestamptz[]) as fetched_at"
        " on conflict (source_id) do update set reason = excluded.reason, origin = excluded.origin,"
        " fingerprint = excluded.fingerprint, fetched_at = excluded.fetched_at"
        " where excluded.fetched_at >= missing_source.fetched_at",
        {
            "names": [row.source_id for row in rows],
            "reasons": [row.reason or "the source that was asked has no such record" for row in rows],
            "origins": [row.origin for row in rows],
            "times": [row.fetched_at or datetime.now(UTC) for row in rows],
            "fingerprint": fingerprint,
        },
    )


def kept_sources(warehouse: Warehouse) -> Iterator[KeptSource]:
    """Yield the newest fetch of every source that the world was asked for, and what it does not have, by id.

    What PubMed's files have withdrawn since is not had, whatever was fetched before: the files stay here.
    """
    names = [row["source_id"] for row in warehouse.rows(_KEPT_NAMES)]
    for start in range(0, len(names), BATCH):
        for row in warehouse.rows(_KEPT, {"names": names[start : start + BATCH]}):
            state: State = "found" if row["record"] else "not_found"
            record = record_from_row(json.loads(row["record"])) if row["record"] else None
            yield KeptSource(
                row["source_id"], state, record, row["reason"], row["origin"], row["fetched_at"], row["body_digest"]
            )  # fmt: skip


_KEPT_NAMES = """
select distinct source_id from source where record is not null
union select source_id from missing_source
union select source_id from withdrawn_source
order by source_id
"""

_KEPT = """
with names as (select unnest($names::varchar[]) as source_id),

found as (
    select source.* from source semi join names using (source_id)
    anti join withdrawn_source using (source_id)
    where source.record is not null
    qualify row_number() over (partition by source_id order by fetch_no desc) = 1
),

missing as (
    select source_id, reason, origin, fetched_at from withdrawn_source
    union all
    select source_id, reason, origin, fetched_at from missing_source anti join withdrawn_source using (source_id)
)

select
    source_id,
    found.record::varchar as record,
    if(found.record is null, missing.reason, null) as reason,
    coalesce(found.origin, missing.origin) as origin,
    coalesce(found.fetched_at, missing.fetched_at) as fetched_at,
    found.body_digest
from names
left join found using (source_id)
left join missing using (source_id)
order by source_id
"""


def export_sources(warehouse: Warehouse, path: Path) -> int:
    """Write what the world has told this home into a file; return how many sources."""
    return write_sources(path, kept_sources(warehouse))


def import_sources(warehouse: Warehouse, path: Path) -> tuple[int, int]:
    """Take in what another home was told, all of the file or nothing; return how many were found and not found.

    Of a source that is here too the newer fetch counts.

    Raises:
        UsageError: naming file and line.
    """
    n_found = n_missing = 0
    with warehouse.transaction():
        for batch in _batched(read_sources(path)):
            found = [source for source in batch if source.record is not None]
            missing = [source for source in batch if source.record is None]
            n_found += len(found)
            n_missing += len(missing)
            older = _fetched_since(warehouse, found)
            keep(
                warehouse,
                [
                    Told(source.record, source.origin, source.digest, source.fetched_at)
                    for source in found
                    if source.record is not None and source.source_id not in older
                ],
            )
            keep_missing(warehouse, missing, None)
    return n_found, n_missing


def _fetched_since(warehouse: Warehouse, sources: list[KeptSource]) -> set[str]:
    """Return those of which a newer fetch is here."""
    newest = {
        row["source_id"]: row["fetched_at"]
        for row in warehouse.rows(
            "select source_id, max(fetched_at) as fetched_at from source"
            " where record is not null and source_id in (select unnest($names::varchar[])) group by source_id",
            {"names": [source.source_id for source in sources]},
        )
    }
    return {
        source.source_id
        for source in sources
        if source.source_id in newest
        and (source.fetched_at is None or newest[source.source_id] > source.fetched_at)
    }


def _batched(sources: Iterator[KeptSource]) -> Iterator[list[KeptSource]]:
    batch: list[KeptSource] = []
    for source in sources:
        batch.append(source)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def list_sources(warehouse: Warehouse) -> list[Row]:
    """Count what is here by origin: sources, those with text, retracted ones, the newest fetch's date.

    A source counts once, for who told it last; so does a record of PubMed's files, however often they revise it.
    """
    return warehouse.rows(
        """
        with newest as (
            from source qualify row_number() over (partition by source_id order by fetch_no desc) = 1
        ),

        counted as (
            select
                origin,
                count(*) as n_sources,
                count(texts.source_id) as n_with_text,
                count(*) filter (retracted = 'yes') as n_retracted,
                max(fetched_at) as newest
            from newest
            left join (select distinct source_id, fetch_no from passage) as texts using (source_id, fetch_no)
            group by origin
        ),

        missing as (
            select
                'not found by ' || origin as origin,
                count(*) as n_sources,
                0 as n_with_text,
                0 as n_retracted,
                max(fetched_at) as newest
            from missing_source
            anti join newest using (source_id)
            group by origin
        ),

        held as (
            select bool_or(is_there) as is_there
            from (
                select source_id, arg_max(record is not null, (revision, file_no, position)) as is_there
                from pubmed_change
                group by source_id, version
            )
            group by source_id
        ),

        filed as (
            select
                'held in ' || count(*) || if(count(*) = 1, ' PubMed file', ' PubMed files') as origin,
                (select count(*) from held where is_there) as n_sources,
                null as n_with_text,
                null as n_retracted,
                max(added_at) as newest
            from pubmed_file
            having count(*) > 0
        )

        from counted union all by name from missing union all by name from filed
        order by n_with_text is null, origin
        """
    )
