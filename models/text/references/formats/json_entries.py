"""Reference lists as programs append them: `{"citations": [{"id": 1, "pmid": "123"}]}`."""

import json
import re
from typing import Any

from medassay.models.records import AuthoredReference, Reference, Span
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.references.entries.authors_as_data import authors_of, year_given
from medassay.models.text.references.entries.reading import ListedReference, with_ids

_LISTS = ("citations", "references", "sources", "bibliography", "documents")
_LABELS = ("id", "index", "number", "n", "label", "marker", "ref", "key", "citation_id")
_NUMBERS = ("pmid", "pmcid", "doi")
_ADDRESSES = ("url", "link", "uri", "nct", "source")
_LONGEST = 60_000
OPENS = re.compile(r"[\[{]\s*[{\"]")
"""What a list of objects, or an object that may hold one, begins with."""


def json_entries(text: str, start: int) -> tuple[ListedReference, ...]:
    """Read the list that begins at text[start], each of whose entries has an identifier, an address or a title.

    Returns:
        The entries, each with the span of the whole list; none where nothing of the kind begins, or where one names
        nothing.
    """
    if not OPENS.match(text, start):
        return ()
    try:
        value, length = json.JSONDecoder().raw_decode(text[start : start + _LONGEST])
    except (ValueError, RecursionError):
        return ()
    rows = _rows(value)
    entries = [_entry(row, Span(start, start + length)) for row in rows]
    return tuple(entry for entry in entries if entry is not None) if None not in entries else ()


def _rows(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or of the one list of an object that is named as such lists are."""
    if isinstance(value, dict):
        value = next((value[name] for name in value if name.casefold() in _LISTS), None)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return []
    return [{name.casefold(): field for name, field in row.items()} for row in value]


def _entry(row: dict[str, Any], span: Span) -> ListedReference | None:
    said = {name: str(field).strip() for name, field in row.items() if isinstance(field, str | int)}
    label = next((said[name] for name in _LABELS if said.get(name)), None)
    title = said.get("title") or None
    named = [f"{name}: {said[name]}" for name in _NUMBERS if said.get(name)]
    named += [said[name] for name in _ADDRESSES if said.get(name)]
    source_ids = [atom.source_id for one in named for atom in atoms(one)]
    if not source_ids and title is None:
        return None
    authors, year = authors_of(row), year_given(row)
    reference = (
        AuthoredReference(marker=label, title=title, authors=authors, year=year)
        if authors or year
        else Reference(marker=label, title=title)
    )
    return ListedReference(with_ids(reference, source_ids), span=span)
