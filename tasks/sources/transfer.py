"""Export and import of fetched sources between homes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from medassay.models.counting import counted
from medassay.models.sources.transfer import KeptSource, State, read_sources, record_from_row, write_sources
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.sources.storing import Told, keep, keep_missing

BATCH = 500
FLAGS = ("retracted", "concern", "erratum")
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


def kept_sources(warehouse: Warehouse) -> Iterator[KeptSource]:
    """Yield what the world last told of every source that it was asked for, or that it does not have it, by id.

    What PubMed's files have withdrawn since is not had, whatever was fetched before: the files stay here.
    """
    warehouse.execute("create or replace temp table withdrawn as from withdrawn_source")
    warehouse.execute(_GONE)
    names = [row["source_id"] for row in warehouse.rows(_KEPT_NAMES)]
    for start in range(0, len(names), BATCH):
        for row in warehouse.rows(_KEPT, {"names": names[start : start + BATCH]}):
            state: State = "found" if row["record"] else "not_found"
            record = record_from_row(json.loads(row["record"])) if row["record"] else None
            if record is not None:  # with what anybody else told of it
                notices: dict[str, Any] = {flag: "yes" for flag in FLAGS if row[flag]}
                record = replace(record, **notices)
            yield KeptSource(
                row["source_id"], state, record, row["reason"], row["origin"], row["fetched_at"], row["body_digest"],
                row["reading"],
            )  # fmt: skip


# Further names of articles that PubMed's files have withdrawn since these were told: nothing is known of them.
_GONE = statement("statements/citations/carrying/gone")

_KEPT_NAMES = statement("statements/citations/carrying/kept_names")

_KEPT = statement("statements/citations/carrying/kept")


def export_sources(warehouse: Warehouse, path: Path) -> int:
    """Write what the world has told this home into a file; return how many sources."""
    return write_sources(path, kept_sources(warehouse))


class Imported(NamedTuple):
    """How many sources a file tells of that were found, how many that were not, and of how many this home knew as much.

    `n_known` counts those of which this home was told at the same time or later: nothing was taken of them.
    """

    n_found: int
    n_missing: int
    n_known: int

    def said(self) -> str:
        """Return it as one line."""
        told = f"{counted(self.n_found, 'source')}, and {self.n_missing:,} that were not found"
        return told + (
            f"; of {self.n_known:,} this home was told as late or later, and keeps that"
            if self.n_known
            else ""
        )


def import_sources(warehouse: Warehouse, path: Path) -> Imported:
    """Take in what another home was told, all of the file or nothing.

    Of a source that is here too the newer word counts. One without a date is older than any with one, and none is
    from the future. What PubMed's files told another home bears the date at which they were added there, so it stands
    behind what a source told this one, unless that came without a text. What an older reading read there, or one that
    the file does not tell, is asked for once more where somebody may be asked, since bodies stay where they came to.

    Raises:
        UsageError: naming file and line.
    """
    n_found = n_missing = n_known = 0
    sources = iter(read_sources(path))
    with warehouse.transaction():
        while batch := list(islice(sources, BATCH)):
            dated = _dated(warehouse, batch)
            found = [source for source in dated if source.record is not None]
            missing = [source for source in dated if source.record is None]
            n_found += len(found)
            n_missing += len(missing)
            n_known += _known(warehouse, dated)
            keep(
                warehouse,
                [
                    Told(source.record, source.origin, source.digest, source.fetched_at, source.reading)
                    for source in found
                    if source.record is not None
                ],
            )
            keep_missing(warehouse, missing, None)
    return Imported(n_found, n_missing, n_known)


def _known(warehouse: Warehouse, dated: list[KeptSource]) -> int:
    return int(
        warehouse.value(
            statement("statements/citations/carrying/known"),
            {"names": [row.source_id for row in dated], "times": [row.fetched_at for row in dated]},
        )
    )


def _dated(warehouse: Warehouse, batch: list[KeptSource]) -> list[KeptSource]:
    """Give each word the date by which it counts here."""
    now = datetime.now(UTC)
    here = {
        row["source_id"]: row
        for row in warehouse.rows(
            "select source_id, told_at, json_array_length(record -> 'sections') > 0 as has_text from newest_source"
            " where origin <> 'pubmed files' and source_id in (select unnest($names::varchar[]))",
            {"names": [source.source_id for source in batch if source.origin == "pubmed files"]},
        )
    }
    dated = []
    for source in batch:
        at = min(source.fetched_at or UNDATED, now)
        known = here.get(source.source_id)
        if known and (known["has_text"] or source.record is None or not source.record.sections):
            at = min(at, known["told_at"] - timedelta(microseconds=1))
        dated.append(replace(source, fetched_at=at))
    return dated
