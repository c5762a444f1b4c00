"""Clauses of a sentence, and how often each turns its own words around."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.nuggets.words import LIGHT, Word, keys, share, words

BOUNDARY = re.compile(
    r"[;:]\s|\.\s(?=[A-Z])|,?\s(?=(?:but|whereas|while|although|though|however|unless|until|because|since|when|if|which|so)\b)"
    r"|,?\s(?=(?:as\s(?:this|it|they)|like\sother|unlike)\b)|,\s(?=(?:it|they|this|he|she|we)\s)"
    r"|,?\s(?=and\s(?:do|does|did|should|must|can|cannot|may|is|are|was|were|has|have|will)\b)",
    re.IGNORECASE,
)
NOT_A_NEGATION = re.compile(
    r"\b(?:not only|not just|no doubt|not (?:to )?exceed|with or without"
    r"|(?:no|not|never|nobody|cannot|\w+n['’]t)\b[^.;,]{0,30}?\b(?:more|less|fewer|later|longer|sooner) than)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|non|(?:is|are|was|were|do|does|did|has|have|should|could|would|wo|ca|must)n['’]t"
    r"|contra-?indicat\w+|avoid\w*|against\sthe\suse|(?:advis\w+|recommend\w*)\sagainst|lacks?|lacking|fail(?:s|ed|ure)?\sto|unable"
    r"|impossible|refrain\w*|(?:keep|stay)\saway|abstain\w*|forbidden|prohibited"
    r"|(?:should|must|to|has|have|need)\s(?:\w+\s)?(?:be\s)?(?:stop(?:ped)?|discontinued?|withheld|withhold)"
    r"|(?:is|are|was|were|be|as|considered)\s(?:\w+ly\s)?(?:dangerous|harmful|hazardous|toxic)|harms?"
    r"|stop(?:ping)?\s(?:taking|using|treatment)|unsafe|ineffective|useless|incurable|irreversibl[ey]|painless"
    r"|unlikely|unnecessary|inappropriate|unsuitable|uncommon|unproven|little\sor\sno)\b",
    re.IGNORECASE,
)
FRONTED = re.compile(r"^\s*(?:when|if|although|though|while|because|since|unless)\b[^,]+,", re.IGNORECASE)
PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|one|ones|such|the\s(?:drug|tablets?|medicines?|vaccine|disease))\b",
    re.IGNORECASE,
)
SUPPOSED = re.compile(r"[\s,]*(?:and|or|but)?\s*(?:if|unless|in\scase)\b", re.IGNORECASE)
NEAR = 7  # telling words either side of a cue that say what it is about
SAID_ANYWAY = 0.7  # of the nugget's words in the claim itself: then a tail of its own is no other matter
NUGGET_SHARE, CLAIM_SHARE = 0.5, 0.34  # of the words around the cue, found in the other text


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, its words, and the places of what negates it; an even number leaves it standing."""

    text: str
    start: int
    words: tuple[Word, ...]
    negations: tuple[tuple[int, int], ...]

    @property
    def supposed(self) -> bool:
        """Tell whether the clause only supposes what it says: "if this does not help"."""
        return SUPPOSED.match(self.text) is not None

    @property
    def negated(self) -> bool:
        """Tell whether the clause is turned around by its negations."""
        return len(self.negations) % 2 == 1


@lru_cache(maxsize=65536)
def clauses(text: str) -> tuple[Clause, ...]:
    """Split a text into clauses; offsets stay those of the text."""
    everything = words(text)
    harmless = [found.span() for found in NOT_A_NEGATION.finditer(text)]
    negations = [
        found.span()
        for found in NEGATION.finditer(text)
        if not any(start <= found.start() < end for start, end in harmless)
    ]
    fronted = FRONTED.match(text)
    inner = {found.start() for found in BOUNDARY.finditer(text)} | ({fronted.end()} if fronted else set())
    cuts = [0, *sorted(inner - {0, len(text)}), len(text)]
    found = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        inside = tuple(word for word in everything if start <= word.start < end)
        if inside:
            turns = tuple(span for span in negations if start <= span[0] < end)
            found.append(Clause(text[start:end], start, inside, turns))
    return tuple(found)


@lru_cache(maxsize=65536)
def keys_of(text: str) -> dict[str, float]:
    """Return the telling words of a whole text."""
    return keys(words(text))


def slots(clause: Clause, start: int, end: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return the telling words before and after a cue, at most `NEAR` on each side, other cues left out."""
    before = [word for word in clause.words if word.end <= start and word.weight]
    after = [word for word in clause.words if word.start >= end and word.weight]
    return keys(before[-NEAR:]), keys(after[:NEAR])


def same_matter(
    nugget_slots: tuple[Mapping[str, float], ...],
    claim_slots: tuple[Mapping[str, float], ...],
    nugget: str,
    claim: str,
    ignore: frozenset[str] = frozenset(),
    before: str = "",
) -> float:
    """Return how surely two cues are about the same thing, 0–1; 0 where one side speaks of something else.

    What stands before a cue and what stands after it must each be found in the other text: "beta blockers
    lower" and "decongestants raise" share the blood pressure, not the subject. An empty slot (a pronoun)
    rules nothing out.

    Args:
        nugget_slots: the nugget's words before and after its cue, or all of them in one.
        claim_slots: those of the claim.
        nugget: the nugget's text.
        claim: the claim's text.
        ignore: keys that say nothing here, such as the words of the numbers compared.
        before: the question and what was said just before the claim. A nugget's word may be found there
            when the claim leans on it: "it" is taken once a day.
    """
    said = keys_of(claim)
    meant = {key: weight for key, weight in keys_of(before).items() if key in keys_of(nugget)}
    stands_in = PRONOUN.search(claim) is not None
    wanted = {key: weight for slot in nugget_slots for key, weight in slot.items() if key not in ignore}
    own = {key for slot in claim_slots for key in slot if key not in ignore}
    leans = stands_in or len(own) <= 1 or any(said.get(key) == 1.0 for key in wanted)
    heard = said | meant if leans else said
    if stands_in:
        claim_slots = ({**claim_slots[0], **meant}, *claim_slots[1:])
    if len(claim_slots) > 1 and (share(wanted, said) or 0.0) >= SAID_ANYWAY:
        claim_slots = ({key: weight for slot in claim_slots for key, weight in slot.items()},)
    strengths = []
    for found, other, least in (
        (nugget_slots, heard, NUGGET_SHARE),
        (claim_slots, keys_of(nugget), CLAIM_SHARE),
    ):
        for slot in found:
            rest = {key: value for key, value in slot.items() if key not in ignore}
            told = share(rest, other)
            if told is None or (before and found is nugget_slots and sum(rest.values()) < 2 * LIGHT + 0.1):
                continue
            if told < least:
                return 0.0
            strengths.append(told)
    return sum(strengths) / len(strengths) if strengths else 0.0
