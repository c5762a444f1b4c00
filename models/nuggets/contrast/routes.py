"""Route: by mouth against into a vein, a muscle, under the skin or onto it."""

import re
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

ROUTE = re.compile(
    r"\b(?:(?P<oral>oral(?:ly)?|by\smouth|per\sos|swallow(?:ed|ing)?|tablets?|capsules?)|(?P<vein>intravenous(?:ly)?|iv|into\sa\svein|infus(?:ed|ion))"
    r"|(?P<muscle>intramuscular(?:ly)?|into\sa\smuscle)|(?P<under>subcutaneous(?:ly)?|under\sthe\sskin)"
    r"|(?P<topical>topical(?:ly)?|creams?|ointments?|onto\sthe\sskin|applied\sto\sthe\sskin)|(?P<nasal>intranasal(?:ly)?|nasal(?:ly)?)"
    r"|(?P<inhaled>inhal(?:ed|ation)|nebuli[sz]ed)|(?P<rectal>rectal(?:ly)?|suppositor\w+)|(?P<needle>inject(?:ed|ions?|able)))\b",
    re.IGNORECASE,
)
ONE_OF_SEVERAL = re.compile(r"\b(?:can|may|also|available|or)\b", re.IGNORECASE)
NEEDLE = frozenset({"vein", "muscle", "under", "needle"})


@lru_cache(maxsize=65536)
def routes(text: str) -> tuple[tuple[str, int, int], ...]:
    """Find the routes named in a text: (route, start, end)."""
    return tuple((str(found.lastgroup), found.start(), found.end()) for found in ROUTE.finditer(text))


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when both texts name routes and none of the claim's can be one of the nugget's."""
    mine, theirs = routes(nugget), routes(claim)
    if not mine or not theirs:
        return None
    if ONE_OF_SEVERAL.search(nugget) and ONE_OF_SEVERAL.search(claim):
        return None
    if any(compatible(left[0], right[0]) for left in mine for right in theirs):
        return None
    (_, start, end), (_, other_start, other_end) = mine[0], theirs[0]
    ignore = frozenset(
        key
        for text, found in ((nugget, mine), (claim, theirs))
        for _, a, b in found
        for key in keys(words(text[a:b]))
    )
    if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, ignore, before):
        return None
    reason = f"nugget says *{nugget[start:end]}*, answer says *{claim[other_start:other_end]}*"
    return Contrast("route", reason, (start, end), (other_start, other_end))


def compatible(left: str, right: str) -> bool:
    """Tell whether two route words can mean one route: an injection is any needle."""
    return left == right or ("needle" in (left, right) and {left, right} <= NEEDLE)
