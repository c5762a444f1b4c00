"""Orders among clauses: "is rare [1], so avoid it [2]", whose subject is whoever reads, and no drug."""

from collections.abc import Callable, Sequence

from medassay.models.text.claims.own_subjects import NO_VERB_BEHIND
from medassay.models.text.language.verbs import AUXILIARIES, IMPERATIVES

# What a drug does as often as a reader is told to.
_EFFECTS = frozenset("reduce increase limit hold keep make give cover return remain".split())
# What no drug does: behind a plural, "but stop working" is what statins do, "but check CK" is not.
_ONLY_READERS = frozenset(
    "take avoid use apply call seek consult talk speak see ask tell contact discuss check monitor inform consider "
    "remember ensure measure visit report obtain assess reassess recheck adjust titrate prescribe withhold".split()
)
_NEGATED = frozenset("do don't never always please".split())
_ORDERED = frozenset("dose dosage it them".split())


def begins_an_order(words: Sequence[str], right: int, agrees: bool) -> bool:
    """See the order of "is safe [1]; check CK [2]"; "; reduce bleeding [2]" goes on with what a drug does.

    `agrees` says that the verb before has the form that an order has: "statins help [1], but stop working [2]".
    """
    word, behind = words[right], words[right + 1 : right + 4]
    if agrees and word not in _ONLY_READERS and word not in _NEGATED:
        return False
    if word in _NEGATED:
        return words[right + 1 : right + 2] != ["so"]
    to_a_dose = not _ORDERED.isdisjoint(behind) or behind[:1] == ["to"]  # "; increase to 10 mg if needed [2]"
    return word in IMPERATIVES and (word not in _EFFECTS or to_a_dose)


def is_another_order(words: Sequence[str], right: int, marked: Callable[[int], bool]) -> bool:
    """See another order, as in "Stop the statin [1], check CK [2], and restart it [3]"."""
    word, after = words[right], words[right + 1]
    if marked(right + 1) or after in (",", ";", "of") or after in AUXILIARIES:
        return False
    return word in IMPERATIVES or (word not in NO_VERB_BEHIND and after in ("it", "them"))
