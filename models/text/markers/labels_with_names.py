"""Labels with the names of what they stand for: `[1: FDA label; 2: NASEM 2018]`, `[5 (SAMSON)]`, `[CRASH-2: 1]`."""

import re

from medassay.models.text.labels.author_patterns import is_author_and_year
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.mixed_brackets import is_a_reference
from medassay.models.text.references.entries.evidence import PUBLISHER_WORD
from medassay.models.text.references.works import is_a_body, names_a_work

_NAME = r"(?:\s?(?::|[–—-]\s|,\s)\s?(?P<name>[A-Z][^:;\n]{2,120})|\s\((?P<aside>[A-Z][^():;\n]{2,80})\))"
_LABEL_AND_NAME = re.compile(rf"\s*(?P<label>\d{{1,3}}){_NAME}")
_NAME_AND_LABEL = re.compile(r"\s*(?P<name>[A-Z][^:;,\n]{2,60}):\s?(?P<label>\d{1,3})")
# "[Source 1: ARISTOTLE trial]", "[Document 2 - label.pdf]", "[Document 2 (label.pdf)]": the label says enough.
_WORDED = r"(?:[Dd]oc(?:ument)?|[Ss]ource|[Rr]ef(?:erence)?|[Cc]itation|[Pp]assage|[Cc]ontext|[Ss]nippet)[\s_#]?\d{1,3}"
_WORDED_AND_NAME = re.compile(
    rf"\s*(?P<label>{_WORDED})(?:(?:\s?:|\s[–—-])\s[^:;\n]{{2,120}}|\s\([^():;\n]{{2,80}}\))"
)
_NEXT_LABEL = re.compile(rf";\s?(?=(?:\d{{1,3}}|{_WORDED})\s?[:,–—-]\s?[A-Z])")
_DATED_BODY = re.compile(r"(?P<body>[A-Z]{3,8}(?:/[A-Z]{2,8})*)\s(?:19|20)\d\d\b")
_OF_A_STUDY = re.compile(
    r"\b(?!(?:SDs|SEM|IQR|BID|TID|QID|PRN)\b)[A-Z]{3,}[A-Z\d-]*\b"
    r"|\b(?:trials?|meta-analys[ie]s|reviews?|guidelines?|cohort|registry|stud(?:y|ies)|et al)\b"
)
"""What a study is called, or what it is: "[2: CTT meta-analysis]", "[5 (SAMSON)]", "[1, KAS 4B]"."""


def label_and_name(reader: LabelReader, first: int, start: int, end: int, last: int) -> Marker | None:
    """Read `[1: FDA press release]` and `[CRASH-2: 1]`, labels with what their entries are; not `[1: mild]`."""
    text = reader.text
    if text[first] != "[":
        return None
    targets: list[Target] = []
    stops = [(stop.start(), stop.end()) for stop in _NEXT_LABEL.finditer(text, start, end)]
    for low, high in zip([start, *(b for _, b in stops)], [*(a for a, _ in stops), end], strict=True):
        worded = _WORDED_AND_NAME.fullmatch(text, low, high)
        read = reader.items(*worded.span("label"), (), "[") if worded else None
        if read:
            targets += read[1]
            continue
        found = _LABEL_AND_NAME.fullmatch(text, low, high) or _NAME_AND_LABEL.fullmatch(text, low, high)
        if found is None:
            return None
        name = found.groupdict().get("aside") or found["name"]
        if not (reader.known(found["label"]) or (not reader.labels and _says_which(name))):
            return None
        if not (is_a_reference(name) or PUBLISHER_WORD.search(name) or _OF_A_STUDY.search(name)):
            return None
        targets.append(reader.number(found["label"], *found.span("label"), False))
    return Marker(first, last, "bracket", tuple(targets))


def _says_which(name: str) -> bool:
    """Tell whether a name says which work it is without a list: `ESC 2020 §11.2`, `Teppo K, Lancet 2024`."""
    dated = _DATED_BODY.match(name)
    of_a_body = dated is not None and is_a_body(dated["body"])
    return of_a_body or names_a_work(name) or is_author_and_year(name)
