"""Antonyms: common against rare, acute against chronic, hypo- against hyper-, viral against bacterial."""

import re
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import Clause, clauses, same_matter, slots
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import lines_of

HYPO_HYPER = re.compile(r"\b(hypo|hyper|low|high)[- ]?(\w{4,})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def pole_of() -> dict[str, tuple[int, int]]:
    """Map a word to (number of its axis, side of the axis)."""
    table = {}
    for axis, line in enumerate(lines_of("antonyms")):
        for side, pole in enumerate(line.split("|")):
            table.update(dict.fromkeys(pole.split(), (axis, side)))
    return table


@lru_cache(maxsize=65536)
def poles(clause: Clause) -> tuple[tuple[str, int, int, int], ...]:
    """Find the poles in a clause: (axis, side, start, end); `hyper…` and `hypo…` share an axis."""
    found = []
    for word in clause.words:
        if word.text in pole_of():
            axis, side = pole_of()[word.text]
            found.append((str(axis), side, word.start, word.end))
    for match in HYPO_HYPER.finditer(clause.text):
        prefix, rest = match.group(1).lower(), match.group(2).lower()
        side = int(prefix in ("hyper", "high"))
        start, end = clause.start + match.start(), clause.start + match.end()
        found.append((f"-{rest[:5].replace('ae', 'e')}", side, start, end))
    return tuple(found)


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when both texts speak of the same thing and stand at opposite poles of one axis."""
    for mine in clauses(nugget):
        for theirs in clauses(claim):
            for axis, _, start, end in poles(mine):
                there = [pole for pole in poles(theirs) if pole[0] == axis]
                if there and turns(mine, start) != turns(theirs, there[0][2]):
                    continue
                here = {pole[1] for pole in poles(mine) if pole[0] == axis}
                if (
                    not there
                    or here & {pole[1] for pole in there}
                    or said_elsewhere(claim, theirs, axis, here)
                ):
                    continue
                _, _, other_start, other_end = there[0]
                places = slots(mine, start, end), slots(theirs, other_start, other_end)
                if same_matter(*places, nugget, claim, before=before):
                    reason = (
                        f"nugget says *{nugget[start:end]}*, answer says *{claim[other_start:other_end]}*"
                    )
                    return Contrast("antonym", reason, (start, end), (other_start, other_end))
    return None


def turns(clause: Clause, pole_start: int) -> int:
    """Return 1 where the clause's negations turn it around, the pole itself not counted ("harms" is both)."""
    return sum(not start <= pole_start < end for start, end in clause.negations) % 2


def said_elsewhere(claim: str, clause: Clause, axis: str, sides: set[int]) -> bool:
    """Tell whether another clause of the claim stands at the nugget's pole: "common in children, rare in adults"."""
    return any(
        pole[0] == axis and pole[1] in sides
        for other in clauses(claim)
        if other != clause and other.negated == clause.negated
        for pole in poles(other)
    )


def opposed(mine: Clause, theirs: Clause) -> bool:
    """Tell whether two clauses stand at opposite poles of an axis, negation left aside."""
    return any(left[0] == right[0] and left[1] != right[1] for left in poles(mine) for right in poles(theirs))
