"""Texts that answers carry of their own sources: what is read where a source cannot be looked up, or has no text."""

from dataclasses import replace

from models.records import Section, SourceRecord
from sql.warehouse import Row
from tasks.stages import Step


def carried(step: Step) -> dict[str, Row]:
    """Return the texts that answers carry of their own sources, such as an internal FAQ, by source."""
    return {row["source_id"]: row for row in step.warehouse.rows("from fetch_carried")}


def supplemented(record: SourceRecord, row: Row) -> SourceRecord:
    """Give a record without a text the one that an answer carries."""
    return replace(record, sections=(Section("", row["content"]),), url=record.url or row["url"])
