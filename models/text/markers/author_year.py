"""Works that are cited by author and year."""

import re
from collections.abc import Collection

from medassay.models.records import Span
from medassay.models.text.authors import DATED, ET_AL, author_label
from medassay.models.text.markers.marks import Marker, Target

_ONE_WORK = re.compile(rf"(?P<names>.+?)(?:['’]s?)?,?\s\(?(?P<years>{DATED}(?:,\s{DATED})*)\)?(?:[,:].*)?\Z")
_SEE = re.compile(r"(?:see|see also|e\.g\.,?|cf\.|reviewed (?:in|by)|as in|from|by|per)\s", re.IGNORECASE)
_SEVERAL_AUTHORS = re.compile(rf"{ET_AL}|\s(?:and|&|und)\s")
_NOBODY = re.compile(
    r"(?:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber|Spring"
    r"|Summer|Autumn|Fall|Winter"
    r"|Since|Until|Before|After|By|In|From|Between|During|Table|Figure|Fig|Phase|Version|Step"
    r"|Class|Grade|Stage|Type|Day|Week|Year|Updated|Published|Accessed|Reviewed|Revised"
    r"|Approved)\b"
)


def works_in(words: str, at: int, labels: Collection[str]) -> list[Target]:
    """Read `Smith et al., 2020; Lee & Kim 2019` as targets; empty where a piece names nobody."""
    targets: list[Target] = []
    for piece in re.finditer(r"[^;]+", words):
        said = piece[0].strip()
        if see := _SEE.match(said):
            said = said[see.end() :]
        work = _ONE_WORK.fullmatch(said)
        if work is None or _NOBODY.match(work["names"]):
            return []
        for year in re.split(r",\s", work["years"]):
            label = author_label(work["names"], year)
            if label not in labels and not _SEVERAL_AUTHORS.search(said):
                return []
            targets.append(Target(said, None, label, at + piece.start(), at + piece.end()))
    return targets


def narrative(match: re.Match[str], labels: Collection[str]) -> Marker | None:
    """Read `Smith et al. (2020)` within a sentence."""
    label = author_label(match["names"], match["year"])
    if label not in labels:
        last = author_label(match["names"].split()[-1], match["year"])
        label = last if last in labels and " " in match["names"] else label
    if (
        label not in labels
        and not re.search(rf"{ET_AL}|\s(?:and|&)\s", match["names"])
        or _NOBODY.match(match[0])
    ):
        return None
    target = Target(match[0], None, label, *match.span())
    return Marker(*match.span(), "author_year", (target,), Span(*match.span()))
