"""Negation and its scope: "effective" against "not effective", "contraindicated" against "recommended"."""

from models.nuggets.contrast import antonyms, direction
from models.nuggets.contrast.clauses import Clause, clauses, keys_of, same_matter, slots
from models.nuggets.evidence import Contrast
from models.nuggets.words import keys, share

ENOUGH = 0.5  # of the nugget's clause, found in the claim's
NEARLY = 0.25  # a clause this close to the best that agrees silences the check


def check(nugget: str, claim: str) -> Contrast | None:
    """Fire when the clauses nearest to each other differ in the parity of their negations."""
    for mine in clauses(nugget):
        ranked = sorted(
            ((closeness(mine, theirs), theirs) for theirs in clauses(claim)), key=lambda pair: -pair[0]
        )
        best, nearest = ranked[0]
        if best < ENOUGH or mine.negated == nearest.negated:
            continue
        if any(theirs.negated == mine.negated and near >= best - NEARLY for near, theirs in ranked):
            continue
        if direction.opposed(mine, nearest, nugget, claim) or antonyms.opposed(mine, nearest):
            continue
        if same_matter(around(mine), around(nearest), nugget, claim):
            return contrast(mine, nearest, nugget, claim)
    return None


def closeness(mine: Clause, theirs: Clause) -> float:
    """Return how much of the smaller clause is in the larger one, 0–1."""
    left, right = keys(mine.words), keys(theirs.words)
    small, large = (left, right) if sum(left.values()) <= sum(right.values()) else (right, left)
    return share(small, large) or 0.0


def around(clause: Clause) -> tuple[dict[str, float], ...]:
    """Return the words before and after the last negation, or the whole clause where nothing is negated."""
    if not clause.negations:
        return (keys(clause.words),)
    return slots(clause, *clause.negations[-1])


def contrast(mine: Clause, theirs: Clause, nugget: str, claim: str) -> Contrast:
    """Quote the negation with the word it turns, and that word as the other side has it."""
    said, heard = quote(mine, claim), quote(theirs, nugget)
    reason = f"nugget says *{nugget[slice(*said)]}*, answer says *{claim[slice(*heard)]}*"
    return Contrast("negation", reason, said, heard)


def quote(clause: Clause, other: str) -> tuple[int, int]:
    """Return the span to show: from the last negation to the next shared word, or the last shared words."""
    known = keys_of(other)
    shared = [word for word in clause.words if word.weight and next(iter(keys([word]))) in known]
    if clause.negations:
        start, end = clause.negations[-1]
        following = [word for word in shared if word.start >= end]
        return start, following[0].end if following else end
    chosen = shared or [word for word in clause.words]
    return chosen[0].start, chosen[-1].end
