"""Scores that no person gave: codes for a missing one (-1, 99), and strays far outside the scale of the others.

What is left out has to be evident from the other scores of the same metric. Where it is not, the score counts and
`Doubt` says so.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from statistics import fmean, median

BELOW_ZERO = frozenset(
    {-1.0, -7.0, -8.0, -9.0, -66.0, -77.0, -88.0, -97.0, -98.0, -99.0, -777.0, -888.0, -999.0}
)
ABOVE = frozenset({66.0, 77.0, 88.0, 97.0, 98.0, 99.0, 777.0, 888.0, 997.0, 998.0, 999.0, 9999.0, -9999.0})
"""What surveys write for `no answer`, `does not apply`, `was not asked`."""
FEWEST = 6
FEWEST_WITHIN = 10
"""Scores from which on a scale is evident; and for a code that may be a score of a slightly wider one."""
STRAYS_AMONG = 20
CODES_AMONG = 3
"""Of so many scores one may be a code, and of `STRAYS_AMONG` one a slip; where there are more, the scale is wider."""
RARE = 5
"""What is at most one of so many scores, and may be one, is told of."""


@dataclass(frozen=True, slots=True)
class Given:
    """A score of an item (an answer) by an annotator."""

    item: object
    annotator: str
    score: float


@dataclass(frozen=True, slots=True)
class Outside:
    """Values that are left out, those that are in doubt and count, and the scale of the others."""

    left_out: Mapping[float, int] = field(default_factory=dict)
    doubts: Mapping[float, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 0.0


def outside(scores: Sequence[Given]) -> Outside:
    """Find the values among a metric's scores that its scale evidently does not have.

    Left out are: a negative code beside scores of which none is negative; 99 and the like beside scores up to 10; 999
    and the like beside scores up to 100; slips beyond 10 that are at most one in twenty, beside whole and half numbers
    from 1 to 5; and 0, 8 or 9 beside scores of 1 to 5 or so where other people's scores of the same answers say
    that it means no score.
    """
    counts = Counter(one.score for one in scores)
    core = [one.score for one in scores if 0 <= one.score <= 100]
    if any(score > 10 and score not in ABOVE for score in core) and not _slips(_without(core, ABOVE)):
        beyond = 100
    else:
        beyond, core = 10, _without(core, ABOVE)
    if len(core) < FEWEST or len(set(core)) < 2:
        return Outside()
    slips = _slips(core)
    core = _without(core, slips)
    left_out: dict[float, int] = {value: counts[value] for value in slips}
    doubts: dict[float, int] = {}
    rest = [value for value in counts if value > beyond and value not in slips]
    if all(value in ABOVE for value in rest):
        left_out |= {value: counts[value] for value in rest}
    below = {value: counts[value] for value in counts if value < 0}
    if below and all(value in BELOW_ZERO | ABOVE for value in below):
        if _never_negative(core, set(below)):
            left_out |= below
        elif sum(below.values()) * RARE <= len(scores):
            doubts |= below
    if sum(left_out.values()) * CODES_AMONG > len(scores):
        doubts |= left_out
        left_out = {}
    sound = [one for one in scores if one.score not in left_out and one.score >= 0]
    for value in (0.0, 8.0, 9.0):
        found = _inner_code(value, sound)
        if found is not None:
            (left_out if found else doubts)[value] = counts[value]
    kept = [one.score for one in scores if one.score not in left_out and one.score not in doubts]
    return Outside(left_out, doubts, min(kept), max(kept)) if left_out or doubts else Outside()


def _without(scores: Sequence[float], values: AbstractSet[float]) -> list[float]:
    return [score for score in scores if score not in values]


def _slips(core: Sequence[float]) -> set[float]:
    """Return the few values such as 45 for 4.5 and 33 for 3 where all others are 1, 1.5, 2 … 5."""
    high = [score for score in core if score > 10]
    rest = [score for score in core if score <= 10]
    is_likert = all(1 <= score <= 5 and (2 * score).is_integer() for score in rest) and len(set(rest)) >= 4
    are_slips = all(2 <= score / 10 <= 5 and (score / 5).is_integer() or score % 11 == 0 for score in high)
    return set(high) if is_likert and are_slips and len(high) * STRAYS_AMONG <= len(core) else set()


def _never_negative(core: Sequence[float], below: set[float]) -> bool:
    """Return whether a scale with these scores from 0 upwards cannot hold these codes too.

    A scale around zero, as of -2 to 2, has further negative values, and 0.
    """
    top = max(core)
    if all(-value > top for value in below):
        return True
    if min(core) > 0:
        return top >= 3
    fractions = any(not score.is_integer() for score in core)
    return top >= 4 or fractions


def _inner_code(value: float, scores: Sequence[Given]) -> bool | None:
    """Return whether 0, 8 or 9 is a code beside scores of 1 to 5 (or 3, 4, 7): None where nothing speaks for it.

    It is one where the answers that it stands at got no lower (for 8 and 9: no higher) scores from others than the
    rest. Where nobody else scored those answers it is in doubt, if the others are all of 1, 2, 3, 4, 5.
    """
    coded = [one for one in scores if one.score == value]
    rest = [one for one in scores if one.score != value]
    levels = {one.score for one in rest}
    top = max(levels, default=0.0)
    whole = levels == {float(level) for level in range(1, int(top) + 1)}
    if not coded or not whole or not 3 <= top <= 7 or (value and value < top + 3):
        return None
    if len(coded) * CODES_AMONG > len(scores) or len(rest) < FEWEST_WITHIN:
        return None
    by_item: dict[object, list[float]] = defaultdict(list)
    for one in rest:
        by_item[one.item].append(one.score)
    beside = [fmean(by_item[one.item]) for one in coded if one.item in by_item]
    middle = median(one.score for one in rest)
    if not beside:
        return False if top == 5 else None
    speaks = fmean(beside) >= middle if value == 0 else fmean(beside) <= middle + 0.5
    if not speaks:
        return None if value == 0 else False
    return len(beside) > 1
