"""Sources due for a refresh, and the age of the others."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from medassay.models.counting import counted
from medassay.models.keys import text_key
from medassay.models.sources.passages import passages_of
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.sources.pubmed_files import PubMedFiles
from medassay.tasks.stages.fetch import ASKABLE

_LAST_WORDS = statement("statements/citations/due/last_words")
_TO_COME = statement("statements/citations/due/to_come")
_STANDING = statement("statements/citations/standing/standing")


@dataclass(frozen=True, slots=True)
class StaleCount:
    """How many sources of a home somebody could be asked about, and when the oldest of the last words came, UTC."""

    n_sources: int
    oldest: datetime | None

    def nothing_to_ask(self, now: datetime) -> str:
        """Return why nothing was asked, and what would be."""
        if self.oldest is None:
            return (
                "nothing to ask: no source was looked up in this home yet; `medassay evaluate DATA` does that"
            )
        days = (now - self.oldest).days
        oldest = f"--older-than {days} asks about the oldest, " if days > 0 else ""
        return (
            f"nothing to ask: of {counted(self.n_sources, 'source')} the last word is of {self.oldest:%Y-%m-%d %H:%M}"
            f" UTC or later; {oldest}--older-than 0{' about' if oldest else ' asks about'} all"
        )


def known_sources(warehouse: Warehouse) -> StaleCount:
    """Return how much could be asked about, and since when it is known."""
    (row,) = warehouse.rows(
        f"select count(*) as n, min(told_at) as oldest from ({_LAST_WORDS})", {"schemes": list(ASKABLE)}
    )
    return StaleCount(row["n"], row["oldest"].astimezone(UTC) if row["oldest"] else None)


def due_sources(warehouse: Warehouse, older_than: timedelta, now: datetime) -> list[str]:
    """Return the sources whose last word is older than that, or bears a date that is still to come."""
    told = {"before": now - older_than, "now": now, "schemes": list(ASKABLE)}
    rows = warehouse.rows(
        f"select source_id from ({_LAST_WORDS}) where told_at < $before or told_at > $now order by source_id",
        told,
    )
    return [row["source_id"] for row in rows]


def redate_future_events(warehouse: Warehouse, now: datetime) -> None:
    """Date what was told while a clock was set wrong as of now, each in its order: what is told next is newer."""
    with warehouse.transaction():
        warehouse.execute(_TO_COME, {"now": now})
        warehouse.execute(
            "update source set told_at = to_come.dated, fetched_at = least(fetched_at, to_come.dated) from to_come"
            " where to_come.source_id = source.source_id and to_come.fetch_no = source.fetch_no"
        )
        warehouse.execute(
            "update missing_source set fetched_at = to_come.dated from to_come"
            " where to_come.source_id = missing_source.source_id and to_come.fetch_no is null"
        )


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
