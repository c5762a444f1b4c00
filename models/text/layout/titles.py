"""Words that are titles, and numbered lines that are all titles of the paragraphs below them."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.layout.lines import OUTLINED, Line
from medassay.models.text.layout.wrapped_lines import ENDED

LONGEST_TITLE = 80
FEW_WORDS = 4
WHOLE_SENTENCE = re.compile(r"[A-Z][^\n]{20,}?[.!?](?=[\s\[(⁰¹²³⁴-⁹]|\Z)")
# "What you should know about lithium" states nothing, nor does "Adverse effects" over "Common (≥1/100): nausea".
WHAT_OR_HOW = re.compile(r"(?:What|How|Why|Who|Where|When to)\b[^,.:;?!\[\]()]{3,70}")
_TOPIC = re.compile(
    r"[\W_]*(?:evidence (?:summary|review|brief)|topic|title|subject|re|(?:clinical )?question|review|brief)"
    r"[*_]*:[*_]*\s"
    r"(?P<topic>[^\n.!?;]{3,140})",
    re.IGNORECASE,
)
# "Treatment summary (for clinicians)"
_FOR_WHOM = re.compile(r"\s\([a-z][^()\d]{2,40}\)\W*\Z")
_NUMBER = re.compile(r"[ \t>]*\(?(\d{1,2})[.)][ \t]+")
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_FEWEST_NUMBERED = 2
_DOSE = re.compile(r"\d\s?(?:mg|g|µg|μg|mcg|ml|mL|l|L|%|IU|I\.E\.|units?|kg|mmol|drops?|tablets?)\b")


def is_topic(words: str) -> bool:
    """Tell whether a first line says what the answer is about: `Evidence summary: nasal steroids vs antihistamines`."""
    found = _TOPIC.fullmatch(words)
    return found is not None and not has_finite_verb(found["topic"])


def titles(words: str) -> bool:
    """Tell whether words are a title: few, the first with a capital, no stop, no verb."""
    words = _FOR_WHOM.sub("", words)
    if ENDED.search(words) or not words[:1].isupper() or len(words.split()) > 8 or "|" in words:
        return False
    return not has_finite_verb(words) and not re.search(r"[\[\d)]\W*$", words)


def numbered_titles(text: str, said: Sequence[Line]) -> frozenset[int]:
    """Find where `1. Overview`, `2. Does it work?` stand over paragraphs of their own: all numbers do, and count up.

    `said` are the lines that are not blank. A number without a paragraph below makes all of them items of a list.
    """
    runs: list[list[tuple[int, int, bool]]] = []
    for line, below in zip_longest(said, said[1:]):
        n = _number_of(text, line) if line.kind == "bullet" else None
        if n is None:
            continue
        if n == 1 or not runs or n != runs[-1][-1][0] + 1:
            runs.append([])
        runs[-1].append((n, line.start, _stands_over(text, line, below)))
    return frozenset(
        start
        for run in runs
        if len(run) >= _FEWEST_NUMBERED and run[0][0] == 1 and all(title for _, _, title in run)
        for _, start, _ in run
    )


def _number_of(text: str, line: Line) -> int | None:
    """Read the number of an item: `2.`, or the place of `II.` or `B.`."""
    if number := _NUMBER.match(text, line.start, line.end):
        return int(number[1])
    outlined = OUTLINED.match(text, line.start, line.end)
    if outlined is None:
        return None
    sign = outlined["sign"]
    return _ROMAN.index(sign) + 1 if sign in _ROMAN else ord(sign) - ord("A") + 1


def _stands_over(text: str, line: Line, below: Line | None) -> bool:
    """Tell whether a numbered line is a title or a question over a sentence that is not indented."""
    if below is None or below.kind != "paragraph" or text[below.start - 1] != "\n":
        return False
    words = text[line.content : line.end].strip()
    asks = words.endswith("?") and len(words) <= LONGEST_TITLE
    if not (asks or titles(words) or WHAT_OR_HOW.fullmatch(words) or _orders_in_few_words(words)):
        return False
    if _DOSE.search(words):
        return False
    return WHOLE_SENTENCE.match(text, below.content, below.end) is not None


def _orders_in_few_words(words: str) -> bool:
    """Tell whether words are an order and no more: `Start low`, `Confirm the diagnosis`."""
    first, _, rest = words.partition(" ")
    return (
        1 < len(words.split()) <= FEW_WORDS
        and words[-1].isalpha()
        and has_finite_verb(words)
        and not has_finite_verb(f"It {rest}")
        and not first.endswith("s")
    )
