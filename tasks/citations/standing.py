"""What a run would read of sources now: what the world last told, and of what it denies what PubMed's files hold."""

import hashlib
from collections.abc import Sequence

from medassay.models.keys import text_key
from medassay.models.sources.passages import passages_of
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.citations.pubmed_files import PubMedFiles


def standing(warehouse: Warehouse, names: Sequence[str]) -> dict[str, Row]:
    """Return by source id whether it is there, who told it, its title, a digest of its text, and its notices.

    Of what `is_filed` the world's last word is that it has no such record; `file` names the file that holds it. `pmids`
    are of a DOI the articles that PubMed told of under it.
    """
    rows = {row["source_id"]: row for row in warehouse.rows(_STANDING, {"names": list(names)})}
    denied = [name for name, row in rows.items() if row["is_denied"]]
    if denied and warehouse.value("select exists (from pubmed_file)"):
        rows |= _held_in_files(warehouse, denied)
    return rows


def _held_in_files(warehouse: Warehouse, names: Sequence[str]) -> dict[str, Row]:
    filed = PubMedFiles(warehouse).resolve(names)
    files = {row["file_digest"]: row["name"] for row in warehouse.rows("from pubmed_file")}
    held: dict[str, Row] = {}
    for name, record in filed.found.items():
        parts = passages_of(record) if record.sections else []
        lines = (f"{part.label} {text_key(part.text)}" for part in parts)
        held[name] = {
            "source_id": name,
            "is_there": True,
            "is_denied": True,
            "is_filed": True,
            "pmids": [],
            "file": files[filed.bodies[name]],
            "title": record.title,
            "origin": filed.origins[name],
            "text": hashlib.md5("\n".join(lines).encode(), usedforsecurity=False).hexdigest()
            if parts
            else None,
            "retracted": record.retracted,
            "concern": record.concern,
            "erratum": record.erratum,
        }
    return held


_STANDING = """
with names as (select unnest($names::varchar[]) as source_id),

texts as (
    select source_id, fetch_no, md5(string_agg(concat_ws(' ', label, text_key), chr(10) order by position)) as text
    from passage
    semi join names using (source_id)
    group by source_id, fetch_no
)

select
    names.source_id,
    coalesce(denied.source_id, vanished.source_id) is not null as is_denied,
    newest.source_id is not null and not is_denied as is_there,
    false as is_filed,
    if(
        names.source_id like 'doi:%' and newest.origin in ('pubmed', 'pubmed and crossref'),
        list_filter((newest.record ->> '$.identifiers[*]')::varchar[], lambda name: name like 'pmid:%'),
        []
    ) as pmids,
    newest.title,
    newest.origin,
    if(is_there, texts.text, null) as text,
    if(told.retracted, 'yes', newest.retracted) as retracted,
    if(told.concern, 'yes', newest.concern) as concern,
    if(told.erratum, 'yes', newest.erratum) as erratum
from names
left join told_notices('infinity'::timestamptz, null) as told using (source_id)
left join newest_source as newest using (source_id)
left join denied_source as denied using (source_id)
left join vanished_source as vanished using (source_id)
left join texts on texts.source_id = newest.source_id and texts.fetch_no = newest.fetch_no
order by names.source_id
"""
