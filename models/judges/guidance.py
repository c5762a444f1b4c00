"""Guidance as the points of it that a reader can look for in a text: what is to be in it, and what is not.

Each point is a verb phrase that ends the question "Does the text …?". Points of form, such as a number of sentences,
and of tone ("be kind") are none: they are left to whoever sees the text as it was written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MOST_POINTS = 8
VERBS = frozenset(
    "acknowledge add address advise alarm answer ask assume begin blame cite claim clarify compare consider "
    "contain cover criticise define describe diagnose differentiate direct discourage discuss dismiss distinguish "
    "emphasise emphasize encourage end ensure exaggerate explain express focus follow frighten give go guide help "
    "highlight identify imply include indicate inform instruct interpret introduce invent invite judge keep "
    "lecture link list make mention minimise minimize mislead name note offer omit order outline play point pose "
    "praise prefer prescribe present promise propose provide quote raise reassure recall recommend refer "
    "reference reflect remind repeat report respond rule say scare scold set shame share show speak specify "
    "speculate start state stay stigmatise stigmatize stress suggest summarise summarize support talk teach tell "
    "threaten understand urge use volunteer warn".split()
)
"""What guidance asks of an answer or forbids it, as verbs in their base form."""
NO_POINT = frozenset("be if when where while unless although because since as".split())
"""What begins a rule of tone or of circumstances."""

_FORM = re.compile(
    r"\b(?:sentences?|words (?:long|at most|or)|(?:\d+|hundred|fewer|more) words|paragraphs?|bullet|bullets|numbered|"
    r"headings?|characters|format)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:the answer\s+)?(?P<head>do[’']?s?|must|should|include|"
    r"don[’']?t[’']?s?|do\s+nots?|must\s+not|should\s+not|avoid|never|no[- ]gos?)\s*:\s*",
    re.IGNORECASE,
)
_INNER_HEADING = re.compile(r"(?<=\S)\s+(?=(?:do[’']?s?|don[’']?t[’']?s?|do\s+not|avoid)\s*:)", re.IGNORECASE)
_END = re.compile(r"(?<=[a-z\d)”\"'’][.!])\s+(?=[A-Z])|\n+")
_ITEM = re.compile(r"\s*;\s*|(?<=\S)\s+(?=[-*•]\s)")
_VERB = "|".join(sorted(VERBS))
_NEXT_VERB = re.compile(
    rf"\s*,\s*(?:and\s+|or\s+)?(?=(?:{_VERB})\b)|\s+and\s+(?=(?:{_VERB})\b)", re.IGNORECASE
)
_NEXT_RULE = re.compile(
    r"\s*,?\s+(?:and|but)\s+(?=(?:please\s+)?(?:do|must|should|never|avoid|don[’']?t|no)\b)", re.IGNORECASE
)
_WHO = r"(?:please|and|but|also|always|then|it|the (?:answer|reply|response|text)|you)\b[\s,]*"
_ASKED = re.compile(
    rf"^(?:{_WHO})*(?:must|should|has to|have to|needs? to|make sure to|be sure to|do)\b[\s,]*", re.IGNORECASE
)
_FORBIDDEN = re.compile(
    rf"^(?:{_WHO})*(?:(?:do|must|should|may|need)\s+not|(?:do|must|should|may|need)n[’']?t|never|cannot)\b[\s,]*",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(rf"^(?:{_WHO})*(?:avoid|refrain\s+from|not|without|no)\b[\s,]*", re.IGNORECASE)
_REASON = re.compile(
    r"\s*,\s*(?:please|they|it|this|that|as|because|since|for|which|even)\b.*$|\s+(?:please|because)\b.*$",
    re.IGNORECASE | re.DOTALL,
)


Beginning = Literal["a verb", "a known verb", "anything"]
"""What an item begins with: a verb behind "must" or "do not"; a thing or an act under a heading or behind "no" and
"avoid"; in a sentence of its own only a known verb makes it a point, since notes on the patient are sentences, too."""


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    is_forbidden: bool
    begins_with: Beginning


@dataclass(frozen=True, slots=True)
class Points:
    """What a text should do and what it should not, as verb phrases: "warn against smoking", "give doses"."""

    dos: tuple[str, ...] = ()
    donts: tuple[str, ...] = ()


def points_of(guidance: str | None) -> Points:
    """Read what guidance asks for and what it forbids.

    Known are "Do: explain; warn. Don't: give doses." and "Explain the benefits. No brand names." alike. A heading with
    a colon speaks for its sentence, or, alone on a line, for the lines below it. Of very long guidance the first points
    are read.
    """
    found: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for item in _items(guidance or ""):
        for n, point in enumerate(_NEXT_VERB.split(_REASON.sub("", item.text))):
            phrase = _phrase(point, item.begins_with if n == 0 else "anything")
            if phrase and not _FORM.search(phrase):
                found[item.is_forbidden][phrase] = None
    return Points(tuple(found[False])[:MOST_POINTS], tuple(found[True])[:MOST_POINTS])


def _items(guidance: str) -> Iterator[_Item]:
    """Yield what is asked for or forbidden, without the words that say so."""
    below: bool | None = None
    for line in _INNER_HEADING.sub("\n", guidance).splitlines():
        for sentence in _END.split(line):
            heading = _HEADING.match(sentence)
            if heading and not sentence[heading.end() :].strip():
                below = _forbids(heading["head"])
                continue
            if heading:
                below = None
            forbids = _forbids(heading["head"]) if heading else below
            for item in _ITEM.split(sentence[heading.end() :] if heading else sentence):
                for rule in _NEXT_RULE.split(item):
                    yield _one(rule.strip(" \t-*•"), forbids)


def _one(text: str, forbids: bool | None) -> _Item:
    """Read one item; `forbids` says what its heading does, None where it has none."""
    if lead := _FORBIDDEN.match(text):
        return _Item(text[lead.end() :], True, "a verb")
    if lead := _LEFT_OUT.match(text):
        return _Item(text[lead.end() :], True, "anything")
    if lead := _ASKED.match(text):
        return _Item(text[lead.end() :], bool(forbids), "a verb")
    return _Item(text, bool(forbids), "a known verb" if forbids is None else "anything")


def _forbids(head: str) -> bool:
    return bool(re.match(r"don|do\s+not|must\s+not|should\s+not|avoid|never|no", head, re.IGNORECASE))


def _phrase(point: str, begins_with: Beginning) -> str:
    """Return a verb phrase in its base form, or that the text contains what is named; nothing for what is no point."""
    first, *rest = point.strip(" \t\n.,:;!").split() or [""]
    first = first.lower()
    if not first or first in NO_POINT:
        return ""
    bases = [first, *((first[:-3], f"{first[:-3]}e", first[:-4]) if first.endswith("ing") else ())]
    base = next((one for one in bases if one in VERBS), None)
    if base is None and begins_with == "a known verb":
        return ""
    if base is None and begins_with == "anything":
        return " ".join(["contain", first, *rest])
    return " ".join([base or first, *rest])
