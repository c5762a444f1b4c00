"""Raised numbers that lost their height when they were copied: `no difference.1,2 However`, `mortality,1 improves`."""

import re
from collections.abc import Iterable, Iterator

from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target

_PAGES = r"\(pp?[eES]?\d{1,5}(?:[,–-]p{0,2}[eES]?\d{1,5}){0,6}\)"
_RUN = rf"\d{{1,3}}(?:{_PAGES})?(?:[ ]?[,–-][ ]?\d{{1,3}}(?:{_PAGES})?){{0,20}}"
_SENTENCE_IN_PARENTHESES = r"\([A-Z“\"][^()\n]{0,300}[.!?][”\"]?\)"
_AT_STOP = re.compile(
    rf"(?<=[\w)\]%])(?:[.!?][”\"’]?)(?P<raw>{_RUN})(?P<sign>,?(?:[†‡§]{{1,2}}|\*(?!\*)))?"
    rf"(?=\s+(?:[A-Z“\"*]|{_SENTENCE_IN_PARENTHESES})|[ \t]*(?:\n|\||\Z))"
)
_LONE_SIGN = re.compile(r"(?<=\][.!?])[†‡§]{1,2}(?=\s|\Z)")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?![\s*])")
_AT_COMMA = re.compile(r"(?<=[a-zA-Z)\]%])[,;](?P<raw>\d{1,2}(?:[,–-]\d{1,2}){0,20})(?=\s)")
_AT_AL = re.compile(rf"(?<=\bet\sal)\.,?(?P<raw>{_RUN})(?=[\s,;)—–])")
# Before the stop, too: "with apixaban1. It", "(Class III)2. Bridging".
_AT_WORD = re.compile(rf"(?:(?<=[a-zß-ÿ]{{3}})|(?<=[)\]%]))(?P<raw>{_RUN})(?=[,;:]?\s|[.!?](?:\s|\Z)|\Z)")
# With a space before them, too: "shortens colds. 1 They".
_APART = re.compile(rf"(?<=[a-z)\]%][.!?])[ ](?P<raw>{_RUN})(?=[ ][A-Z(“\"*]|[ \t]*(?:\n|\||\Z))")
# A digit before the stop is no decimal where it ends a name: "COVID-19.3 It", but "v2.1 It".
_NAME_ENDING_IN_DIGITS = re.compile(
    r"(?<![\w.])(?!v(?:er(?:sion)?)?-?\d)[A-Z][A-Z0-9]*-?\d{1,3}\Z", re.IGNORECASE
)
_DECIMAL = re.compile(
    r"(?<![\w.])(?<!version\s)(?<!section\s)(?<!chapter\s)\d{1,4}\.\d{1,4}\Z", re.IGNORECASE
)
# A year takes no decimals, but ends sentences: "It was approved in 1994.4 It".
_YEAR = re.compile(r"(?<![\w.,])(?:1[89]|20)\d\d\Z")
# Codes have a point in them: of diseases (E11.9), channels (Nav1.7), lineages (BA.5).
_CODE = re.compile(
    r"(?<![Vv]itamin\s)(?<![Cc]oenzyme\s)(?<![\w-])[A-TV-Z]\d{2}\.\d{1,2}\Z|\b(?:Na|K|Ca)v\d\.\d{1,2}\Z|\bKir\d\.\d\Z"
    r"|\b(?:(?i:(?:sub)?(?:lineages?|variants?)|strains?|clades?|omicron|delta)|SARS-CoV-2)\s"
    r"(?:[A-Z]{1,3}(?:\.\d{1,3})+(?:,|,?\s(?:and|or))\s){0,6}[A-Z]{1,3}(?:\.\d{1,3})+\Z"
)
_LINEAGE_BEHIND = re.compile(r"\s(?:sub)?(?:lineages?|variants?)\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:nos?|pp?|v|ver|vols?|figs?|tabs?|eqs?|sect?|chap|art|refs?|step|para|item)\Z", re.IGNORECASE
)
_STOP = re.compile(r"[.!?,;:]|\s*(?:\n|\Z)")
_FAR = 600
_PLAIN_WORD = re.compile(r"(?<![\w-])[a-zà-ÿ]{5,}\Z")
_LONGEST_WORD = 30
_WORD_END = 4


