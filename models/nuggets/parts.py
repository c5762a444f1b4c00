"""The atomic parts of a nugget that lists several things: one of them said is `partial`, not `missing`."""

import re
from functools import lru_cache

from medassay.models.nuggets.words import keys, words

LIST = re.compile(
    r"\b(?:such as|includ(?:e|es|ed|ing)|namely|like|for example|e\.g\.,?|are|is|with|cause[sd]?|contain\w*)\b:?\s"
)
SEPARATOR = re.compile(r",\s(?:and|or)\s|,\s|;\s|\sand\s|\sor\s|\sas well as\s")


@lru_cache(maxsize=65536)
def parts(nugget: str) -> tuple[frozenset[str], ...]:
    """Return the telling words of each part; empty where the nugget says one thing."""
    bare = re.sub(r"\([^)]*\)", " ", nugget)
    found = []
    for piece in SEPARATOR.split(bare):
        opened = LIST.split(piece)[-1]
        told = frozenset(key for key, weight in keys(words(opened)).items() if weight == 1.0)
        if told:
            found.append(told)
    return tuple(found) if len(found) > 1 else ()


def parts_said(nugget: str, said: frozenset[str], known: frozenset[str]) -> tuple[int, int]:
    """Count (parts said, parts) of a nugget.

    Args:
        nugget: the nugget's text.
        said: the telling words of the claim and its neighbours.
        known: the telling words of the question; a part that says nothing beyond it does not count.
    """
    telling = [part - known for part in parts(nugget) if part - known]
    return sum(part <= said for part in telling), len(telling)
