"""Direction: increases against decreases, improves against worsens, either against no effect."""

import re
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import NUGGET_SHARE, Clause, clauses, same_matter, slots
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import share, stem

UP = (
    r"increas\w*|rais(?:e[sd]?|ing)|ris(?:es?|ing|en)|rose|elevat\w+|(?:go|goes|going|went|gone)\sup|push(?:es|ed)?\s(?:\w+\s){0,3}up|climb(?:s|ed|ing)?|boost\w*|enhanc\w+|stimulat\w+"
    r"|accelerat\w+|speeds?\s(?:\w+\s){0,2}up|prolong\w*|lengthen\w*|heighten\w*|higher|greater|more\slikely|more\soften|doubl(?:es?|ed)"
    r"|more(?!\s(?:than|\w+ly|of|about|likely|often))|longer|expand\w*|potentiat\w+|amplif\w+"
)
DOWN = (
    r"decreas\w*|reduc\w+|lower(?:s|ed|ing)?|fall(?:s|en|ing)?|fell|drop(?:s|ped|ping)?|declin\w+|diminish\w*|suppress\w*|inhibit(?:s|ed|ing)?"
    r"|(?:go|goes|going|went|gone)\sdown|(?:brings?|brought|bringing)\s(?:\w+\s){0,3}down|less(?:en\w*)?|fewer|slow(?:s|ed|er|ly|ing)?|shorten\w*"
    r"|shorter|minimi[sz]\w+|cuts?|less\slikely|prevent\w*|attenuat\w+|depress(?:es|ed)|smaller|rarer"
)
BETTER = r"improv\w+|better|ameliorat\w+|reliev\w+|eas(?:es|ed|ing)|alleviat\w+|benefits?|milder|sooth\w+"
WORSE = r"wors\w+|aggravat\w+|exacerbat\w+|deteriorat\w+|impair(?:s|ed|ing)|damag(?:es?|ing)"
NO_CHANGE = (
    r"no\s(?:\w+\s){0,2}(?:effect|difference|change|impact|influence|benefit)|unchanged|(?:does|do|did)\snot\s(?:affect|change|alter|influence)"
    r"|unaffected|makes?\sno\sdifference"
)
CUE = re.compile(
    rf"\b(?:(?P<none>{NO_CHANGE})|(?P<up>{UP})|(?P<down>{DOWN})|(?P<better>{BETTER})|(?P<worse>{WORSE}))\b",
    re.IGNORECASE,
)
NOT_A_DIRECTION = re.compile(
    r"\b(?:risk of|of|from|prevent|accidental|recurrent) falls?\b"
    r"|\b(?:eye|ear|nose|nasal|cough) ?drops?\b"
    r"|\b(?:of|with|for|lower\w*|reduc\w+|treat\w*) (?:raised|elevated)\b"
    r"|\bpreventers?\b"
    r"|\bmore slowly\b|\bless than\b|\blonger than\b|\bno longer\b|\b(?:higher|lower|greater|fewer|older) than\b"
    r"|\bor (?:higher|lower|more|less)\b"
    r"|\blower (?:back|limb|abdomen|abdominal|respiratory|urinary|extremit\w+|leg|doses?)\b"
    r"|\bhigher doses?\b|\bnevertheless\b",
    re.IGNORECASE,
)
COMPARES = re.compile(r"\bthan\b|\bcompared\b", re.IGNORECASE)
GOOD_TO_HAVE = re.compile(
    r"\b(?:surviv\w+|function\w*|capacity|quality|toleran\w+|adherence|outcomes?|healing|vision|memory|fertility|immunity|effect(?:iveness)?|efficacy)\b",
    re.IGNORECASE,
)
BAD_TO_HAVE = re.compile(
    r"\b(?:side\seffects?|adverse\s\w+|symptoms?|complaints?|pains?|painful|\w*aches?|nausea|vomiting|diarrh?o?ea|constipation"
    r"|breathlessness|dyspno?ea|cough|wheez\w+|inflammation|swelling|itch\w*|rash\w*|plaques?|lesions?|fever|fatigue|tiredness"
    r"|anxiety|depression|bleed\w*|disease|infections?|severity|relapses?|attacks?|flares?|damage|risk|cramps?|discomfort"
    r"|insomnia|spasms?|tremors?|stiffness|sores?|ulcers?|burning)\b",
    re.IGNORECASE,
)
SIGNS = {"up": 1, "down": -1, "better": 1, "worse": -1, "none": 0}


@dataclass(frozen=True, slots=True)
class Direction:
    """A word of direction, the changes it allows (+1, 0, −1), and whether it speaks of more or of better."""

    quality: bool
    allowed: frozenset[int]
    start: int
    end: int
    clause: Clause


