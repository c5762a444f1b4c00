"""Supplied documents that an answer names, in brackets or in its sentence."""

import re
from collections.abc import Iterator

from medassay.models.records import Span
from medassay.models.text.markers.in_sentence import DOES
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.supplied_names import SuppliedNames

_ATTRIBUTED = re.compile(r"\b(?:according to|as per|per)\s(?:the\s)?\Z", re.IGNORECASE)


def documents_in(inside: str, at: int, documents: SuppliedNames) -> tuple[Target, ...]:
    """Read `SOP-101, 3.2; SOP-104` as the documents that it names; empty where it begins with none."""
    targets: list[Target] = []
    for part in re.finditer(r"[^;|]+", inside) if documents else ():
        pieces = [(part.start() + p.start(), p[0]) for p in re.finditer(r"[^,]+", part[0])]
        if len(pieces) < 2 or not all(documents.knows(piece) for _, piece in pieces):
            pieces = [(part.start(), part[0])]
        for offset, piece in pieces:
            said = re.sub(r"^\s*(?:documents?|docs?|sources?|files?)\s?:\s?", "", piece, flags=re.IGNORECASE)
            name = documents.located(said.strip()) or (piece.strip() if documents.knows(piece) else None)
            if name is None:
                return tuple(targets)
            document = documents.find(name)
            source_id = f"document:{document}" if document else None
            targets.append(Target(f"[{name}]", source_id, None, at + offset, at + offset + len(piece)))
    return tuple(targets)


def spoken_of(text: str, start: int, end: int, documents: SuppliedNames) -> Iterator[Marker]:
    """Find the documents that a sentence speaks of: `According to SOP-101`, `SOP-104 says that`."""
    for name in documents.names:
        for said in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text[start:end], re.IGNORECASE):
            first, last = start + said.start(), start + said.end()
            if _ATTRIBUTED.search(text, max(0, first - 16), first) or DOES.match(text, last):
                target = Target(said[0], f"document:{documents.find(name)}", None, first, last)
                yield Marker(first, last, "document", (target,), Span(first, last))
