"""Supplied documents, cited with the place in them, `[SOP-101, 3.2; SOP-104 v2]`, or spoken of: `SOP-101 says …`."""

import re
from collections.abc import Iterator

from medassay.models.records import Span
from medassay.models.text.language.reporting import REPORTS
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, MarkerKind, Target

Read = tuple[MarkerKind, list[Target]]

_PIECE = re.compile(r"[^;]+")
_SIGN = re.compile(r"(?<![\w\[(-])[A-Za-z][\w./-]*\d[\w./-]*(?<![./-])")
_LEADS_TO = re.compile(
    r"\b(?:according to|(?:as )?per|see|based on"
    r"|(?:stated|reported|described|noted|mentioned|shown|given|required) (?:in|by))"
    r"\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_LONGEST_LEAD = 24


def with_places(reader: LabelReader, start: int, end: int, read: Read | None) -> Read | None:
    """Read text[start:end], the inside of a bracket, anew where each piece of it begins with a document's name.

    Not where all that was `read` is known, as of `[SOP-101, 2]` where a list has the label 2.
    """
    if read and all(target.source_id or target.label in reader.labels for target in read[1]):
        return read
    targets: list[Target] = []
    for piece in _PIECE.finditer(reader.text, start, end) if reader.documents else ():
        name = reader.documents.located(piece[0].strip())
        if name is None:
            return read
        targets.append(reader.supplied(name, *piece.span()))
    return ("document", targets) if targets else read


def documents_spoken_of(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find ids with a number, outside brackets, that report or are reported from; the sentence keeps them."""
    for found in _SIGN.finditer(reader.text, start, end) if reader.documents else ():
        if not reader.documents.find(found[0]):
            continue
        led_to = _LEADS_TO.search(reader.text, max(start, found.start() - _LONGEST_LEAD), found.start())
        if led_to or REPORTS.match(reader.text, found.end()):
            span = Span(*found.span())
            yield Marker(*found.span(), "document", (reader.supplied(found[0], *found.span()),), span)
