"""Names that a reader takes for one and a program does not: other hyphens, other scripts' letters, hidden signs.

A small part of the confusables of Unicode TR39, with capitals and blanks besides. Names are told of, never merged.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from medassay.models.intake.rows import Kind

COLUMNS: dict[str, tuple[Kind, ...]] = {
    "system": ("answer", "human_score", "rationale"),
    "question_id": ("question", "answer", "human_score", "rationale"),
    "annotator": ("human_score",),
}
"""Columns whose names join rows, and the tables that have them."""
PLURALS = {"system": "systems", "question_id": "question ids", "annotator": "annotators"}
_LATIN = str.maketrans("авеԁһіјкӏмнорԛѕтуԝхαβεικμνορτυχıſ", "abedhijklmhopqstywxabeikmvoptuxis")
_HYPHENS = re.compile(r"[\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]")
_MOST_GROUPS, _MOST_NAMES = 3, 6


def skeleton(name: str) -> str:
    """Write a name so that all that look like it are the same text."""
    visible = (
        c
        for c in _HYPHENS.sub("-", name)
        if unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f"
    )
    plain = unicodedata.normalize("NFKC", "".join(visible)).casefold().translate(_LATIN)
    return re.sub(r"[\s_-]+", "-", plain.strip())


class Names:
    """The names of a data set by column, and which of them look alike."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, None]] = {column: {} for column in COLUMNS}

    def take(self, kind: Kind, row: dict[str, object]) -> None:
        """Take up the names of a row."""
        for column, kinds in COLUMNS.items():
            if kind in kinds and isinstance(name := row.get(column), str):
                self._seen[column].setdefault(name)

    def told(self) -> list[str]:
        """Return a line for each column in which names look alike."""
        return [line for column, names in self._seen.items() if (line := _line(PLURALS[column], names))]


def _line(what: str, names: Iterable[str]) -> str | None:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[skeleton(name)].append(name)
    alike = [group for group in groups.values() if len(group) > 1]
    if not alike:
        return None
    shown = " and ".join(_group(group) for group in alike[:_MOST_GROUPS])
    more = f" and {len(alike) - _MOST_GROUPS} more" if len(alike) > _MOST_GROUPS else ""
    return f"{what} that look alike are told apart: {shown}{more}; where they are one, write one name"


def _group(names: list[str]) -> str:
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*map(spelled_out, names[:_MOST_NAMES]), *more])


def spelled_out(name: str) -> str:
    """Write a name with the characters in it that pass for others, `'GPT‑4' (U+2011 NON-BREAKING HYPHEN)`."""
    strange = [c for c in dict.fromkeys(name) if not c.isascii() and skeleton(c) != c.casefold()]
    said = ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, 'without a name')}" for c in strange[:2])
    shown = "".join(c for c in name if unicodedata.category(c) != "Cf")
    return f"'{shown}'" + (f" ({said})" if said else "")
