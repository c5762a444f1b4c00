"""Brackets of numbers that cite nothing: intervals, spans of years, the number in a name such as `Table [1]`."""

import re

from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.spreads import (
    QUANTITY,
    as_number,
    has_unit_behind,
    holds_a_value,
    holds_decimals,
    is_spread_of,
)

_PAIR = re.compile(r"\s*(\d{1,4})\s*(?:--|[-–—−‑‒,;]|to)\s*(\d{1,4})\s*%?\s*")
_INTERVAL_WORD = re.compile(
    r"(?:\bCIs?|\bCrI|\bIQR|\b[Rr]anges?(?:\sof)?|\b[Mm]edian|\b[Mm]ean|\b[Ii]nterval|\bSD|\b[Ss]cale"
    r"(?:\sof)?|\b[Aa]ged?|\bfrom|\bbetween|%\s?CI|=|≈|~)[\s:,=]{0,3}\Z"
)
# "Child-Pugh B [7–9]", "moderate [10–14]": the points of a class, where the text cites in no such bracket.
_CLASS_OF_A_SCORE = re.compile(
    r"\b(?:(?:Child[-\s]?(?:Turcotte-?\s?)?Pugh|CTP)(?:\s(?:class|score|grade|stage))?(?:\s[ABC])?"
    r"|(?:MELD|GCS|NIHSS|PHQ-9|GAD-7|HAM-D|MADRS|SOFA|Gleason|mRS|Bishop|FIB-4)(?:\s(?:score|points))?"
    r"|(?:minimal|mild|moderate|moderately severe|severe)(?:\s(?:depression|anxiety|symptoms|disease|stroke))?)\s\Z",
    re.IGNORECASE,
)
_NUMBERED_NAME = re.compile(
    r"\b(?:types?|phases?|stages?|grades?|class|groups?|category|steps?|levels?|days?|weeks?|visits?|cohorts?|parts?"
    r"|factors?|chapters?|tables?|figures?|versions?|tiers?|arms?|trials?|stud(?:y|ies)|cases?)\s\Z",
    re.IGNORECASE,
)
_NAME_OF_THE_BRACKET = re.compile(
    r"(?:\b(?:Tables?|Figures?|Figs?\.?|Equations?|Eqs?\.?|Sections?|Chapters?|Appendix|Box|Panel|Scheme|Steps?)"
    r"|\b(?i:SNOMED(?:[\s-]CT)?|ICD-?(?:9|10|11)?(?:-CM)?|LOINC|MeSH|MedDRA|CID|CAS|ChEMBL|ChEBI|ORPHA|Orphanet|HGNC|CPT|ATC|RxNorm|UMLS|OMIM|dial))\s?\Z"
)
_NAME_OF_THE_PARENTHESIS = re.compile(
    r"\b(?:tables?|figures?|figs?\.?|equations?|eqs?\.?|sections?|steps?|items?|criteri(?:on|a)|questions?)\s?\Z",
    re.IGNORECASE,
)
_TIME_OR_RATIO = re.compile(r"\s*(\d{1,4})(?:(?P<time>:[0-5]\d)|[:/](\d{1,4}))\s*")
_AGE_OR_STAIN = re.compile(r"\s*(?:\d{1,3}\s?y|[0-4]\+)\s*")
_COUNT_BEFORE = re.compile(r"\d\s?\Z")
_RING = re.compile(
    r"[a-z]*(?:azol|azin|azep|benz|carb|dec|furan|hept|hex|indol|napht|non|oct|oxa|pent|phen|pur|pyr|quin|thi[aeo])[a-z]*"
)
_WITH_A_RANGE = re.compile(
    r"\d\s?(?:(?!and\b|or\b)[^\s\d\[\](),;]{1,12}\s?)?\[\d{1,4}(?:[.,]\d{1,2})?\s?[-–—−]\s?\d{1,4}(?:[.,]\d{1,2})?\]"
)
# Behind a letter, as in "mmol/L[1]", a stroke makes a unit.
_VARIABLE = re.compile(r"(?:[=+*−]|(?<!\w)/)\s?[A-Za-z]\Z")
_FAR = 1500
_FAR_IN_LINE = 240
_FEWEST_VALUES = 3
_WIDEST_LISTED = 10
_WIDEST = 30
_HIGHEST_UNLISTED = 99


