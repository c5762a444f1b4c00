"""Guidance as the points of it that a reader can look for in a text: what is to be in it, and what is not.

Each point is a verb phrase that ends the question "Does the text …?". Points of form, such as a number of sentences,
and of tone ("be kind") are none: they are left to whoever sees the text as it was written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
_ASKED = re.compile(
    r"^(?:(?:please|and|also|always|then|it|the (?:answer|reply|response|text)|you|must|should|has to|have to|"
    r"needs? to|make sure to|be sure to|do)\b[\s,]*)+",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"^(?:(?:please|and|but|it|the (?:answer|reply|response|text)|you)\b[\s,]*)*"
    r"(?:(?:do|must|should|may|need)\s+not|(?:do|must|should|may|need)n[’']?t|dont|never|avoid|refrain\s+from|cannot|not|"
    r"without)\b[\s,]*",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:please\s+)?no\s+", re.IGNORECASE)
_REASON = re.compile(
    r"\s*,\s*(?:please|they|it|this|that|as|because|since|for|which|even)\b.*$|\s+(?:please|because)\b.*$",
    re.IGNORECASE | re.DOTALL,
)


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
    for item, is_forbidden in _items(guidance or ""):
        for point in _NEXT_VERB.split(_REASON.sub("", item)):
            phrase = _phrase(point)
            if phrase and not _FORM.search(phrase):
                found[is_forbidden][phrase] = None
    return Points(tuple(found[False])[:MOST_POINTS], tuple(found[True])[:MOST_POINTS])


def _items(guidance: str) -> Iterator[tuple[str, bool]]:
    """Yield the items without what says that they are asked for or forbidden, and which of the two they are."""
    below = False
    for sentence in _END.split(_INNER_HEADING.sub("\n", guidance)):
        heading = _HEADING.match(sentence)
        forbids = below if heading is None else _forbids(heading["head"])
        rest = sentence[heading.end() :] if heading else sentence
        if heading and not rest.strip():
            below = forbids
            continue
        if not re.match(r"\s*[-*•\d]", sentence):
            below = False
            forbids = forbids and heading is not None
        for item in _ITEM.split(rest):
            for rule in _NEXT_RULE.split(item):
                yield _one(rule.strip(" \t-*•"), forbids)


def _one(item: str, forbids: bool) -> tuple[str, bool]:
    if no := _NO.match(item):
        return f"contain {item[no.end() :]}", True
    if lead := _FORBIDDEN.match(item):
        return item[lead.end() :], True
    return _ASKED.sub("", item), forbids


def _forbids(head: str) -> bool:
    return bool(re.match(r"don|do\s+not|must\s+not|should\s+not|avoid|never|no", head, re.IGNORECASE))


def _phrase(point: str) -> str:
    """Return a verb phrase in its base form; of other phrases, that the text contains them."""
    words = point.strip(" \t\n.,:;!").split()
    if not words or words[0].lower() == "be":
        return ""
    first = words[0].lower()
    base = next((one for one in (first, first[:-3], f"{first[:-3]}e", first[:-4]) if one in VERBS), None)
    is_verb = base is not None and (base == first or first.endswith("ing"))
    return " ".join([base or "", *words[1:]] if is_verb else ["contain", first, *words[1:]])
