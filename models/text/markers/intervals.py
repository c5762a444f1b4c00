"""Brackets of numbers that cite nothing: intervals, spans of years, the number in a name such as `Table [1]`."""

import re

from models.text.markers.label_reader import LabelReader

_PAIR = re.compile(r"\s*(\d{1,4})\s*(?:--|[-–—−‑‒,]|to)\s*(\d{1,4})\s*%?\s*")
_INTERVAL_WORD = re.compile(
    r"(?:\bCIs?|\bCrI|\bIQR|\b[Rr]anges?(?:\sof)?|\b[Mm]edian|\b[Mm]ean|\b[Ii]nterval|\bSD|\b[Ss]cale"
    r"(?:\sof)?|\b[Aa]ged?|\bfrom|\bbetween|%\s?CI|=|≈|~)[\s:,=]{0,3}\Z"
)
_SPREAD = re.compile(r"\b(?:median|mean|average|IQR|interquartile|range[ds]?|scores?|aged?)\b", re.IGNORECASE)
_SYMBOL = (
    r"(?:%|°\s?[CF]|(?:years?|yrs?|months?|mos?|weeks?|wks?|days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?)(?:\sold)?"
    r"|points?|units?|beats|breaths|cells|copies|times|mm\s?Hg|bpm|[mMkc]?I?U|[kM]?Pa|[mµμn]?Eq|k?cal|[kM]?J|[mc]?Gy"
    r"|[mµμ]?Sv|[kMG]?Bq|[mµμ]?V|[kmcdµμnp]?[gLlm]|mcg|[mµμnp]?mol|[a-zµμ]{1,3})"
)
_QUANTITY = re.compile(
    r"(?<![\w.])(?<![A-Za-z]-)(?P<number>\d+(?:\.\d+)?)(?:\s?[×x*]\s?10(?:\^?\d{1,2}|[⁰¹²³⁴-⁹]{1,2}))?"
    rf"(?:\s?(?:{_SYMBOL}[²³]?)?(?:\sper\s\w+|/(?:[\d.]+\s?)?{_SYMBOL}[²³]?){{0,3}})?\s?\Z"
)
_NUMBERED_NAME = re.compile(
    r"\b(?:types?|phases?|stages?|grades?|class|groups?|category|steps?|levels?|days?|weeks?|visits?|cohorts?|parts?"
    r"|factors?|chapters?|tables?|figures?|versions?|tiers?|arms?|trials?|stud(?:y|ies)|cases?)\s\Z",
    re.IGNORECASE,
)
_NAME_OF_THE_BRACKET = re.compile(
    r"(?:\b(?:Tables?|Figures?|Figs?\.?|Equations?|Eqs?\.?|Sections?|Chapters?|Appendix|Box|Panel|Scheme|Steps?)"
    r"|\b(?i:SNOMED(?:[\s-]CT)?|ICD-?(?:9|10|11)?(?:-CM)?|LOINC|MeSH|CPT|ATC|RxNorm|UMLS|OMIM|dial))\s?\Z"
)
_NAME_OF_THE_PARENTHESIS = re.compile(
    r"\b(?:tables?|figures?|figs?\.?|equations?|eqs?\.?|sections?|steps?|items?|criteri(?:on|a)|questions?)\s?\Z",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[=+*/−]\s?[A-Za-z]\Z")
_WIDEST_LISTED = 10
_WIDEST = 30


def is_interval(reader: LabelReader, start: int, content: str) -> bool:
    """Tell whether a bracket of integers, opening at `start`, is an interval: `median 5 [3–8]`, `scale [0–10]`.

    Args:
        reader: Knows the answer and the labels of its list; two ends that are in it make a citation more likely.
        start: Where the bracket opens.
        content: What stands in it.
    """
    text = reader.text
    pair = _PAIR.fullmatch(content)
    if pair is None or reader.known(content):
        return _in_a_formula(text, start, content)
    low, high = int(pair[1]), int(pair[2])
    before = text[max(0, start - 48) : start]
    if low == 0 or _INTERVAL_WORD.search(before):
        return True
    listed = [reader.known(end) for end in pair.groups()]
    if not any(listed):
        widest = _WIDEST_LISTED if reader.numbered else _WIDEST
        if high - low > widest or 1800 <= low <= high <= 2100:
            return True
    if not low < high:
        return False
    quantity = _QUANTITY.search(before)
    if quantity is None or not low <= float(quantity["number"]) <= high:
        return False
    if _NUMBERED_NAME.search(before, 0, quantity.start("number")):
        return False
    return "," not in content or not all(listed) or bool(_SPREAD.search(text, max(0, start - 80), start))


def numbers_a_name(text: str, start: int, opener: str) -> bool:
    """Tell whether a bracket at `start` holds the number of what is named before it: `Table [1]`, `Eq. (3)`."""
    before = text[max(0, start - 24) : start]
    named = _NAME_OF_THE_BRACKET if opener == "[" else _NAME_OF_THE_PARENTHESIS
    found = named.search(before)
    return found is not None and found.end() == len(before)


def _in_a_formula(text: str, start: int, content: str) -> bool:
    """Tell whether a bracket sits inside a word or behind a variable: `spiro[4]decane`, `y = a[1] + b[2]`."""
    if _VARIABLE.search(text, max(0, start - 4), start):
        return True
    close = start + len(content) + 2
    return text[start - 1 : start].isalpha() and text[close : close + 1].islower() and start > 0