def is_interval(reader: LabelReader, start: int, content: str) -> bool:
    """Tell whether a bracket of integers, opening at `start`, is an interval: `median 5 [3–8]`, `scale [0–10]`.

    Or a share beside its count where a header says `n [%]`, an age, a stain, or where a ring begins:
    `[1,4]benzodiazepine`.

    Args:
        reader: Knows the answer and the labels of its list; two ends that are in it make a citation more likely.
        start: Where the bracket opens.
        content: What stands in it.
    """
    text = reader.text
    if _AGE_OR_STAIN.fullmatch(content) or _RING.match(text, start + len(content) + 2):
        return True
    if content.strip().isdecimal() and _COUNT_BEFORE.search(text, max(0, start - 4), start):
        if reader.has_shares_in_brackets:
            return True
    if _is_a_time_or_ratio(reader, start, content) or holds_decimals(reader, start, content):
        return True
    pair = _PAIR.fullmatch(content)
    if pair is None or reader.known(content):
        return _in_a_formula(text, start, content)
    low, high = int(pair[1]), int(pair[2])
    if low == 0 or holds_a_value(reader, start, content, low, high):
        return True
    before = text[max(0, start - 48) : start]
    trusted = all(map(reader.cited, pair.groups()))
    if not trusted:
        if _INTERVAL_WORD.search(before):
            return True
        if not (reader.labels or reader.alone_in_brackets) and _CLASS_OF_A_SCORE.search(before):
            return True
        widest = _WIDEST_LISTED if reader.numbered else _WIDEST
        if not any(map(reader.known, pair.groups())):
            if high - low > widest or 1800 <= low <= high <= 2100:
                return True
    quantity = QUANTITY.search(before)
    unlisted = not any(map(reader.known, pair.groups()))
    if quantity and unlisted and low < high:  # "Na 125 [135–145]"; "HCO3 16 [22–29]" among others of its kind
        if low > _HIGHEST_UNLISTED or _stands_among_values(text, start):
            return True
    if quantity is None or not low <= as_number(quantity["number"]) <= high or low == high:
        return False
    number = start - len(before) + quantity.start("number")
    if is_numbered_name(text, number):
        return False
    return not trusted or is_spread_of(text, start, content, number)


def numbers_its_line(reader: LabelReader, start: int, content: str) -> bool:
    """Tell whether a bracket counts the statements of a text whose list has other numbers: `[1] …` over `[2] …`."""
    if not (reader.numbered and content.isdecimal() and not reader.known(content)):
        return False
    text = reader.text
    if text[text.rfind("\n", 0, start) + 1 : start].strip():
        return False
    near = text[max(0, start - _FAR) : start + _FAR]
    return any(re.search(rf"^[ \t]*\[{int(content) + step}\]\s", near, re.MULTILINE) for step in (-1, 1))


def numbers_a_name(text: str, start: int, opener: str) -> bool:
    """Tell whether a bracket at `start` holds the number of what is named before it: `Table [1]`, `Eq. (3)`."""
    before = text[max(0, start - 24) : start]
    named = _NAME_OF_THE_BRACKET if opener == "[" else _NAME_OF_THE_PARENTHESIS
    found = named.search(before)
    return found is not None and found.end() == len(before)


def is_numbered_name(text: str, number: int) -> bool:
    """Tell whether a number belongs to the name before it: `type 2`, `week 4`."""
    return _NUMBERED_NAME.search(text, max(0, number - 24), number) is not None


def _stands_among_values(text: str, start: int) -> bool:
    """Tell whether the line has a range behind each of three values, as results with their normal ranges have."""
    low, high = max(0, start - _FAR_IN_LINE), start + _FAR_IN_LINE
    low, end = max(low, text.rfind("\n", low, start) + 1), text.find("\n", start, high)
    return len(_WITH_A_RANGE.findall(text, low, high if end < 0 else end)) >= _FEWEST_VALUES


def _is_a_time_or_ratio(reader: LabelReader, start: int, content: str) -> bool:
    """See `[10:30]` and `[120/80] mmHg`; two labels with a stroke or colon between them must both be in the list."""
    found = _TIME_OR_RATIO.fullmatch(content)
    if found is None or reader.known(content):
        return False
    whole = found["time"] or not (reader.known(found[1]) and reader.known(found[3]))
    return bool(whole) or has_unit_behind(reader.text, start + len(content) + 2)


def _in_a_formula(text: str, start: int, content: str) -> bool:
    """Tell whether a bracket sits inside a word or behind a variable: `spiro[4]nonane`, `y = a[1] + b[2]`."""
    if _VARIABLE.search(text, max(0, start - 4), start):
        return True
    close = start + len(content) + 2
    return text[start - 1 : start].isalpha() and text[close : close + 1].islower() and start > 0
