"""Negation and its scope: "effective" against "not effective", "contraindicated" against "recommended"."""

from dataclasses import replace

from medassay.models.nuggets.contrast import antonyms, direction
from medassay.models.nuggets.contrast.clauses import Clause, clauses, keys_of, same_matter, slots
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, share

NECESSITY = frozenset("required require requires necessary obliged supposed allowed permitted".split())
"""What "have to", "must" and "may" say as well: another word for it in the other text is no other matter."""

ENOUGH = 0.5  # of the nugget's clause, found in the claim's
NEARLY = 0.25  # a clause this close to the best that agrees silences the check


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the clauses nearest to each other differ in the parity of their negations."""
    answers = without_what_both_say(claim, nugget)
    if not answers:
        return None
    for mine in without_what_both_say(nugget, claim):
        telling = [clause for clause in answers if len(keys(clause.words)) > 1] or list(answers)
        telling = [clause for clause in telling if clause.supposed == mine.supposed]
        if not telling:
            continue
        ranked = sorted(((closeness(mine, theirs), theirs) for theirs in telling), key=lambda pair: -pair[0])
        best, nearest = ranked[0]
        if best < ENOUGH or mine.negated == nearest.negated:
            continue
        if any(theirs.negated == mine.negated and near >= best - NEARLY for near, theirs in ranked):
            continue
        if direction.opposed(mine, nearest, nugget, claim) or antonyms.opposed(mine, nearest):
            continue
        turned, other = (mine, claim) if mine.negated else (nearest, nugget)
        places = around(mine), around(nearest)
        if turns_shared_words(turned, other) and same_matter(*places, nugget, claim, before=before):
            return contrast(mine, nearest, nugget, claim)
    return None


def without_what_both_say(text: str, other: str) -> tuple[Clause, ...]:
    """Return the clauses of a text without the negations that the other text makes in the same words."""
    there = {said(clause, span) for clause in clauses(other) for span in clause.negations}
    return tuple(
        replace(clause, negations=tuple(span for span in clause.negations if said(clause, span) not in there))
        for clause in clauses(text)
    )


def said(clause: Clause, negation: tuple[int, int]) -> tuple[str, str | None]:
    """Return a negation and the first word it turns; "isn't", "cannot" and "not" are one negation."""
    start, end = negation
    cue = clause.text[start - clause.start : end - clause.start].lower()
    plain = "not" if cue.endswith(("not", "n't", "n’t")) else cue
    return plain, next(iter(turned_by(clause, negation)), None)


def turned_by(clause: Clause, negation: tuple[int, int]) -> dict[str, float]:
    """Return the word that a negation surely turns: the first that tells something, before the next comma."""
    stop = clause.text.find(",", negation[1] - clause.start)
    end = clause.start + (stop if stop >= 0 else len(clause.text))
    told = [
        word
        for word in clause.words
        if negation[1] <= word.start < end and word.weight == 1.0 and word.text not in NECESSITY
    ]
    return keys(told[:1])


def turns_shared_words(clause: Clause, other: str) -> bool:
    """Tell whether what the last negation turns is spoken of in the other text, or it ends its clause."""
    told = turned_by(clause, clause.negations[-1])
    return not told or bool(told.keys() & keys_of(other).keys())


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
