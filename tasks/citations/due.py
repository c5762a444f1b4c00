"""Which sources are to be asked about again, and since when the others are known."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from medassay.models.counting import counted
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.stages.fetch import ASKABLE


@dataclass(frozen=True, slots=True)
class Known:
    """How many sources of a home somebody could be asked about, and when the oldest of the last words came, UTC."""

    n_sources: int
    oldest: datetime | None

    def nothing_to_ask(self, now: datetime) -> str:
        """Say why nothing was asked, and what would be."""
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


def known_sources(warehouse: Warehouse) -> Known:
    """Return how much could be asked about, and since when it is known."""
    (row,) = warehouse.rows(
        f"select count(*) as n, min(told_at) as oldest from ({_LAST_WORDS})", {"schemes": list(ASKABLE)}
    )
    return Known(row["n"], row["oldest"].astimezone(UTC) if row["oldest"] else None)


def due_sources(warehouse: Warehouse, older_than: timedelta, now: datetime) -> list[str]:
    """Return the sources whose last word is older than that, or bears a date that is still to come."""
    told = {"before": now - older_than, "now": now, "schemes": list(ASKABLE)}
    rows = warehouse.rows(
        f"select source_id from ({_LAST_WORDS}) where told_at < $before or told_at > $now order by source_id",
        told,
    )
    return [row["source_id"] for row in rows]


def take_from_the_future(warehouse: Warehouse, now: datetime) -> None:
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


_LAST_WORDS = statement("statements/citations/due/last_words")

_TO_COME = statement("statements/citations/due/to_come")
