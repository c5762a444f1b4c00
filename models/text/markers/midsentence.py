"""Numbers in parentheses in mid-sentence: `lowers stroke (1) and raises bleeding (2)`, but not `use (1) rest`."""

import re

from medassay.models.text.language.verbs import (
    AUXILIARIES,
    DETERMINERS,
    IMPERATIVES,
    PREPOSITIONS,
    SUBORDINATORS,
    is_finite,
    starts_with_verb,
)
from medassay.models.text.markers.label_reader import LabelReader

_CONJUNCTIONS = frozenset(
    "and or but while whereas und oder aber sowie et mais ou y e pero o ma mas en maar".split()
)
_OTHERS = frozenset(
    "bei mit von zur zum im auf durch nach für chez dans avec pour sur par con para por sin nel nella per di da del"
    " bij van voor versus vs compared followed used given not also when if although because since"
    " after before until".split()
)
_BEHIND = re.compile(r"[*_]{0,2}\s([^\W\d_]+)(?:\s([^\W\d_]+))?")
_WORD_BEFORE = re.compile(r"((?<!\w)[^\W\d_][\w’'-]*|(?<!\w)\d+%|\))(?:[*_]{0,2}[ ]|(?<=\)))\Z")
_COUNTS_UP = re.compile(
    r"(?:[,;:]|\b(?:and|or|then|und|oder|et|ou|y|e|o))\s{1,2}[*_]{0,2}\(\d{1,3}\)[*_]{0,2}\s[^\W_]"
)
_NUMBERED_NAME = re.compile(
    r"(?:type|phase|stage|grade|class|group|category|step|level|day|week|month|visit|cohort|part|factor|chapter|table|figure"
    r"|version|tier|arm|item|question|number|score|points?)",
    re.IGNORECASE,
)
_SPELLED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ALONE = re.compile(r"\(\d{1,3}\)")
_ENDS = re.compile(r"[.!?;](?=\s[A-Z])|\n")
_NEAR = 300
_NEVER_BEFORE = PREPOSITIONS | DETERMINERS | AUXILIARIES | _CONJUNCTIONS | SUBORDINATORS


def cites_in_midsentence(reader: LabelReader, first: int, last: int) -> bool:
    """Tell whether text[first:last], parentheses with words behind them, cites where the text cites so beyond doubt.

    A conjunction, a preposition or a verb follows, and no numbers of the sentence count up in front of its phrases.
    """
    text = reader.text
    behind = _BEHIND.match(text, last)
    before = _WORD_BEFORE.search(text, max(0, first - 40), first)
    if behind is None or before is None or before[1].lower() in _NEVER_BEFORE:
        return False
    if not reader.cites_in_parentheses or _NUMBERED_NAME.fullmatch(before[1]):
        return False
    if _repeats_a_word(text, first, last):
        return False
    if not _may_follow(behind) or behind[1].lower() not in _CONJUNCTIONS and before[1].lower() in IMPERATIVES:
        return False
    return not _counts_up(text, first, last)


def _repeats_a_word(text: str, first: int, last: int) -> bool:
    """Tell whether a number was spelled out just before: `two doses (2)`."""
    raw = text[first + 1 : last - 1]
    if not raw.isdecimal() or int(raw) >= len(_SPELLED):
        return False
    return _SPELLED[int(raw)] in text[max(0, first - 32) : first].lower().split()


def _may_follow(behind: re.Match[str]) -> bool:
    word, after = behind[1], (behind[2] or "").lower()
    if word in _CONJUNCTIONS or word in PREPOSITIONS or word in SUBORDINATORS or word in _OTHERS:
        return True
    if word.endswith("ly") or not word.islower():
        return word.endswith("ly")
    return starts_with_verb([word, *after.split()], 0) or is_finite(["they", word, *after.split()], 1)


def _counts_up(text: str, first: int, last: int) -> bool:
    """Tell whether a number of the sentence around stands in front of its phrase: `(1) pain, (2) fever`."""
    low = max(0, first - _NEAR)
    for stop in _ENDS.finditer(text, low, first):
        low = stop.end()
    end = _ENDS.search(text, last, last + _NEAR)
    high = end.end() if end else min(len(text), last + _NEAR)
    if _COUNTS_UP.search(text, low, high):
        return True
    others = (_BEHIND.match(text, other.end()) for other in _ALONE.finditer(text, low, high))
    return not all(_may_follow(behind) for behind in others if behind)
