"""Details that have to be said for a nugget to be covered: its number, its direction, its route, its people."""

from collections.abc import Sequence
from functools import lru_cache

from medassay.models.nuggets.contrast.direction import agree, comparable, directions
from medassay.models.nuggets.contrast.frequency import frequencies
from medassay.models.nuggets.contrast.quantities import amounts
from medassay.models.nuggets.contrast.routes import compatible, routes
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.named import named_otherwise, other_people

PRESCRIBED = frozenset({"dose", "frequency"})


@lru_cache(maxsize=65536)
def details(text: str) -> frozenset[str]:
    """Return which kinds of detail a text gives: a direction of change, a number."""
    found = set()
    if directions(text):
        found.add("direction")
    if frequencies(text) or amounts(text):
        found.add("number")
    return frozenset(found)


def other_detail(nugget: str, window: str) -> str | None:
    """Say which detail of a nugget is given otherwise, and only otherwise, near a claim; None where none is.

    "Glucagon raises blood glucose" does not contradict "Insulin lowers blood glucose", and it does not cover it.
    """
    changes = [(mine, theirs) for mine in directions(nugget) for theirs in directions(window)]
    if changes and not any(agree(*pair) or not comparable(*pair, nugget, window) for pair in changes):
        mine, theirs = changes[0]
        return differ(nugget[mine.start : mine.end], window[theirs.start : theirs.end])
    ways = [(mine, theirs) for mine in routes(nugget) for theirs in routes(window)]
    if ways and not any(compatible(mine[0], theirs[0]) for mine, theirs in ways):
        (_, start, end), (_, low, high) = ways[0]
        return differ(nugget[start:end], window[low:high])
    named = other_people(nugget, window) or named_otherwise(nugget, window)
    return differ(*named) if named is not None else None


def of_something_else(nugget: str, claim: str, found: Sequence[Contrast] = ()) -> str | None:
    """Say what a claim that turns a nugget is about in its place; None where it may be about the same.

    Other people take another dose, or take it more often: that turns nothing. Other people alone do, as the checks
    found the same said of both.
    """
    named = named_otherwise(nugget, claim)
    if named is None and any(contrast.kind in PRESCRIBED for contrast in found):
        named = other_people(nugget, claim)
    return differ(*named) if named is not None else None


def differ(said: str, heard: str) -> str:
    """Word it as the contrast checks do, without calling it a contradiction."""
    return f"nugget says *{said}*, answer says *{heard}*, of something else"