@lru_cache(maxsize=65536)
def directions(text: str) -> tuple[Direction, ...]:
    """Find the words of direction in a text, negation included: "does not raise" allows 0 and −1."""
    masked = [found.span() for found in NOT_A_DIRECTION.finditer(text)]
    compares = COMPARES.search(text) is not None
    found = []
    for clause in clauses(text):
        for cue in CUE.finditer(text, clause.start, clause.start + len(clause.text)):
            name = str(cue.lastgroup)
            if any(start <= cue.start() < end for start, end in masked):
                continue
            if compares and name in ("up", "down", "better", "worse"):
                continue
            sign = SIGNS[name]
            turns = [span for span in clause.negations if span[0] < cue.start() and name != "none"]
            allowed = frozenset({-1, 0, 1} - {sign}) if len(turns) % 2 else frozenset({sign})
            found.append(Direction(name in ("better", "worse"), allowed, cue.start(), cue.end(), clause))
    return tuple(found)


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the same thing changes one way in the nugget and another way in the claim."""
    compared = [
        (sure, mine, theirs)
        for mine in directions(nugget)
        for theirs in directions(claim)
        if mine.clause.supposed == theirs.clause.supposed
        and comparable(mine, theirs, nugget, claim)
        and (sure := about_the_same(mine, theirs, nugget, claim, before))
    ]
    explained = {
        cue
        for _, mine, theirs in compared
        if agree(mine, theirs) and beside_each_other(mine, theirs)
        for cue in (mine, theirs)
    } | said_in_both(nugget, claim)
    opposed = [
        (sure, mine, theirs)
        for sure, mine, theirs in compared
        if not agree(mine, theirs) and mine not in explained and theirs not in explained
    ]
    if not opposed:
        return None
    _, mine, theirs = max(opposed, key=lambda found: (found[0], -found[1].start, -found[2].start))
    return contrast(mine, theirs, nugget, claim)


def beside_each_other(mine: Direction, theirs: Direction) -> bool:
    """Tell whether half of the words around one cue stand around the other, so that one explains the other."""
    left, right = around(mine), around(theirs)
    small, large = (left, right) if sum(left.values()) <= sum(right.values()) else (right, left)
    return (share(small, large) or 0.0) >= NUGGET_SHARE


def said_in_both(nugget: str, claim: str) -> set[Direction]:
    """Return the cues that both texts hold as the same word, neither negated: they turn nothing around."""
    cues = {text: [cue for cue in directions(text) if len(cue.allowed) == 1] for text in (nugget, claim)}
    stems = [{stem(text[cue.start : cue.end].lower()) for cue in cues[text]} for text in (nugget, claim)]
    both = stems[0] & stems[1]
    return {
        cue
        for text in (nugget, claim)
        for cue in cues[text]
        if stem(text[cue.start : cue.end].lower()) in both
    }


def around(direction: Direction) -> dict[str, float]:
    """Return the telling words on both sides of a cue."""
    before, after = slots(direction.clause, direction.start, direction.end)
    return before | after


def about_the_same(mine: Direction, theirs: Direction, nugget: str, claim: str, before: str = "") -> float:
    """Return how surely two directions are those of one thing, 0–1."""
    places = slots(mine.clause, mine.start, mine.end), slots(theirs.clause, theirs.start, theirs.end)
    return same_matter(*places, nugget, claim, before=before)


def comparable(mine: Direction, theirs: Direction, nugget: str, claim: str) -> bool:
    """Tell whether two directions can be held against each other.

    More and better are one direction for what is good to have, as survival, and opposite ones for what is bad
    to have, as side effects.
    """
    if mine.quality == theirs.quality or 0 in (mine.allowed | theirs.allowed):
        return True
    both_good = GOOD_TO_HAVE.search(nugget) is not None and GOOD_TO_HAVE.search(claim) is not None
    return both_good or BAD_TO_HAVE.search((theirs if mine.quality else mine).clause.text) is not None


def agree(mine: Direction, theirs: Direction) -> bool:
    """Tell whether two comparable directions can both hold: fewer side effects are milder side effects."""
    return bool(seen_as(mine, theirs) & seen_as(theirs, mine))


def seen_as(direction: Direction, other: Direction) -> frozenset[int]:
    """Return what a direction allows, an amount of something bad turned over where the other speaks of quality."""
    turned = other.quality and not direction.quality and BAD_TO_HAVE.search(direction.clause.text) is not None
    return frozenset(-sign for sign in direction.allowed) if turned else direction.allowed


def opposed(nugget: Clause, claim: Clause, nugget_text: str, claim_text: str) -> bool:
    """Tell whether two clauses hold opposite words of direction, negation left aside."""
    return any(
        not signs_of(mine, nugget) & signs_of(theirs, claim)
        for mine in directions(nugget_text)
        if mine.clause.start == nugget.start
        for theirs in directions(claim_text)
        if theirs.clause.start == claim.start and comparable(mine, theirs, nugget_text, claim_text)
    )


def signs_of(direction: Direction, clause: Clause) -> frozenset[int]:
    """Return the direction's sign as if nothing negated it."""
    return direction.allowed if len(direction.allowed) == 1 else frozenset({-1, 0, 1}) - direction.allowed


def contrast(mine: Direction, theirs: Direction, nugget: str, claim: str) -> Contrast:
    """Say which words part ways, the negation before them included."""
    spans = []
    for direction in (mine, theirs):
        turns = [span[0] for span in direction.clause.negations if span[0] < direction.start]
        start = turns[-1] if len(direction.allowed) > 1 and turns else direction.start
        spans.append((start, direction.end))
    (a, b), (c, d) = spans
    return Contrast("direction", f"nugget says *{nugget[a:b]}*, answer says *{claim[c:d]}*", (a, b), (c, d))
