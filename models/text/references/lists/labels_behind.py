"""Lists whose labels stand behind their entries: `Sources: Smith J. JAMA 2018 [1]; Lee M. NEJM 2021 [2]`."""

import re
from collections.abc import Sequence

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.references.entries.evidence import PUBLISHER_WORD, Evidence, evidence_of
from medassay.models.text.references.entries.lines import Line
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.repeated import read_all
from medassay.models.text.references.entries.years import YEAR
from medassay.models.text.references.lists.headings import Trust
from medassay.models.text.references.lists.reference_list import ReferenceList

_ENTRY = re.compile(
    r"(?:[-*+•–][ \t]+)?(?P<body>[^\W\d_](?:[^\[\]\n]){2,400}?)[ \t]?"
    r"(?:\[(?P<square>\d{1,3})\]|(?<=[ \t])\((?P<round>\d{1,2})\))[*_]{0,2}(?:[ \t]*[;,.]|(?=[ \t])|\Z)[ \t]*"
)
_CITES_BY_NAME = re.compile(r"(?:[^\[\]\n]{2,80}\[\d{1,3}\][*_)]*[,;.]?\s?){1,6}[\W_]*")
_FEWEST = 2


def list_before_labels(
    text: str, lines: Sequence[Line], at: int, trust: Trust, inline: int | None = None
) -> tuple[ReferenceList, int] | None:
    """Read such a list from the line `at` on, which is its heading, or has it up to `inline`.

    Every line has to be entries and no more, each of which names a work.

    Returns:
        The list and the number of the line behind it; None where it is no such list.
    """
    after, start = (at + 1, 0) if inline is None else (at, inline)
    found: list[WrittenEntry] = []
    while trust > Trust.OPEN and after < len(lines):
        line = lines[after]
        read = _entries(text, start or line.start, line.end)
        if not read or (found and line.after_blank):
            break
        found, after, start = [*found, *read], after + 1, 0
    if not len({entry.label for entry in found}) == len(found) >= _FEWEST:
        return None
    if not all(_names_a_work(text[entry.body : entry.end]) for entry in found):
        return None
    return ReferenceList(lines[at].first, lines[after - 1].end, tuple(read_all(text, found))), after


def only_cites_by_name(raw: str) -> bool:
    """Tell whether what stands behind "Source:" cites entries of another list by name: `AASM guideline [2].`."""
    return _CITES_BY_NAME.fullmatch(raw) is not None


def _entries(text: str, start: int, end: int) -> list[WrittenEntry]:
    """Cut a line into entries with labels behind them; empty where anything is left."""
    found: list[WrittenEntry] = []
    while start < end:
        entry = _ENTRY.match(text, start, end)
        if entry is None:
            return []
        found.append(
            WrittenEntry(*entry.span("body"), entry["square"] or entry["round"], entry.start("body"))
        )
        start = entry.end()
    return found


def _names_a_work(body: str) -> bool:
    """Tell whether words name a publication or who published it: `Spinach` does not."""
    told = YEAR.search(body) or PUBLISHER_WORD.search(body) or atoms(body)
    return bool(told) and evidence_of(body) >= Evidence.LIKELY
