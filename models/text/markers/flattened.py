"""Raised numbers that lost their height when they were copied: `no difference.1,2 However`, `mortality,1 improves`."""

import re
from collections.abc import Iterator

from models.text.markers.label_reader import LabelReader
from models.text.markers.marks import Marker, Target

_RUN = r"\d{1,3}(?:[ ]?[,–-][ ]?\d{1,3}){0,20}"
_AT_STOP = re.compile(rf"(?<=[\w)\]%])(?:[.!?][”\"’]?)(?P<raw>{_RUN})(?=\s+[A-Z(“\"*]|[ \t]*(?:\n|\Z))")
_AT_COMMA = re.compile(r"(?<=[a-z)\]%])[,;](?P<raw>\d{1,2}(?:[,–-]\d{1,2}){0,20})(?=\s)")
# A digit before the stop is no decimal where it ends a name: "COVID-19.3 It", but "v2.1 It".
_NAME_ENDING_IN_DIGITS = re.compile(
    r"(?<![\w.])(?!v(?:er(?:sion)?)?-?\d)[A-Z][A-Z0-9]*-?\d{1,3}\Z", re.IGNORECASE
)
_DECIMAL = re.compile(
    r"(?<![\w.])(?<!version\s)(?<!section\s)(?<!chapter\s)\d{1,4}\.\d{1,4}\Z", re.IGNORECASE
)
_COUNTED = re.compile(
    r"\b(?:nos?|pp?|v|ver|vols?|figs?|tabs?|eqs?|sect?|chap|art|refs?|step|para|item)\Z", re.IGNORECASE
)


def flattened_numbers(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find digits pasted behind a stop, all of which the reference list knows; behind a comma if some are there too."""
    if not reader.labels:
        return
    at_stops = list(filter(None, (_read(reader, f) for f in _AT_STOP.finditer(reader.text, start, end))))
    yield from at_stops
    if at_stops:
        yield from filter(None, (_read(reader, f) for f in _AT_COMMA.finditer(reader.text, start, end)))


def _read(reader: LabelReader, found: re.Match[str]) -> Marker | None:
    before = reader.text[max(0, found.start() - 16) : found.start()]
    if before[-1:].isdigit() and found[0][0] == ".":
        if not (_NAME_ENDING_IN_DIGITS.search(before) or _DECIMAL.search(before)):
            return None
    if found[0][0] == "." and _COUNTED.search(before):
        return None
    targets: list[Target] = []
    for item in re.finditer(r"(\d+)(?:\s?[–-]\s?(\d+))?", found["raw"]):
        at = (found.start("raw") + item.start(), found.start("raw") + item.end())
        low, high = int(item[1]), int(item[2] or item[1])
        targets += [reader.number(str(n), *at, False) for n in range(low, min(high, low + 200) + 1)]
    if targets and all(reader.known(target.label or "") for target in targets):
        return Marker(*found.span("raw"), "superscript", tuple(targets))
    return None
