"""Comparison: "A better than B" against "B better than A", or against "A worse than B"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

PIVOT = re.compile(
    r"\b(?:than|compared\s(?:with|to)|(?:superior|inferior|preferred|preferable)\sto|prefer\w*\sover|(?:rather|instead)\sof"
    r"|versus|relative\sto)\b",
    re.IGNORECASE,
)
FRONTED = re.compile(
    r"^\s*(?:compared\s(?:with|to)|versus|relative\sto)\s(?P<right>[^,]+),\s*(?P<left>.+)$", re.IGNORECASE
)
WORD_OF_COMPARISON = re.compile(
    r"\b(?:(?P<better>better|superior|prefer\w*|safer|improv\w+|more\seffective)|(?P<worse>worse|inferior|less\seffective|less\ssafe)"
    r"|(?P<more>more|greater|higher|larger|faster|longer|sooner|earlier|stronger|quicker|larger|increas\w+)"
    r"|(?P<less>less|fewer|lower|smaller|slower|shorter|later|weaker|rarer|reduc\w+|decreas\w+))\b",
    re.IGNORECASE,
)
FIRST_CHOICE = re.compile(
    r"\b(?:is|are|remains?)\s(?:also\s|usually\s|generally\s|still\s)?(?:the\s)?(?:(?P<quality>best|safest|most\seffective)"
    r"|preferred|preferable|first[-\s](?:choice|line)|(?:drug|treatment|therapy|agent)s?\sof\s(?:first\s)?choice)\b",
    re.IGNORECASE,
)
SIGN = {"better": 1, "worse": -1, "more": 1, "less": -1}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Who is compared with whom, and which way; `quality` is better or worse, else it is more or less."""

    left: frozenset[str]
    right: frozenset[str]
    sign: int
    quality: bool
    start: int
    end: int


@lru_cache(maxsize=65536)
def comparison(text: str) -> Comparison | None:
    """Read the comparison of a sentence; None where there is none, or no word says which way."""
    pivot, fronted = PIVOT.search(text), FRONTED.search(text)
    if pivot is None:
        return None
    if fronted is not None:
        left, right, reach = fronted.group("left"), fronted.group("right"), (fronted.start("left"), len(text))
    else:
        left, right, reach = (
            text[: pivot.start()],
            re.split(r"[,;.]\s|\bfor\b", text[pivot.end() :])[0],
            (0, pivot.end()),
        )
    found = list(WORD_OF_COMPARISON.finditer(text, *reach))
    if not found:
        return None
    way = found[-1] if fronted is None else found[0]
    if re.match(r"\s*\d", right):
        return None
    name = str(way.lastgroup)
    left_keys, right_keys = frozenset(keys(words(left))), frozenset(keys(words(right)))
    shared = left_keys & right_keys
    return Comparison(
        left_keys - shared,
        right_keys - shared,
        SIGN[name],
        name in ("better", "worse"),
        way.start(),
        way.end(),
    )


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the two sides are swapped with the word kept, or kept with the word turned.

    What one text says is the first choice, and the other says is second to something else, is turned as well.
    """
    mine, theirs = comparison(nugget), comparison(claim)
    if (mine is None) != (theirs is None):
        return second_to_another(nugget, claim, mine or theirs, before)
    if mine is None or theirs is None or mine.quality != theirs.quality:
        return None
    kept = bool(mine.right & theirs.right) and not mine.right & theirs.left
    swapped = bool(mine.right & theirs.left) and bool(mine.left & theirs.right)
    if kept == swapped or (mine.sign == theirs.sign) == kept:
        return None
    if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, before=before):
        return None
    said, heard = whole(nugget, mine), whole(claim, theirs)
    reason = f"nugget says *{nugget[slice(*said)]}*, answer says *{claim[slice(*heard)]}*"
    return Contrast("comparator", reason, said, heard)


def second_to_another(
    nugget: str, claim: str, compared: Comparison | None, before: str = ""
) -> Contrast | None:
    """Fire on "A is preferred" against "B is preferred over A", whichever of the two texts compares."""
    in_nugget = comparison(nugget) is not None
    chosen = FIRST_CHOICE.search(claim if in_nugget else nugget)
    if chosen is None or compared is None or not compared.quality:
        return None
    first = frozenset(keys(words(chosen.string[: chosen.start()])))
    comparing = nugget if in_nugget else claim
    prefers = comparing[compared.start : compared.end].lower().startswith("prefer")
    if prefers == (chosen.group("quality") is not None):
        return None
    winner, loser = (compared.left, compared.right)[:: compared.sign]
    aspect = keys_of(comparing[compared.end :].partition(" for ")[2])
    if (
        not first
        or not first <= loser
        or first & winner
        or not aspect.keys() <= keys_of(chosen.string).keys()
    ):
        return None
    if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, before=before):
        return None
    place = chosen.span()
    other = whole(comparing, compared)
    said, heard = (other, place) if in_nugget else (place, other)
    reason = f"nugget says *{nugget[slice(*said)]}*, answer says *{claim[slice(*heard)]}*"
    return Contrast("comparator", reason, said, heard)


def whole(text: str, found: Comparison) -> tuple[int, int]:
    """Return the span from the first word that names a side to the last one."""
    named = [word for word in words(text) if keys([word]).keys() & (found.left | found.right)]
    return (
        (min(found.start, named[0].start), max(found.end, named[-1].end))
        if named
        else (found.start, found.end)
    )
