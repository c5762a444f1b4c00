"""Words around a joint that are none of either clause: asides, leads, bounds of a range, what a colon announces."""

from bisect import bisect_left
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clause_reading import ClauseSoFar
from medassay.models.text.language.verbs import SUBORDINATORS, is_finite
from medassay.models.text.markers.marks import Marker

DASHES = frozenset(("—", "–", "-", "--"))
_AROUND_ASIDES = DASHES | {","}
_LEADS = frozenset("however therefore thus hence nevertheless nonetheless consequently instead".split())
_FREQUENCY = frozenset("often also never always still then usually sometimes generally rarely even".split())
_OF_A_DOSE = frozenset("daily weekly monthly yearly nightly hourly quarterly fortnightly".split())
_LONGEST_ASIDE = 7
_LONGEST_ASIDE_OF_A_CLAUSE = 14
_LONGEST_BOUND = 4


def announced(
    text: str, tokens: Sequence[Span], markers: Sequence[Marker], clause: ClauseSoFar, at: int
) -> bool:
    """Tell whether a colon stands behind the clause's last verb: "there are two risks: bleeding and infection"."""
    if clause.last_verb < clause.first:
        return False
    colon = text.rfind(": ", tokens[clause.last_verb].end, tokens[at].start)
    near = bisect_left(markers, colon, key=lambda m: m.end)
    return colon >= 0 and not (near < len(markers) and markers[near].start <= colon)


def joins_two_bounds(words: Sequence[str], at: int) -> bool:
    """See the "and" of "begins between 2 and 4 hours" and of "at both 5 and 10 mg"."""
    if words[at] != "and" or not words[min(at + 1, len(words) - 1)][0].isdigit():
        return False
    before = words[max(0, at - _LONGEST_BOUND) : at]
    return ("between" in before or "both" in before) and any(word[0].isdigit() for word in before)


def is_adverb(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] says how or how often; "15 mg weekly" is a dose."""
    return words[at] in _FREQUENCY or (words[at].endswith("ly") and words[at] not in _OF_A_DOSE)


def behind_adverb(words: Sequence[str], right: int) -> int:
    """Go past the adverbs and asides that stand before a verb: "and — crucially — doubles mortality"."""
    while right < len(words) - 1:
        if words[right] in _AROUND_ASIDES:
            aside = words[right + 1 : right + _LONGEST_ASIDE]
            if words[right] not in aside:
                break
            right += aside.index(words[right]) + 2
        elif is_adverb(words, right):
            right += 1
        else:
            break
    return right


def behind_lead(words: Sequence[str], right: int) -> int:
    """Go past the "however," of "[1], however, it is costly [2]", and past what "and, rarely, causes" says."""
    if words[right] == "," and words[right - 1] != ",":
        aside = words[right + 1 : right + _LONGEST_ASIDE]
        return right + 2 + aside.index(",") if "," in aside else right
    if words[right] not in _LEADS or right + 2 >= len(words):
        return right
    return right + 2 if words[right + 1] == "," else right + 1


def opens_an_aside(words: Sequence[str], at: int) -> bool:
    """See the first dash of "is low [1]—about 1 in 10,000—and can be reduced"."""
    behind = words[at + 1 : at + _LONGEST_ASIDE_OF_A_CLAUSE]
    if words[at] not in behind:
        return False
    closed = at + 1 + behind.index(words[at])
    return not any(is_finite(words, here) for here in range(at + 2, closed))


def states_at_once(words: Sequence[str], right: int) -> bool:
    """Tell "[1]: mortality was 0.5%" from a list behind a colon, "[1]: fever, cough that lasted a week, …"."""
    for here in range(right + 1, min(right + _LONGEST_ASIDE_OF_A_CLAUSE, len(words))):
        if words[here] in (",", ";") or words[here] in SUBORDINATORS:
            return False
        if is_finite(words, here):
            return True
    return False