def flattened_numbers(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find digits pasted behind a stop, all of which the reference list knows; behind a comma if some are there too.

    A text that cites in square brackets has lost no height: its `E11.9` and `section 2.1` are what they look like.
    """
    if not reader.labels or reader.cites_in_square_brackets:
        return
    at_stops = list(filter(None, (_read(reader, f) for f in _AT_STOP.finditer(reader.text, start, end))))
    yield from at_stops
    yield from filter(None, (_read(reader, f) for f in _AT_AL.finditer(reader.text, start, end)))
    if at_stops:
        yield from filter(None, (_read(reader, f) for f in _AT_COMMA.finditer(reader.text, start, end)))
    else:
        yield from _of_the_whole_list(reader, _APART.finditer(reader.text, start, end))
        at_words = list(_AT_WORD.finditer(reader.text, start, end))
        stopped = [found for found in at_words if _STOP.match(reader.text, found.end())]
        if 2 * len(stopped) >= len(at_words):  # "Notch1 and week2 matter" has names in mid-sentence
            yield from _of_the_whole_list(reader, at_words) or _behind_plain_words(reader, stopped)


def lone_signs(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `†` behind a citation and its stop, where no note of the text has it: it says nothing."""
    for found in _LONE_SIGN.finditer(reader.text, start, end):
        if not reader.known(found[0]):
            yield Marker(found.start(), found.end(), "superscript", ())


def _of_the_whole_list(reader: LabelReader, numbers: Iterable[re.Match[str]]) -> list[Marker]:
    """Read `colds. 1 They` or `colds1. They`, where they cite the whole list in its order: else they count things."""
    found = [marker for number in numbers if (marker := _read(reader, number))]
    cited = dict.fromkeys(target.label for marker in found for target in marker.targets)
    in_order = list(cited) == [str(n) for n in range(1, len(cited) + 1)]
    whole = all(label in cited for label in reader.labels if label.isdecimal())
    words = {reader.text[max(0, marker.start - _WORD_END) : marker.start] for marker in found}
    return found if in_order and whole and len(words) > 1 else []  # "Notch1 and Notch2" are names


def _behind_plain_words(reader: LabelReader, numbers: Iterable[re.Match[str]]) -> list[Marker]:
    """Read `women1.` and `infections2,3.`, which cite the list in part, where most stand behind plain words."""
    found = [marker for number in numbers if (marker := _read(reader, number))]
    words = [_PLAIN_WORD.search(reader.text, max(0, m.start - _LONGEST_WORD), m.start) for m in found]
    plain = {word[0] for word in words if word}
    return found if len(plain) > 1 and 2 * len(plain) >= len(found) else []


def _read(reader: LabelReader, found: re.Match[str]) -> Marker | None:
    before = reader.text[max(0, found.start() - 16) : found.start()]
    if before[-1:].isdigit() and found[0][0] == ".":
        if not any(ends.search(before) for ends in (_NAME_ENDING_IN_DIGITS, _DECIMAL, _YEAR)):
            return None
    if found[0][0] == "." and _COUNTED.search(before):
        return None
    if _is_a_code(reader.text, found):
        return None
    sign = found.groupdict().get("sign") or ""
    if sign == "*" and _EMPHASIS.search(reader.text, _line(reader.text, found.start()), found.start()):
        sign = ""  # it closes the emphasis
    targets: list[Target] = []
    numbers = re.sub(_PAGES, lambda pages: " " * len(pages[0]), found["raw"])
    for item in re.finditer(r"(\d+)(?:\s?[–-]\s?(\d+))?", numbers):
        at = (found.start("raw") + item.start(), found.start("raw") + item.end())
        low, high = int(item[1]), int(item[2] or item[1])
        targets += [reader.number(str(n), *at, False) for n in range(low, min(high, low + 200) + 1)]
    if targets and all(reader.known(target.label or "") for target in targets):
        return Marker(found.start("raw"), found.end("raw") + len(sign), "superscript", tuple(targets))
    return None


def _line(text: str, at: int) -> int:
    return max(text.rfind("\n", max(0, at - _FAR), at) + 1, at - _FAR, 0)


def _is_a_code(text: str, found: re.Match[str]) -> bool:
    """Tell whether the digits behind a point are the rest of a code: `E11.9 (type 2 diabetes)`, `Nav1.7`, `BA.5`."""
    if _CODE.search(text, max(0, found.start() - 64), found.end("raw")):
        return True
    letters = text[max(0, found.start() - 3) : found.start()].rpartition(" ")[2]
    return letters.isupper() and _LINEAGE_BEHIND.match(text, found.end()) is not None
