"""Claims that stand word for word in a passage: an answer that copies its source says what the source says."""

import re
from collections.abc import Iterator
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+|[<>≤≥=±%+]|[-−–](?=\d)")
_LEAST = 4
_OPENS = re.compile(r"\A\W*\Z|[;—]\s*\Z|\A\W*(?P<label>[^.;:!?]{1,60}):\W*\Z")
_UNSURE = re.compile(
    r"myth|false|wrong|incorrect|hypothes|question|aim|objective|purpose|goal|claim|not\b|if\b", re.I
)
_CLOSES = re.compile(
    r"\W*\Z|[\s*_”’)\"]*[;—.]|[\s*_”’)\"]*,\s*(?:because|since|so|as|which|while|whereas|and)\b", re.I
)


def stands_in(sentence: str, claim: str) -> bool:
    """Say whether a sentence is the claim, or holds it as a whole clause of its own, in the same words and order.

    Case, punctuation and a label before it ("Doses: …") do not matter; an exception behind it ("…, except in
    pregnancy") does, and so does a question mark, or a label that takes it back ("Myth: …").
    """
    if sentence.rstrip().endswith("?"):
        return False
    wanted = _folded_tokens(claim)
    if len(wanted) < _LEAST or not _may_hold(sentence.casefold(), wanted):
        return False
    return any(_is_a_clause(sentence, start, end) for start, end in _places(sentence, wanted))


@lru_cache(256)
def _folded_tokens(claim: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(claim)]


def _may_hold(said: str, wanted: list[str]) -> bool:
    """Look for the last words first: sentences about the same begin alike."""
    return all(token in said for token in reversed(wanted))


def _places(sentence: str, wanted: list[str]) -> Iterator[tuple[int, int]]:
    found = list(_TOKEN.finditer(sentence))
    said = [token[0].casefold() for token in found]
    for at in range(len(said) - len(wanted) + 1):
        if said[at : at + len(wanted)] == wanted:
            yield found[at].start(), found[at + len(wanted) - 1].end()


def _is_a_clause(sentence: str, start: int, end: int) -> bool:
    opening = _OPENS.search(sentence[:start])
    if opening is None or (opening["label"] and _UNSURE.search(opening["label"])):
        return False
    return _CLOSES.match(sentence, end) is not None
