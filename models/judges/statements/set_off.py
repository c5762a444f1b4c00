"""A statement without what commas, dashes, semicolons or conjunctions set off in it and does not belong to it.

What is slipped into a statement that way ("undoubtedly", "a point on which all textbooks agree", "because studies have
shown it") lends it weight as a sentence beside it would. What belongs to it ("a messenger substance", "even though you
feel fine") stays: without it, less is said, and a small model takes what is left for something else.
"""

import re
from collections.abc import Callable, Iterator, Sequence

IsAside = Callable[[str, str], bool]
"""Says whether a part is an aside, given what is left without it."""
FEWEST_WORDS_LEFT = 3

_SET_OFF = re.compile(
    r"[,;]\s+|\s+[–—]\s+|\s+--?\s+|\s+(?=(?:because(?!\s+of)|since|while|whereas|although|though)\s)",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"(?:and|but|so|or|because|since|while|whereas|although|though)\s+", re.IGNORECASE)
_LEADS_IN = re.compile(
    rf"^(?:{_LEADS_ON.pattern}|(?:too|also|likewise|thus|hence|then|therefore)\s+)+", re.IGNORECASE
)
_END = re.compile(r"[.!?]*$")


def without_asides(statement: str, is_aside: IsAside) -> tuple[tuple[str, ...], str]:
    """Return a statement without each part that is an aside, and its gist: without all of them.

    Args:
        statement: one statement.
        is_aside: whether a part, seen beside the rest, is none of what is said.

    Returns:
        Versions of some words at least, the statement itself not among them; the gist, which is the statement where
        nothing is an aside, or where too little would be left.
    """
    parts = _parts(statement)
    said = [statement[start:stop] for start, stop in parts]
    every = range(len(parts))
    rests = [_joined(statement, parts, [k for k in every if k != i]) for i in every]
    asides = [i for i in every if rests[i] and is_aside(said[i], rests[i])]
    gist = _joined(statement, parts, [i for i in every if i not in asides]) or statement
    found = dict.fromkeys([*(rests[i] for i in asides), gist])
    return tuple(one for one in found if one != statement), gist


def parts_of(statement: str) -> list[str]:
    """Return the words between a statement's marks, of some words at least; the statement itself where it has none."""
    said = [_LEADS_IN.sub("", statement[start:stop]) for start, stop in _parts(statement)]
    return [part for part in said if len(part.split()) >= FEWEST_WORDS_LEFT] or [statement]


def _parts(statement: str) -> list[tuple[int, int]]:
    """Cut a statement at its marks; what ends it belongs to none of its parts."""
    return list(_between_marks(_END.sub("", statement)))


def _between_marks(body: str) -> Iterator[tuple[int, int]]:
    at = 0
    for mark in _SET_OFF.finditer(body):
        yield at, mark.start()
        at = mark.end()
    yield at, len(body)


def _joined(statement: str, parts: Sequence[tuple[int, int]], kept: Sequence[int]) -> str:
    """Put parts together: as they stood where they were neighbours, by a space where something was between.

    Empty where too few words are left.
    """
    text = ""
    for before, i in zip((None, *kept), kept, strict=False):
        if before is not None:
            text += statement[parts[before][1] : parts[i][0]] if before == i - 1 else " "
        text += statement[slice(*parts[i])]
    if kept and kept[0] > 0:
        text = _LEADS_ON.sub("", text, count=1) if _LEADS_ON.match(text) else text
    if len(text.split()) < FEWEST_WORDS_LEFT:
        return ""
    return text[:1].upper() + text[1:] + statement[parts[-1][1] :]
