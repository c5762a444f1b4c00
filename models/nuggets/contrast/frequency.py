"""Frequency: twice daily against once daily, every 8 hours against every 24 hours."""

import re
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.contrast.measures import NUMBER_WORDS, number
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

_N = r"\d+(?:\.\d+)?|" + "|".join(word for word in NUMBER_WORDS if word not in ("zero", "half"))
PERIOD_DAYS = {
    "hour": 1 / 24,
    "day": 1.0,
    "night": 1.0,
    "morning": 1.0,
    "evening": 1.0,
    "week": 7.0,
    "month": 30.4,
    "year": 365.25,
}
_P = "hour|day|night|morning|evening|week|month|year"
TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
FREQUENCY = re.compile(
    rf"(?P<most>\b(?:up\sto|at\smost|(?:no|not)\s(?:\w+\s)?more\sthan|(?:a\s)?maximum\sof)\s)?"
    rf"\b(?:(?:(?P<times>once|twice|thrice)|(?P<n>{_N})(?:\s?(?:to|-|–)\s?(?P<n2>{_N}))?\s?(?:times|doses))(?:\s|-)?(?:(?:a|an|per|each|every|in\sa)(?:\s|-)(?P<p>{_P})|(?P<ly>daily|weekly|monthly|yearly|annually))"
    rf"|every\s(?:(?P<every>{_N})(?:\s?(?:to|or|-|–)\s?(?P<every2>{_N}))?\s)?(?P<ep>{_P})s?|every\sother\s(?P<other>day|week|month)"
    rf"|q\s?(?P<q>\d+)\s?(?P<qu>[hd])\b|(?P<latin>bid|b\.i\.d|tid|t\.i\.d|qid|q\.i\.d)\b"
    rf"|(?P<alone>daily|weekly|monthly|yearly|annually|each\sday|per\sday|a\sday|per\sweek)\b)",
    re.IGNORECASE,
)
LATIN = {"bid": 2.0, "tid": 3.0, "qid": 4.0}
ADVERB = {"daily": 1.0, "weekly": 7.0, "monthly": 30.4, "yearly": 365.25, "annually": 365.25}
APART = 1.3  # frequencies further apart than this factor are different schedules


@lru_cache(maxsize=65536)
def frequencies(text: str) -> tuple[tuple[float, float, int, int], ...]:
    """Find how often a day something is done: (fewest, most, start, end), in times a day."""
    found = []
    for match in FREQUENCY.finditer(text):
        low, high = per_day(match)
        found.append((low, high, match.start(), match.end()))
    return tuple(found)


def per_day(match: "re.Match[str]") -> tuple[float, float]:
    """Read one expression of frequency as a range of times a day."""
    part = {name: value.lower() for name, value in match.groupdict().items() if value}
    if "times" in part or "n" in part:
        low = TIMES[part["times"]] if "times" in part else number(part["n"])
        high = number(part["n2"]) if "n2" in part else low
        days = PERIOD_DAYS[part["p"]] if "p" in part else ADVERB[part["ly"]]
        return (0.0 if "most" in part else low / days), high / days
    if "ep" in part:
        days = PERIOD_DAYS[part["ep"]]
        least = number(part["every"]) if "every" in part else 1.0
        most = number(part["every2"]) if "every2" in part else least
        return 1 / (most * days), 1 / (least * days)
    if "other" in part:
        return (0.5 / PERIOD_DAYS[part["other"]],) * 2
    if "q" in part:
        return (1 / (float(part["q"]) * (1 / 24 if part["qu"] == "h" else 1.0)),) * 2
    if "latin" in part:
        return (LATIN[part["latin"].replace(".", "")],) * 2
    word = part["alone"]
    return (1 / ADVERB.get(word, 7.0 if "week" in word else 1.0),) * 2


def compatible(left: tuple[float, float, int, int], right: tuple[float, float, int, int]) -> bool:
    """Tell whether two schedules can both hold: they overlap, or where both name only a most, that is the same."""
    (low, high, *_), (least, most, *_) = left, right
    if low == least == 0.0:
        return high <= most * APART and most <= high * APART
    return low <= most * APART and least <= high * APART


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when both texts say how often, and no schedule of the claim fits the nugget's."""
    mine, theirs = frequencies(nugget), frequencies(claim)
    if not mine or not theirs:
        return None
    if any(compatible(left, right) for left in mine for right in theirs):
        return None
    ignore = frozenset(
        key
        for text, found in ((nugget, mine), (claim, theirs))
        for _, _, a, b in found
        for key in keys(words(text[a:b]))
    )
    if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, ignore, before):
        return None
    (_, _, a, b), (_, _, c, d) = mine[0], theirs[0]
    return Contrast("frequency", f"nugget says *{nugget[a:b]}*, answer says *{claim[c:d]}*", (a, b), (c, d))
