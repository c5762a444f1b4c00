"""Numbers in parentheses: `(1, 3-5)` and `(see 2)` cite only where the list has the labels and the words end.

Eight digits need no list: `(27616593)` is a PubMed id, unless what stands before says what else it numbers. Seven
are one where the text calls them so elsewhere.
"""

import re
from collections.abc import Sequence

from medassay.models.text.identifiers.reading import pmid_id
from medassay.models.text.markers.intervals import is_interval, is_numbered_name
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Target
from medassay.models.text.markers.midsentence import cites_in_midsentence

_LABELS = re.compile(r"[a-z]|[ivx]{2,5}|\d{1,3}(?:\s?(?:[,;–-]|and|&)\s?\d{1,3})*")
_SEE = re.compile(
    r"\s*(?:see(?:\salso)?|cf\.?|e\.g\.,?|(?:as\s)?(?:reviewed|summari[sz]ed|discussed|described|reported|shown)\sin"
    r"|siehe|vgl\.|voir|véase|ver|vedi|zie)\s+(?=\d)",
    re.IGNORECASE,
)
_ENDS = (
    r"[*_]{0,2}\s*(?:[.,;:)。，；、）（]|[–—](?!\s?[\d(])|\||\[[a-z]|\((?!(?:[pq]\d|[pq]?ter\b|cen\b))|$|\n"
)
_ENDS_BEHIND_ONE = re.compile(_ENDS + ")")
_ENDS_BEHIND_SEVERAL = re.compile(_ENDS + r"|(?:and|or|but|while|whereas)\b)")
_WORD_BEFORE = re.compile(r"[\w.%)\]”\"’»][*_]{0,2}(?:\s?|[ \t\u00a0]{2,3})[*_]{0,2}\Z")
_COUNT = re.compile(r"\(\d{1,4}\)")
_WORDS_BEFORE = re.compile(r"[^\W\d_]{3}\s?\Z")
_PASTED = re.compile(r"[^\W_][)\]%]?[.!?]\Z")
_STOP_BEFORE = re.compile(r"[^\W_][)\]%]?[.!?](?:\s|[ \t\u00a0]{2,3})\Z")
# What is pasted to it: a variable or the name of a rearrangement, as in f(2), t(15;17) and inv(16).
_OF_ITS_NAME = re.compile(r"\b(?:[a-z]|inv|del|dup|der|ins|add|dic|idic|trp)\Z")
_WITH_PARENTHESIS = re.compile(r"(?<![\w.,])(?!(?:19|20)\d\d\s?\()\d+(?:\.\d+)?%?\s?\(\d{1,3}(?:\.\d+)?%?\)")
_STATISTIC = re.compile(r"\((?:SDs?|SEM?|%|IQR)\)")
_NUMBER_BEFORE = re.compile(r"(?<![\w.,])(?!(?:19|20)\d\d\s?\Z)\d+(?:\.\d+)?%?\s{0,3}\Z")
_SHARE_OF_COUNT = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)%\s?\((\d{1,3})\)")
_NEXT_STARTS = re.compile(r"[.!?]\s+(?=[A-Z])")
_STOP_BEHIND = re.compile(r"[.!?](?:\s|\Z)")
_NEAR = 80
_NEXT_SENTENCE = re.compile(r"\s+[A-Z]")
# "2017;13(2):307", the issue of a volume.
_VOLUME_BEFORE = re.compile(r"(?<!\w)\d{1,4}\s?\Z")
_PAGE_BEHIND = re.compile(r"\s?:\s?[A-Za-z]{0,2}\d|,\s?(?:pp?\.\s?\d|[A-Za-z]?\d{1,5}[-–]\d)")
_GROUP = r"\(\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\)"
_LAST_OF_ITS_LINE = re.compile(rf"[.!?]\s{{0,3}}{_GROUP}\s*\Z")
_BEHIND_A_STOP = re.compile(r"(?:^|(?<=[.!?:;]\s))\((\d{1,3}(?:\s?[,–-]\s?\d{1,3})*)\)(?=\s)", re.MULTILINE)
_FIRST_OF_ITS_LINE = re.compile(rf"\s*{_GROUP}\s")
_LONGEST_LINE = 4000
_BARE_PMIDS = re.compile(r"\s*[1-9]\d{6,7}(?:\s?[,;]\s?[1-9]\d{6,7}){0,40}\s*")
_OF_A_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|reviews?|meta-analys[ei]s|papers?|articles?|authors|al\.|colleagues|report|guideline)\s\Z",
    re.IGNORECASE,
)
_HIGHEST_PMID = 49_999_999
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_NUMBERS_SOMETHING = re.compile(
    r"(?:\d|[#°№:=]|\b(?:ids?|identifiers?|nos?|numbers?|nrs?|codes?|accounts?|grants?|awards?|phones?|tel|fax|mobile|call(?:\sus)?"
    r"|hotline|contact|registrations?|registry|trials?|cases?|batch|lots?|orders?|licen[cs]es?|patents?|catalog(?:ue)?|cat|mrn"
    r"|accession|protocol|project|ticket|population|total|participants|patients|people|inhabitants|records|bases?|bp|cells"
    r"|reads|smiles|cid|chembl|snomed(?:\sct)?|concept|version|build|serial|date|dated|dob|born))[\s.]{0,3}\Z",
    re.IGNORECASE,
)


