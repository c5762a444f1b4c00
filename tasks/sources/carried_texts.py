"""Texts of sources that answers carry themselves, used where no other text exists.

What one system says of a PMID proves nothing for or against another system that cites it.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.identifiers import page_of
from medassay.sql.warehouse import Row
from medassay.tasks.sources.storing import Told, keep_all
from medassay.tasks.stages.stage import Step

# So many sources at a time, since a text may stand in each of thousands of answers.
BATCH = 200


def carried(step: Step) -> frozenset[str]:
    """Return the pending sources that answers carry a text of, such as an internal FAQ."""
    return frozenset(row["source_id"] for row in step.warehouse.rows("select source_id from fetch_carried"))


def pin_own(
    step: Step, source_ids: Collection[str], records: Mapping[str, SourceRecord] | None = None
) -> None:
    """Have each answer that carries a text of these sources judged by its own; what is known of them stays with it."""
    names = sorted(source_ids)
    for start in range(0, len(names), BATCH):
        rows = step.warehouse.rows(
            "from fetch_carried where source_id in (select unnest($names::varchar[])) order by source_id, content",
            {"names": names[start : start + BATCH]},
        )
        known = records or {}
        told = [
            Told(_supplemented(known.get(name) or SourceRecord(name, row["title"], ()), row), "answer")
            for row in rows
            for name in [row["source_id"]]
        ]
        step.warehouse.insert(
            "run_own_text",
            [
                {
                    "run_id": step.run.run_id,
                    "answer_key": answer_key,
                    "source_id": row["source_id"],
                    "fetch_no": fetch_no,
                }
                for row, fetch_no in zip(rows, keep_all(step.warehouse, told), strict=True)
                for answer_key in row["answer_keys"]
            ],
        )


def _supplemented(record: SourceRecord, row: Row) -> SourceRecord:
    """Give a record without a text the one that an answer carries."""
    return replace(
        record,
        sections=(Section("", row["content"]),),
        url=record.url or row["url"] or page_of(record.source_id),
    )
