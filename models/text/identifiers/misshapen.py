"""Identifiers that nothing can have: a PMID of nine digits, a trial's number of seven. Whoever made them up cites."""

import re
from collections.abc import Iterator

_MISSHAPEN = re.compile(
    r"\bPMIDs?[\s:：#]{0,3}(?:0{1,8}|[1-9]\d{8,14})(?![\d,.]*\d)"
    r"|\bNCT(?:\d{6,7}|\d{9,12})(?!\w)"
    r"|\bPMC(?:0{1,9}|\d{10,15})(?!\w)"
    r"|\bdoi[\s:：]{1,3}10\.\d{1,3}/[^\s()\[\]<>,;]{2,100}(?<!\.)",
    re.IGNORECASE,
)


def misshapen(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Find what is called an identifier and has the form of none, in order, as (start, end)."""
    for found in _MISSHAPEN.finditer(text, start, end):
        yield found.span()
