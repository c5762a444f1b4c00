"""What the world has told a home about sources, carried into another."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from models.sources.transfer import KeptSource, State, read_sources, record_from_row, write_sources
from sql.warehouse import Warehouse
from tasks.citations.sources import Told, keep, keep_missing

BATCH = 500


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
    sources = iter(read_sources(path))
    with warehouse.transaction():
        while batch := list(islice(sources, BATCH)):
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
