"""A sentence without what frames its statement: who says it, how sure they are, what brackets and dashes enclose.

Frames are known by their form and by sharing no telling word with the question, not by their wording. What is taken off
is kept beside the statement and read by itself.
"""

import re
from collections.abc import Callable, Iterator

from medassay.models.judges.statements.appeals import TOLD, listed
from medassay.models.nuggets.words import words
from medassay.models.text.verbs import is_finite

FEWEST_WORDS_ASIDE = 5
"""A frame of fewer words says nothing that is read."""
MOST_WORDS = 10
FEWEST_WORDS_LEFT = 3

_BRACKET = re.compile(r"\s*\(([^()]*)\)")
_BETWEEN_DASHES = re.compile(r"\s+[–—]\s+([^–—]+?)\s+[–—](?=\s)")
_DIGIT = re.compile(r"\d")
_LABEL = re.compile(r"^([^:]{1,120}):\s+(?=\S)")
_SOURCE = re.compile(
    r"^((?:according to|as|based on|in the (?:words|view|opinion|eyes) of)\b[^,;:]{1,120}),\s+(?=\S)", re.I
)
_THAT = re.compile(r"^([^,;:]{1,200}?)\s+that\s+(?=\S)", re.IGNORECASE)
_ANY_THAT = re.compile(r"\s+that\s+(?=\S)", re.IGNORECASE)
_NEGATION = re.compile(
    r"^nor\b|\b(?:no|not|never|neither|none|nothing|nobody|without|hardly|rarely|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_WRONG = (
    r"\b(?:un(?!der|less|til|it|iver|ion|animous)\w+|myth|false|falsely|falsehood|wrong|wrongly|mistak\w+|error|"
    r"inaccurate|incorrect|inexact|invalid|improper|careless|reckless|baseless|groundless|misleading|dishonest)\b"
)
_DOUBTED = r"\b(?:doubt(?:s|ed|ful)?|den(?:y|ies|ied)|dispute[sd]?|disagree[sd]?|contest(?:s|ed)?)\b"
_LEAVES_OPEN = re.compile(
    r"\b(?:if|whether|little|few|unlikely|unclear|uncertain|unknown|unproven|unless|claim\w*)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(r"\b(?:belie\w+|thought|think\w*|rumou?r\w*|so|than)\b", re.IGNORECASE)
_SAID = frozenset(
    "is was be are clear plain certain evident obvious true fact truth out view opinion conclusion answer reply follow "
    "follows mean means".split()
)
"""What may stand before "that", beside verbs of saying, where what comes behind it is said and not only described."""


def without_frames(sentence: str, is_tied: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Return a sentence's statement, and the frames that were taken off and are long enough to say something.

    Args:
        sentence: one sentence.
        is_tied: whether words share a telling one with the question; such words are part of the statement.
    """
    sentence, found = _without_enclosed(sentence)
    for form in (_LABEL, _SOURCE, _THAT):
        frame = form.match(sentence)
        if frame is None or is_tied(frame.group(1)):
            continue
        left = sentence[frame.end() :]
        is_long = len(frame.group(1).split()) > MOST_WORDS
        announces = says(frame.group(1))
        if not announces and (is_long or (form is _THAT and describes(left))):
            continue
        may_deny = form is _THAT or (form is _LABEL and announces)
        if may_deny and turns_round(frame.group(1), is_opinion=not is_long):
            continue
        if form is _LABEL or len(left.split()) >= FEWEST_WORDS_LEFT:
            found.append(frame.group(1))
            sentence = left
    return sentence[:1].upper() + sentence[1:], [
        one for one in found if len(words(one)) >= FEWEST_WORDS_ASIDE
    ]


def turns_round(head: str, *, is_opinion: bool = False) -> bool:
    """Say whether what words announce is denied or left open.

    A denial of a denial affirms: "nobody doubts", "neither careless nor inaccurate", "untrue … does not hold". Words
    that are joined deny once.

    Args:
        head: what stands before "that" or a colon.
        is_opinion: whether what somebody believes, or doubts, is left open or denied as well.
    """
    if _LEAVES_OPEN.search(head) or (is_opinion and _OPINION.search(head)):
        return True
    wrong = f"(?:{_WRONG}|{_DOUBTED})" if is_opinion else _WRONG
    joined = re.compile(rf"{wrong}(?:,?\s+(?:and|or|nor)\s+{wrong}|,\s+{wrong})*", re.IGNORECASE)
    n_denials = len(_NEGATION.findall(head)) + sum(1 for _ in joined.finditer(head))
    return n_denials % 2 == 1


def describes(clause: str) -> bool:
    """Say whether what comes behind "that" goes on with a verb, and so describes what stands before it."""
    behind = [word.text for word in words(clause)[:3]]
    return not behind or is_finite(["that", *behind], 1)


def says(head: str) -> bool:
    """Say whether words end in what says something, or tells somebody."""
    *before, last = ["", *(word.text for word in words(head))]
    if before and last in TOLD:
        last = before[-1]
    return last in _SAID or last in listed("sayings")


def says_that(statement: str) -> Iterator[tuple[str, str]]:
    """Give what stands before each "that" in a statement, and what comes behind it."""
    for that in _ANY_THAT.finditer(statement):
        yield statement[: that.start()], statement[that.end() :]


def _without_enclosed(sentence: str) -> tuple[str, list[str]]:
    """Take out what brackets or two dashes enclose, and return it beside the rest.

    Short brackets that hold a number ("(400 mg)"), and short asides between dashes, are part of the sentence.
    """
    asides: list[str] = []

    def taken(enclosed: re.Match[str]) -> str:
        inside = enclosed.group(1).strip()
        is_part = enclosed.re is _BETWEEN_DASHES or _DIGIT.search(inside)
        if len(words(inside)) < FEWEST_WORDS_ASIDE and is_part:
            return enclosed.group()
        asides.append(inside)
        return ""

    return _BETWEEN_DASHES.sub(taken, _BRACKET.sub(taken, sentence)).strip(), asides
