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
_AGE_OR_STAIN = re.compile(r"\s*(?:\d{1,3}\s?y|[0-4]\+)\s*")
_COUNT_BEFORE = re.compile(r"\d\s?\Z")
_RING = re.compile(
    r"[a-z]*(?:azol|azin|azep|benz|carb|dec|furan|hept|hex|indol|napht|non|oct|oxa|pent|phen|pur|pyr|quin|thi[aeo])[a-z]*"
)
_VARIABLE = re.compile(r"[=+*/−]\s?[A-Za-z]\Z")
_FAR = 1500
_WIDEST_LISTED = 10
_WIDEST = 30


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


def _in_a_formula(text: str, start: int, content: str) -> bool:
    """Tell whether a bracket sits inside a word or behind a variable: `spiro[4]nonane`, `y = a[1] + b[2]`."""
    if _VARIABLE.search(text, max(0, start - 4), start):
        return True
    close = start + len(content) + 2
    return text[start - 1 : start].isalpha() and text[close : close + 1].islower() and start > 0
