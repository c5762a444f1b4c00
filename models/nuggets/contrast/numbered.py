"""Names with a number: type 2 diabetes, stage 3, drug 4, vitamin B12, phase II, COVID-19."""

import re
from functools import lru_cache

from medassay.models.nuggets.contrast.measures import UNITS

BEARERS = (
    "type|stage|grade|phase|omega|class|group|step|factor|drug|agent|arm|cohort|trial|study|category|schedule|vitamin"
    "|line|chromosome|interleukin|serotype|generation"
)
NUMBERED = re.compile(
    rf"\b(?P<noun>{BEARERS})s?[\s-](?P<name>\d+[a-z]?|[ivx]+|[a-k]\d{{0,2}})"
    r"(?:\s?(?:,|and|or|to|/|–|-)\s?(?P<other>\d+[a-z]?|[ivx]+|[a-k]\d{0,2}))?(?![\w.,]*\d|\w|\s?%)"
    r"|\b(?P<stem>[a-z]{3,})-(?P<number>\d{1,3})(?![\w.]*\d|\w|\s?%)",
    re.IGNORECASE,
)
UNIT_NEXT = re.compile(r"[\s-]?(?P<unit>[a-zµμ°%/]+)", re.IGNORECASE)
ARTICLE = frozenset({"a", "i"})  # as a name only in capitals: "study a drug"


@lru_cache(maxsize=65536)
def numbered(text: str) -> tuple[tuple[str, frozenset[str], int, int], ...]:
    """Find what bears a number or a letter for its name: (noun, names, start, end), as in "type 2", "COVID-19".

    A number before a unit is an amount: "drug 4 mg".
    """
    found = []
    for match in NUMBERED.finditer(text):
        following = UNIT_NEXT.match(text, match.end())
        if following is not None and following.group("unit").lower() in UNITS:
            continue
        names = [match.group("name") or match.group("number"), match.group("other")]
        if any(name in ARTICLE for name in names):
            continue
        noun = (match.group("noun") or match.group("stem")).lower()
        told = frozenset(name.lower() for name in names if name)
        found.append((noun, told, match.start(), match.end()))
    return tuple(found)
