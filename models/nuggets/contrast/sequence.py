"""Temporal order: before breakfast against after breakfast; "the rash follows the fever" turned around."""

import re
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

ORDER = re.compile(
    r"\b(?:(?P<before>before|after\swhich|prior\sto|precedes?|preceded|ahead\sof|in\sadvance\sof)|(?P<after>after|following|follows?|once|subsequent\sto))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Order:
    """What stands before and after the word of order, and which of the two comes first."""

    left: frozenset[str]
    right: frozenset[str]
    left_first: bool
    start: int
    end: int


@lru_cache(maxsize=65536)
def order(text: str) -> Order | None:
    """Read the order of events in a sentence; None without exactly one word of order."""
    found = list(ORDER.finditer(text))
    found = [cue for cue in found if cue.group().lower() != "once"] or []
    if len(found) != 1:
        return None
    cue = found[0]
    left, right = frozenset(keys(words(text[: cue.start()]))), frozenset(keys(words(text[cue.end() :])))
    if not left:  # "After delivery, anti-D is given": the event stands between the cue and the comma
        event, _, rest = text[cue.end() :].partition(",")
        left, right = frozenset(keys(words(rest))), frozenset(keys(words(event)))
    shared = left & right
    return Order(left - shared, right - shared, cue.lastgroup == "before", cue.start(), cue.end())


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the same two events are told in the other order."""
    mine, theirs = order(nugget), order(claim)
    if mine is None or theirs is None:
        return None
    kept = len(mine.right & theirs.right) > len(mine.right & theirs.left)
    swapped = bool(mine.right & theirs.left) and bool(mine.left & theirs.right) and not kept
    if kept == swapped or (mine.left_first == theirs.left_first) == kept:
        return None
    if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, before=before):
        return None
    said, heard = (mine.start, mine.end), (theirs.start, theirs.end)
    reason = f"nugget says *{nugget[slice(*said)]}*, answer says *{claim[slice(*heard)]}*"
    return Contrast("temporal", reason, said, heard)
