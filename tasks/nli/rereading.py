"""Parse stored response bodies again after the parser changed; nothing is fetched."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

from medassay.models.records import SourceRecord
from medassay.models.sources.abstracts import JOINED
from medassay.models.sources.crossref import record_in
from medassay.models.sources.jats import read_articles
from medassay.models.sources.medline import Unreadable
from medassay.models.sources.pmc import with_text_of
from medassay.models.sources.pubmed_records import read_records
from medassay.models.sources.resolver import RawBody
from medassay.models.sources.transfer import record_from_row
from medassay.models.sources.transport import NoAnswer
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.sources.storing import READING, Told, keep

_STALE = statement("statements/citations/rereading/stale")


def read_again(raw: RawBody, told: Mapping[str, tuple[str, SourceRecord]]) -> dict[str, SourceRecord]:
    """Read the records that came from one body anew.

    Args:
        raw: the body.
        told: who told it and what was read of it, by source id.

    Returns:
        Records by source id; without those that cannot be put together from this body alone.
    """
    again: dict[str, SourceRecord] = {}
    by_origin: dict[str, dict[str, SourceRecord]] = {}
    for name, (origin, record) in told.items():
        by_origin.setdefault(origin, {})[name] = record
    try:
        again |= _of_pubmed(raw, by_origin.get("pubmed", {}))
        again |= _of_pmc(raw, by_origin.get("pmc", {}))
        for name, record in by_origin.get("crossref", {}).items():
            read = record_in(raw, name)
            open_still = record.retracted == "unchecked" and read.retracted == "no"
            again[name] = replace(read, retracted="unchecked") if open_still else read
        for name, record in by_origin.get(JOINED, {}).items():
            again[name] = replace(record, sections=record_in(raw, name).sections)
    except (NoAnswer, Unreadable):
        return {}
    return again


def _of_pubmed(raw: RawBody, records: Mapping[str, SourceRecord]) -> dict[str, SourceRecord]:
    pmids = {
        name: pmids[0]
        for name, record in records.items()
        if not name.startswith("pmcid:")
        and (pmids := [one[5:] for one in record.identifiers if one.startswith("pmid:")])
    }
    found = read_records(raw, set(pmids.values())).found if pmids else {}
    return {
        name: replace(read, source_id=name, identifiers=tuple(dict.fromkeys([*read.identifiers, name])))
        for name, pmid in pmids.items()
        if (read := found.get(pmid))
    }


def _of_pmc(raw: RawBody, records: Mapping[str, SourceRecord]) -> dict[str, SourceRecord]:
    """Read full texts; what PubMed said beside them stays as it was."""
    texts = {f"pmcid:{text.pmcid}": text for text in read_articles(raw.body)} if records else {}
    return {
        name: with_text_of(record, texts[name])
        for name, record in records.items()
        if record.full_text and name in texts and texts[name].has_body
    }


def read_kept_bodies(warehouse: Warehouse) -> None:
    """Read the pending sources anew that an older reading read, a body and a transaction at a time.

    What was told stays as old as it was. What a body alone does not tell is left to be asked for.
    """
    for digest, group in groupby(
        warehouse.rows(_STALE, {"reading": READING}), lambda row: str(row["body_digest"])
    ):
        told = {row["source_id"]: row for row in group}
        (kept,) = warehouse.rows("from source_body where content_digest = ?", [digest])
        raw = RawBody(digest, gzip.decompress(kept["body"]), kept["url"], kept["fetched_at"])
        before = {
            name: (row["origin"], record_from_row(json.loads(row["record"]))) for name, row in told.items()
        }
        again = read_again(raw, before)
        keep(
            warehouse,
            [
                Told(record, told[name]["origin"], digest, told[name]["told_at"])
                for name, record in again.items()
            ],
        )
