"""Quantities and doses: 5 mg against 50 mg; 0.5 mg is 500 µg, and 5–10 % contains 7 %."""

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.contrast.frequency import frequencies
from medassay.models.nuggets.contrast.measures import Measure, compatible, measures
from medassay.models.nuggets.contrast.numbered import numbered
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

DOSES = frozenset({"mass", "per mass", "volume", "units"})


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when a number of the nugget has counterparts of its dimension in the claim, and none fits."""
    return differing(numbers(nugget), numbers(claim), nugget, claim, before)


def check_amounts(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Do the same, but leave out numbers that are names: "type 2" is another thing than "type 1", not more of it."""
    return differing(amounts(nugget), amounts(claim), nugget, claim, before)


def differing(
    mine: list[Measure], theirs: list[Measure], nugget: str, claim: str, before: str
) -> Contrast | None:
    """Return the first number of the nugget that has counterparts of its dimension in the claim, none of which fits."""
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


def amounts(text: str) -> list[Measure]:
    """Return the numbers of a text that say how much; those that are names ("drug 4", "COVID-19") are left out."""
    names = numbered(text)
    return [
        measure
        for measure in numbers(text)
        if not measure.dimension.endswith(" name")
        and not any(start < measure.end and measure.start < end for _, _, start, end in names)
    ]


def contrast(mine: Measure, theirs: Measure, nugget: str, claim: str) -> Contrast:
    """Quote the two numbers."""
    said, heard = (mine.start, mine.end), (theirs.start, theirs.end)
    kind = "dose" if mine.dimension in DOSES else "quantity"
    reason = f"nugget says *{nugget[slice(*said)].strip()}*, answer says *{claim[slice(*heard)].strip()}*"
    return Contrast(kind, reason, said, heard)
