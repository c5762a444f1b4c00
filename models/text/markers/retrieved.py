"""Retrieved passages that a sentence speaks of: `Document 2 reports …`, `According to Sources 1 and 3, …`."""

import re
from collections.abc import Iterator

from medassay.models.records import Span
from medassay.models.text.labels.files import files_in
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.language.reporting import REPORTS
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target

_SPOKEN_OF = re.compile(
    r"(?<![\w(\[])(?P<what>Document|Doc|Source|Passage|Context|Chunk|Snippet|Excerpt|[Rr]eference|[Rr]ef)s?\.?\s#?"
    r"(?P<numbers>\d{1,3}(?:(?:,\s(?:and\s)?|\s(?:and|&)\s|[–-])\d{1,3}){0,8})(?![\w\])]|\.\d|\s?[%:–-])"
)
_LEADS_TO = re.compile(
    r"\b(?:according to|per|from|in|by|based on|(?:stated|reported|described|noted|mentioned|shown|given) in)\s\Z",
    re.IGNORECASE,
)
_AGREE = re.compile(r"\s(?:both\s|all\s)?agree[sd]?\b")
_BESIDE = re.compile(r"\s?[(\[](?P<name>[^()\[\]\n]{3,160})[)\]]")
_NUMBER = re.compile(r"(?P<low>\d{1,3})(?:[–-](?P<high>\d{1,3}))?")
_LONGEST_LEAD = 20
_WIDEST = 30


def passages_spoken_of(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find passages by number where they report or are reported from; the sentence keeps them.

    A reference list has to know them, as do supplied documents; where there is neither, they lead nowhere.
    """
    text = reader.text
    for found in _SPOKEN_OF.finditer(text, start, end):
        led_to = _LEADS_TO.search(text, max(start, found.start() - _LONGEST_LEAD), found.start())
        if not (led_to or REPORTS.match(text, found.end()) or _AGREE.match(text, found.end())):
            continue
        if (
            found["what"].casefold() in ("reference", "ref")
            and not reader.labels
            and (led_to or not found["what"][0].isupper())
        ):
            continue  # "compared with reference 2"
        beside = _BESIDE.match(text, found.end())
        if beside and files_in(beside["name"]):
            continue  # "Document 1 (label.pdf)" is that file
        targets = [
            _target(reader, found, number, n)
            for number in _NUMBER.finditer(found["numbers"])
            for n in range(int(number["low"]), int(number["high"] or number["low"]) + 1)[:_WIDEST]
        ]
        if targets and all(targets):
            span = Span(*found.span())
            yield Marker(*found.span(), "bracket", tuple(target for target in targets if target), span)


def _target(reader: LabelReader, found: re.Match[str], number: re.Match[str], n: int) -> Target | None:
    named = f"{found['what']} {n}"
    at = found.start("numbers") + number.start()
    if document := reader.documents.find(named):
        return Target(f"[{named}]", f"document:{document}", None, at, at + len(number[0]))
    label = normalise_label(named)
    if reader.labels and label not in reader.labels or reader.documents:
        return None
    return Target(f"[{named}]", None, label, at, at + len(number[0]))
