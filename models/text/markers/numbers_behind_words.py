"""Numbers in a bracket that says more: `(B; refs 5 and 6)`, `(HR 0.80, ref. 2)`, `[1, low certainty]`."""

import re
from collections.abc import Sequence

from medassay.models.text.labels.author_patterns import GRADE, is_author_and_year
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker

_NUMBERS = r"[;,]\s(?:(?:see|cf\.)\s)?(?:refs?\b\.?|references?\b|sources?\b)\s?(?=\d)"
# The grade of a recommendation, of which nobody could take the words for a category to compare with.
_BEHIND_A_GRADE = re.compile(
    r"\s*(?P<kept>(?:[A-D][+-]?|(?i:(?:level|grade|class|evidence|LOE|COR)\s[\w+-]{1,4}))(?:,\s[\w-]{1,12})?)"
    + _NUMBERS
)
_BEHIND_WORDS = re.compile(r"\s*(?P<kept>[^()\[\]\n]{1,240}?)" + _NUMBERS, re.IGNORECASE)


def numbers_behind_words(reader: LabelReader, start: int, end: int, inner: Sequence[Marker]) -> Marker | None:
    """Read the numbers that text[start:end], the words in a pair of parentheses, ends with; the words before them stay.

    Behind anything but a grade they cite only what the list has: "(OR 1.4; reference 1)" compares.
    """
    if inner:
        return None
    graded = _BEHIND_A_GRADE.match(reader.text, start, end)
    found = graded or _BEHIND_WORDS.match(reader.text, start, end)
    if found is None or is_author_and_year(found["kept"]):
        return None
    read = reader.items(found.end(), end, (), "[")
    if read is None or not (graded or all(target.label in reader.labels for target in read[1])):
        return None
    return Marker(found.end("kept"), end, read[0], tuple(read[1]))


_BEFORE_A_GRADE = re.compile(
    rf"\s*\d{{1,3}}(?:\s?[,;–-]\s?\d{{1,3}}){{0,20}}(?P<tie>\s?[,;:]\s?)(?={GRADE}[^()\[\]\n]{{0,60}}\Z)"
)
_BARE_BEHIND_A_GRADE = re.compile(
    r"\s*(?P<kept>(?:level|grade|class|LOE|COR|Empfehlungsgrad|Evidenzgrad|grado|niveau)\s(?:[A-D][+-]?|[IV]{1,3}[a-c]?))"
    r";\s(?=\d)",
    re.IGNORECASE,
)


def numbers_beside_a_grade(reader: LabelReader, start: int, end: int) -> Marker | None:
    """Read the numbers of `[1, strong recommendation]` and `(grade A; 1)`, which a list has; the grade stays."""
    if graded := _BEFORE_A_GRADE.match(reader.text[start:end]):
        low, high = start, start + graded.start("tie")
        read, span = reader.items(low, high, (), "["), (low, start + graded.end("tie"))
    elif graded := _BARE_BEHIND_A_GRADE.match(reader.text, start, end):
        read, span = reader.items(graded.end(), end, (), "["), (graded.end("kept"), end)
    else:
        return None
    if read is None or not all(target.label in reader.labels for target in read[1]):
        return None
    return Marker(*span, "bracket", tuple(read[1]))
