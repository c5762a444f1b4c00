"""A sentence without what frames its statement: who says it, how sure they are, what is remarked on it.

Frames are known by their form and by sharing no telling word with the question, not by their wording. What is taken off
is kept beside the statement and read by itself.
"""

import re
from collections.abc import Callable, Iterator

from models.nuggets.words import words

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
_THAT = re.compile(r"^([^,;:]{1,80}?)\s+that\s+(?=\S)", re.IGNORECASE)
_ANY_THAT = re.compile(r"\s+that\s+(?=\S)", re.IGNORECASE)
_REMARK = re.compile(r",\s+((?:which|who|whom|whose|as)\b[^,;:]{1,120}?)([.!?]*)$", re.IGNORECASE)
_TURNS_ROUND = re.compile(
    r"\b(?:no|not|never|nor|neither|none|nothing|nobody|without|little|few|hardly|rarely|if|whether|\w+n['’]t|un\w+|"
    r"myth|false|wrong|mistak\w+|error|doubt\w*|den(?:y|ies|ied)|claim\w*|belie\w+|thought|think\w*|rumou?r\w*|so|than)\b",
    re.IGNORECASE,
)
"""Words before "that" after which the statement is not simply said; a closed class, more or less."""


def without_frames(sentence: str, is_tied: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Return a sentence's statement, and the frames that were taken off and are long enough to say something.

    Args:
        sentence: one sentence.
        is_tied: whether words share a telling one with the question; such words are part of the statement.
    """
    sentence, found = _without_brackets(sentence)
    sentence, between = _without_dashes(sentence)
    found += between
    for form in (_LABEL, _SOURCE, _THAT):
        frame = form.match(sentence)
        if frame is None or len(frame.group(1).split()) > MOST_WORDS or is_tied(frame.group(1)):
            continue
        if form is _THAT and _TURNS_ROUND.search(frame.group(1)):
            continue
        left = sentence[frame.end() :]
        if form is _LABEL or len(left.split()) >= FEWEST_WORDS_LEFT:
            found.append(frame.group(1))
            sentence = left
    remark = _REMARK.search(sentence)
    if (
        remark
        and not is_tied(remark.group(1))
        and len(sentence[: remark.start()].split()) >= FEWEST_WORDS_LEFT
    ):
        found.append(remark.group(1))
        sentence = sentence[: remark.start()] + (remark.group(2) or "")
    return sentence[:1].upper() + sentence[1:], [
        one for one in found if len(words(one)) >= FEWEST_WORDS_ASIDE
    ]


def _without_dashes(sentence: str) -> tuple[str, list[str]]:
    """Take out of a sentence what two dashes enclose, where it is long enough to be read by itself."""
    asides: list[str] = []

    def taken(enclosed: re.Match[str]) -> str:
        if len(words(enclosed.group(1))) < FEWEST_WORDS_ASIDE:
            return enclosed.group()
        asides.append(enclosed.group(1))
        return ""

    return _BETWEEN_DASHES.sub(taken, sentence).strip(), asides


def says_that(statement: str) -> Iterator[tuple[str, str]]:
    """Give what stands before each "that" in a statement, and what comes behind it."""
    for that in _ANY_THAT.finditer(statement):
        yield statement[: that.start()], statement[that.end() :]


def _without_brackets(sentence: str) -> tuple[str, list[str]]:
    """Take brackets out of a sentence; short ones that hold a number ("(400 mg)") are part of it."""
    asides: list[str] = []

    def taken(bracket: re.Match[str]) -> str:
        inside = bracket.group(1).strip()
        if len(words(inside)) < FEWEST_WORDS_ASIDE and _DIGIT.search(inside):
            return bracket.group()
        asides.append(inside)
        return ""

    return _BRACKET.sub(taken, sentence).strip(), asides