def numbers_in_parentheses(
    reader: LabelReader, first: int, start: int, end: int, last: int
) -> list[Target] | None:
    """Read the numbers of text[first:last], a pair of parentheses; None where they cite nothing."""
    if see := _SEE.match(reader.text, start, end):
        start = see.end()
    raw = reader.text[start:end]
    if not reader.labels or not _LABELS.fullmatch(raw):
        return None
    if not _closes(reader.text, first, last, raw) and (
        not raw[:1].isdecimal() or not cites_in_midsentence(reader, first, last)
    ):
        return None
    if _VOLUME_BEFORE.search(reader.text, max(0, first - 12), first) and _PAGE_BEHIND.match(
        reader.text, last
    ):
        return None
    if is_interval(reader, first, raw) or _OF_ITS_NAME.search(reader.text, max(0, first - 8), first):
        return None
    if raw.strip().isdecimal() and (
        first in reader.points
        or _belongs_to_a_number(reader, first, last)
        or (reader.cites_in_square_brackets and not _cites_beside_square_ones(reader, first, last, raw))
    ):
        return None
    read = reader.items(start, end, (), "[")
    return read[1] if read and all(t.label in reader.labels for t in read[1]) else None


def bare_pmids(reader: LabelReader, first: int, start: int, end: int, last: int) -> list[Target] | None:
    """Read `(27616593; 22014867)`, text[first:last], as PubMed ids; None where they number something else."""
    text = reader.text
    before = text[max(0, first - 24) : first]
    if see := _SEE.match(text, start, end):
        start = see.end()
    if not _BARE_PMIDS.fullmatch(text, start, end):
        return None
    if not (_OF_A_STUDY.search(before) or _ENDS_BEHIND_SEVERAL.match(text[last : last + 10])):
        return None
    numbers = list(re.finditer(r"\d+", text[start:end]))
    unsure = [n[0] for n in numbers if len(n[0]) < len(str(_HIGHEST_PMID)) or _DATE.fullmatch(n[0])]
    if _NUMBERS_SOMETHING.search(before) or any(int(n[0]) > _HIGHEST_PMID for n in numbers):
        return None
    if not reader.named_pmids.issuperset(unsure):
        return None
    return [Target(n[0], pmid_id(n[0]), None, start + n.start(), start + n.end()) for n in numbers]


def _closes(text: str, first: int, last: int, raw: str) -> bool:
    """Tell whether the words before belong to the numbers: a stop follows, or one stands before them."""
    before = text[max(0, first - 8) : first]
    ends = _ENDS_BEHIND_ONE if raw.isalnum() else _ENDS_BEHIND_SEVERAL
    if ends.match(text[last : last + 10]):
        return _WORD_BEFORE.search(before) is not None
    if not _NEXT_SENTENCE.match(text, last):
        return False
    if _PASTED.search(before):
        return True
    return _STOP_BEFORE.search(before) is not None and _stands_behind_sentences(text, first, last)


def _cites_beside_square_ones(reader: LabelReader, first: int, last: int, raw: str) -> bool:
    """Tell whether `(2)` cites beside `[1]`: it ends a sentence, and no square bracket has its entry."""
    text = reader.text
    if raw.strip() in reader.in_square_brackets or not _STOP_BEHIND.match(text, last):
        return False
    low = max(0, first - _LONGEST_LINE)
    begin = max(text.rfind("\n", low, first), text.rfind(". ", low, first), low)
    alone = _COUNT.search(text, begin, first) is None
    return alone and _WORDS_BEFORE.search(text, max(0, first - 8), first) is not None


def _belongs_to_a_number(reader: LabelReader, first: int, last: int) -> bool:
    """Tell whether `(3)` is a deviation or share of the number before it: `4 (2) vs 6 (3)`.

    So it is where the text cites in square brackets, and where a second number of the sentence has one that may count
    the same: `31% (2) and 11% (2)` cites. One in a sentence beside it says so only where the text never cites so.
    """
    text = reader.text
    low = max(text.rfind("\n", max(0, first - _NEAR), first) + 1, first - _NEAR, 0)
    number = _NUMBER_BEFORE.search(text, low, first)
    if number is None or is_numbered_name(text, number.start()):
        return False
    if reader.cites_in_square_brackets or _STATISTIC.search(text, low, first):
        return True
    high = min(len(text), last + _NEAR)
    line = text.find("\n", last, high)
    high = high if line < 0 else line
    begin = max((stop.end() for stop in _NEXT_STARTS.finditer(text, low, first)), default=low)
    stop = _NEXT_STARTS.search(text, last, high)
    end = stop.start() if stop else high
    if len(_WITH_PARENTHESIS.findall(text, begin, end)) > 1:
        return not _count_backwards(_SHARE_OF_COUNT.findall(text, begin, end))
    if len(_WITH_PARENTHESIS.findall(text, low, high)) < 2 or reader.cites_in_parentheses:
        return False
    closes = number[0].rstrip().endswith("%") and _STOP_BEHIND.match(text, last)
    return not (closes or reader.counts_up_in_parentheses)


def _count_backwards(shares: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a larger share stands with a number no larger, which a count would not."""
    return any(
        float(high) > float(low) and int(n_high) <= int(n_low)
        for high, n_high in shares
        for low, n_low in shares
    )


def _stands_behind_sentences(text: str, first: int, last: int) -> bool:
    """Tell citations behind the full stop from a count of what follows: it counts up, or nothing is behind the last."""
    low = text.rfind("\n", max(0, first - _LONGEST_LINE), first) + 1
    high = text.find("\n", last, last + _LONGEST_LINE)
    high = len(text) if high < 0 else high
    numbers = [group[1] for group in _BEHIND_A_STOP.finditer(text, low, high)]
    if len(numbers) < 2 or numbers != [str(n) for n in range(1, len(numbers) + 1)]:
        return not _FIRST_OF_ITS_LINE.match(text, low, first)
    tail = text[max(last, high - 40) : high]
    return not _FIRST_OF_ITS_LINE.match(text, low, first) and _LAST_OF_ITS_LINE.search(tail) is not None
