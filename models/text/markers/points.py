"""Points of a score in parentheses: `snoring (1), tired (1), apnoea (1)` and `no pain (0), mild (1)` cite nothing."""

import re
from collections.abc import Collection, Iterator

from medassay.models.text.language.verbs import is_clause

_NUMBER = re.compile(
    r"\((?P<number>\d{1,3}(?:[.,]\d)?)(?P<unit>\s?(?:points?|pts?|Punkte?|puntos?|punti|pontos?)\.?)?\)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:[ ]?[,;/|]|[ ](?:and|or|und|oder|et|ou|y|o|e)\b|[.,;]?[ \t]*\n[ \t]*(?:[-*•·–]|\d{1,2}[.)])[ \t])"
    r"[^\n.!?:]{0,80}\Z"
)
_WORDS_BEFORE = re.compile(r"[^\n.!?;,]{0,120}\Z")
_WORDS_BEHIND = re.compile(r"[^\n.!?:;,]{0,80}")
_SCORED = re.compile(
    r"\b(?:scor(?:e[sd]?|ing)|points?|scales?|index|CHA₂?2?DS|CURB|HAS-BLED|STOP-?BANG|q?SOFA|Wells|Centor|Ranson"
    r"|Alvarado|TIMI|Apgar|Child-Pugh)",
    re.IGNORECASE,
)
_TO = re.compile(r"[ ](?:to|bis|à|a)[ ][^\n.!?;()]{1,40}")
_GRADED_FROM = re.compile(
    r"\b(?:scor|grad|rat(?:e[ds]?|ings?)\b|rang|scal|class|severity|levels?\b|stag)[^\n.!?;()]{0,60}"
    r"\b(?:from|von|de|da)\s[^\n.!?;()]{1,40}\Z",
    re.IGNORECASE,
)
_FEWEST = 3
_NEAR = 120


def points(text: str, start: int, end: int, labels: Collection[str]) -> frozenset[int]:
    """Find where the parentheses of text[start:end] open that hold the points of an enumeration.

    So they are where three items without a verb have the same number, and where one has no point, half a point, or
    the word, and at the two ends of a scale. `Aspirin lowers stroke (1), infarction (1) and death (1)` cites.
    Whether `(1,2)` is a point and a fifth or two sources, the labels of the list tell.
    """
    found: set[int] = set()
    for items in _enumerations(text, start, end, labels):
        if _are_points(text, items):
            found.update(item.start() for item in items)
    numbers = list(_numbers(text, start, end, labels))
    for low, high in zip(numbers, numbers[1:], strict=False):
        if _spans_a_scale(text, low, high):
            found.update((low.start(), high.start()))
    return frozenset(found)


def _numbers(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[re.Match[str]]:
    for number in _NUMBER.finditer(text, start, end):
        parts = number["number"].split(",")
        if len(parts) < 2 or not all(part in labels for part in parts):
            yield number


def _enumerations(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[list[re.Match[str]]]:
    items: list[re.Match[str]] = []
    for number in _numbers(text, start, end, labels):
        if items and not (
            number.start() - items[-1].end() < _NEAR
            and _GOES_ON.fullmatch(text, items[-1].end(), number.start())
        ):
            yield items
            items = []
        items.append(number)
    if items:
        yield items


def _spans_a_scale(text: str, low: re.Match[str], high: re.Match[str]) -> bool:
    """See the two ends of a scale: `is graded from mild (1) to severe (4)`."""
    return bool(
        low["number"].isdecimal()
        and high["number"].isdecimal()
        and int(low["number"]) < int(high["number"])
        and _TO.fullmatch(text, low.end(), high.start())
        and _GRADED_FROM.search(text, max(0, low.start() - _NEAR), low.start())
    )


def _are_points(text: str, items: list[re.Match[str]]) -> bool:
    written = [item["number"] for item in items]
    if any(item["unit"] or not item["number"].isdecimal() or item["number"] == "0" for item in items):
        return True
    if max(map(written.count, written)) < _FEWEST:
        return False
    first = items[0].start()
    low = max(0, first - _NEAR)
    if _SCORED.search(text, max(low, text.rfind("\n", low, first)), first):
        return True
    before = (_WORDS_BEFORE.search(text, max(0, item.start() - _NEAR), item.start()) for item in items)
    behind = _WORDS_BEHIND.match(text, items[-1].end())
    return not any(_states(words[0]) for words in (*before, behind) if words)


def _states(words: str) -> bool:
    return is_clause(re.findall(r"[^\W\d_]+", words.lower()))
