"""What two texts surely name: organs, drugs by their stems, and what bears a number for a name."""

from medassay.models.entailment.substances import names_other_drugs_only
from medassay.models.nuggets.contrast.clauses import PRONOUN, keys_of
from medassay.models.nuggets.contrast.numbered import numbered
from medassay.models.nuggets.contrast.population import populations
from medassay.models.nuggets.words import SHARED_LETTERS, words

ORGANS = frozenset(
    key
    for word in "liver kidney heart lung brain thyroid eye skin bone bladder pancreas spleen prostate ear nose".split()
    for key in keys_of(word)
)


def named_otherwise(text: str, other: str) -> tuple[str, str] | None:
    """Return what the two texts name of one kind and not alike, in their words; None where they may be about one thing.

    Organs, drugs, and what bears a number: "type 1 diabetes" is not "type 2 diabetes". Where one side names none of
    a kind, or both name one alike, nothing is told; nor where a pronoun of the other may stand for the drug.
    """
    left, right = numbered(text), numbered(other)
    for noun in dict.fromkeys(name[0] for name in left):
        mine, theirs = [n for n in left if n[0] == noun], [n for n in right if n[0] == noun]
        if theirs and not any(a[1] & b[1] for a in mine for b in theirs):
            return text[slice(*mine[0][2:])], other[slice(*theirs[0][2:])]
    here, there = ORGANS & keys_of(text).keys(), ORGANS & keys_of(other).keys()
    if here and there and not here & there:
        return named_as(text, here), named_as(other, there)
    if PRONOUN.search(other) is None and names_other_drugs_only(other, text):
        return "one drug", "another drug"
    return None


def named_as(text: str, keys: frozenset[str]) -> str:
    """Return the first word of a text that is one of the keys."""
    return next(text[word.start : word.end] for word in words(text) if word.stem[:SHARED_LETTERS] in keys)


def other_people(text: str, other: str) -> tuple[str, str] | None:
    """Return the people that two texts speak of, in their words, where they exclude each other: children, adults."""
    mine, theirs = populations(text), populations(other)
    for axis in mine.keys() & theirs.keys():
        (here, start, end), (there, low, high) = mine[axis], theirs[axis]
        if not here & there:
            return text[start:end], other[low:high]
    return None
