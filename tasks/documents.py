"""Supplied documents as sources, under their own ids and all identifiers that they carry."""

import re
from collections.abc import Iterable
from dataclasses import replace

from medassay.models.intake import to_document
from medassay.models.records import Section, SeveralDocuments, SourceRecord
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.run import RunRef
from medassay.tasks.sources.storing import Told, keep

_HOW = re.compile(r"^(?:https?://)?(?:www\.)?", re.IGNORECASE)


def accept_documents(run: RunRef, rows: list[Row]) -> None:
    """Store supplied documents under their own id and under every identifier they carry, and pin them.

    Several may carry one identifier, as the passages of an article do that a retriever has cut up: whoever cites the
    article by it is judged by all of them, in their order.
    """
    from medassay.models.sources.choosing import in_parts, record_of_document

    records = [record_of_document(to_document(row["value"])) for row in rows]
    told = {record.source_id: record for record in records}
    named = {name for record in records if record.sections for name in record.identifiers} - told.keys()
    parts = {name: [record] for name, record in _taken_in(run.warehouse, named).items()}
    for record in records:
        for name in named.intersection(record.identifiers) if record.sections else ():
            parts.setdefault(name, []).append(replace(record, source_id=name))
    told |= {name: in_parts(found) for name, found in parts.items()}
    _pin(run, told.values())


def pin_addresses(run: RunRef, wanted: Iterable[str]) -> None:
    """Pin supplied pages under addresses that differ in `http`, `https` or `www.` alone, where answers cite these."""
    asked = {name: page for name in wanted if (page := _page(name))}
    if not asked:
        return
    supplied = run.warehouse.rows(
        "select source_id from current_source where origin = 'document' and starts_with(source_id, 'url:')"
    )
    pages = {_page(row["source_id"]): row["source_id"] for row in supplied}
    found = {name: pages[page] for name, page in asked.items() if page in pages}
    records = _taken_in(run.warehouse, set(found.values()))
    _pin(run, [replace(records[own], source_id=name) for name, own in found.items() if own in records])


def _page(source_id: str) -> str | None:
    """Return the address of a `url:` source without what says how to get there."""
    scheme, _, address = source_id.partition(":")
    return _HOW.sub("", address) if scheme == "url" else None


def _pin(run: RunRef, records: Iterable[SourceRecord]) -> None:
    numbers = keep(run.warehouse, [Told(record, "document") for record in records])
    run.warehouse.replace(
        "run_source",
        [
            {"run_id": run.run_id, "source_id": name, "fetch_no": number, "state": "found"}
            for name, number in numbers.items()
        ],
    )


def _taken_in(warehouse: Warehouse, names: Iterable[str]) -> dict[str, SourceRecord]:
    """Return what earlier documents of the run said under these identifiers, by identifier."""
    rows = warehouse.rows(statement("statements/documents/taken_in"), {"names": list(names)})
    return {
        row["source_id"]: SeveralDocuments(
            row["source_id"],
            row["title"],
            tuple(Section(part["label"], part["text"]) for part in row["sections"]),
            url=row["url"],
            breaks=tuple(range(1, len(row["sections"]))),
        )
        for row in rows
    }


def documents_of(warehouse: Warehouse) -> dict[str, str | None]:
    """Return the ids of the run's supplied documents, with their titles."""
    prefix = "document:"
    rows = warehouse.rows(
        "select source_id, title from current_source where starts_with(source_id, ?)", [prefix]
    )
    return {row["source_id"].removeprefix(prefix): row["title"] for row in rows}


def quarantined_documents_of(warehouse: Warehouse) -> dict[str, None]:
    """Return the ids, without titles, of the run's documents that broke a rule: answers cite them all the same."""
    rows = warehouse.rows(
        "select row_key from rejected_row"
        " where run_id = getvariable('run_id') and table_name = 'document' and row_key is not null"
    )
    return dict.fromkeys(row["row_key"] for row in rows)
