"""Quantities and doses: 5 mg against 50 mg; 0.5 mg is 500 µg, and 5–10 % contains 7 %."""

from models.nuggets.contrast.clauses import keys_of, same_matter
from models.nuggets.contrast.frequency import frequencies
from models.nuggets.contrast.measures import Measure, compatible, measures
from models.nuggets.evidence import Contrast
from models.nuggets.words import keys, words

DOSES = frozenset({"mass", "per mass", "volume", "units"})


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when a number of the nugget has counterparts of its dimension in the claim, and none fits."""
    mine, theirs = numbers(nugget), numbers(claim)
    if not mine or not theirs:
        return None
    ignore = frozenset(
        key
        for text, found in ((nugget, mine), (claim, theirs))
        for measure in found
        for key in keys(words(text[measure.start : measure.end]))
    )
    for measure in mine:
        rivals = [other for other in theirs if other.dimension == measure.dimension]
        if not rivals or any(compatible(measure, other) for other in rivals):
            continue
        kin = [own for own in mine if own != measure and own.dimension == measure.dimension]
        free = [other for other in rivals if not any(compatible(own, other) for own in kin)]
        if free and same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, ignore, before):
            return contrast(measure, free[0], nugget, claim)
    return None


def numbers(text: str) -> list[Measure]:
    """Return the measures of a text that are not part of a schedule."""
    schedule = frequencies(text)
    return [
        measure
        for measure in measures(text)
        if not any(start < measure.end and measure.start < end for _, _, start, end in schedule)
    ]


def contrast(mine: Measure, theirs: Measure, nugget: str, claim: str) -> Contrast:
    """Quote the two numbers."""
    said, heard = (mine.start, mine.end), (theirs.start, theirs.end)
    kind = "dose" if mine.dimension in DOSES else "quantity"
    reason = f"nugget says *{nugget[slice(*said)].strip()}*, answer says *{claim[slice(*heard)].strip()}*"
    return Contrast(kind, reason, said, heard)
