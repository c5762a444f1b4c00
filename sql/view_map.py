"""Map of the analysts' views: which question each answers, what a row is of, and the checks that follow from it."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from medassay.sql.warehouse import statement

CORE = 12
"""How many of the map's views most questions need; they come first."""
_ORDERED = re.compile(r"^order by\b", re.MULTILINE)
_VIEW = re.compile(r"\s*(?:from\s+)?([a-z_]\w*)(?=\s*;?\s*$|\s+(?:where|order|limit)\b)", re.IGNORECASE)
_SELECTS = re.compile(r"\bselect\b", re.IGNORECASE)
Read = Callable[[str], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A view: the questions that it answers, the columns that name a row, and the view whose rows its rows are of.

    `shows` are the columns that a table has where nobody named any, the first ones first where not all have room;
    `order` puts its rows in order, empty where the view does that itself.
    """

    view: str
    asks: tuple[str, ...]
    keys: tuple[str, ...]
    of: str | None
    shows: tuple[str, ...]
    order: str


@cache
def view_map() -> dict[str, Mapped]:
    """Return the map, the views that most questions need first."""
    rows = json.loads(files("medassay.sql").joinpath("view_map.json").read_text("utf-8"))
    return {
        row["view"]: Mapped(
            row["view"],
            tuple(row["asks"]),
            tuple(row["keys"]),
            row["of"],
            tuple(row["shows"]),
            row.get("order") or ("" if _is_ordered(row["view"]) else ", ".join(row["keys"])),
        )
        for row in rows
    }


def view_asked(query: str) -> str | None:
    """Return the view whose rows a query asks for without naming a column: `claims`, `from claims where …`."""
    asked = _VIEW.match(query)
    return asked[1].lower() if asked and not _SELECTS.search(query) else None


def _is_ordered(view: str) -> bool:
    return bool(_ORDERED.search(statement(f"marts/{view}")))


def broken_rules(read: Read) -> list[str]:
    """Return what published views break of the map: a key that is missing or not unique, a row of nothing.

    Accepted values are checks of the tables, which refuse another value when it is written.

    Args:
        read: runs a query and returns its rows.
    """
    broken = []
    for mapped in view_map().values():
        keys = ", ".join(mapped.keys)
        missing = " or ".join(f"{key} is null" for key in mapped.keys)
        if read(f"select 1 from {mapped.view} where {missing} limit 1"):
            broken.append(f"{mapped.view}: a key is NULL ({keys})")
        if read(f"select 1 from {mapped.view} group by {keys} having count(*) > 1 limit 1"):
            broken.append(f"{mapped.view}: two rows of one key ({keys})")
        if mapped.of:
            shared = ", ".join(view_map()[mapped.of].keys)
            if read(f"select 1 from {mapped.view} anti join {mapped.of} using ({shared}) limit 1"):
                broken.append(f"{mapped.view}: a row of no row in {mapped.of} ({shared})")
    return broken
