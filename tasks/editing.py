"""Nugget sets that a person edited: stored as new versions, found again by the question they belong to."""

from collections.abc import Sequence
from datetime import UTC, datetime

from models.keys import content_key, text_key
from models.nuggets.editing import NuggetRow
from sql.warehouse import Warehouse


def newest_edits(warehouse: Warehouse) -> dict[str, str]:
    """Return the newest edited nugget set of every question that a person edited, by question key."""
    rows = warehouse.rows(
        "select question_key, max_by(nugget_set_key, edited_at) as nugget_set_key"
        " from nugget_edit group by question_key"
    )
    return {row["question_key"]: row["nugget_set_key"] for row in rows}


def store_edit(
    warehouse: Warehouse, question_key: str, parent: str | None, nuggets: Sequence[NuggetRow], editor: str
) -> str:
    """Store one question's edited nuggets as a new set, and return its key; the parent stays as it was."""
    content = [[row.nugget, row.importance, row.origin, row.by] for row in nuggets]
    key = content_key({"edited": content, "parent": parent})
    now = datetime.now(UTC)
    with warehouse.transaction():
        warehouse.insert("text", [{"text_key": text_key(r.nugget), "text": r.nugget} for r in nuggets])
        warehouse.insert(
            "nugget",
            [
                {
                    "nugget_set_key": key,
                    "position": position,
                    "text_key": text_key(row.nugget),
                    "importance": row.importance,
                    "provenance": f"{row.origin} by {row.by}" if row.by else row.origin,
                }
                for position, row in enumerate(nuggets)
            ],
        )
        warehouse.insert(
            "nugget_set",
            [
                {
                    "nugget_set_key": key,
                    "origin": "edited",
                    "edited_by": editor,
                    "parent_nugget_set_key": parent,
                    "created_at": now,
                }
            ],
        )
        warehouse.insert(
            "nugget_edit", [{"question_key": question_key, "nugget_set_key": key, "edited_at": now}]
        )
    return key
