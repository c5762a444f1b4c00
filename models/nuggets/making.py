"""Nuggets from a reference answer by rule: one fact each, each said once, each tied to its place."""

import re
from collections.abc import Iterable

from medassay.models.nuggets.evidence import MadeNugget
from medassay.models.nuggets.words import words
from medassay.models.records import Answer, Importance
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.verbs import PRONOUNS, has_finite_verb, is_finite

NEGATION = re.compile(r"no|not|never|without|nor|neither|none|cannot|\w+n['’]t")

BESIDES = re.compile(
    r"^(?:also|additionally|in addition|"
    r"furthermore|moreover|besides|for example|for instance|e\.g\.|note that|interestingly|incidentally"
    r"|historically|some (?:people|patients|studies)|other\b)|\balso known as\b"
    r"|\bbrand names?\b|\bavailable (?:over|as|without)\b|\bmay also\b",
    re.IGNORECASE,
)
FEWEST_WORDS = 3
"""Telling words of a fact; one less where it has a verb."""

LONGEST_SUBJECT = 6
TOKEN = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*")
PRONOUN = re.compile(r"(it|they)(?:(?P<is>['’]s)|(?P<are>['’]re))?(?=\s)", re.IGNORECASE)
PLURAL = re.compile(
    r"\sand\s|[^\Wsiu]s\Z(?<!diabetes)(?<!rabies)(?<!herpes)(?<!measles)(?<!scabies)(?<!shingles)(?<!mumps)",
    re.IGNORECASE,
)
EXPLETIVE = re.compile(
    r"it(?:['’]s|\s(?:is|was|may be|can be|seems|appears|has been|takes|depends))\b"
    r"(?:\s\w+ly)?(?:\s(?:also|not|often|best|very))?"
    r"(?:\s(?:to|that)|\s(?:important|essential|advis\w+|recommended|suggested|necessary|possible|likely|unlikely|common|uncommon"
    r"|normal|helpful|safe|crucial|vital|better|known|thought|believed|estimated|unclear|unknown|worth|critical|wise"
    r"|reasonable|rare|difficult|easy|impossible|usual|useful)\s(?:to|that|whether|if|for)\b)",
    re.IGNORECASE,
)
OPENING = re.compile(r"(?:in|for|with|among|during|after|before|as|at|on)\b[^,]{1,60},\s", re.IGNORECASE)
NO_SUBJECT = re.compile(
    r"^(?:the|this|that|these|those|its|their|your|our|his|her|an?|some|most|many|several|each|every|all|no|other)\b"
    r"|[,;:]|\b(?:of|in|with|for|on|by|to|than|that|which|who|if|when|while|although|there|not|or)\b",
    re.IGNORECASE,
)


def nuggets_from_reference(text: str) -> list[MadeNugget]:
    """Make nuggets from a reference answer, in its order.

    Its claims, as answers are split into claims; greetings, questions, headings and fragments are none. Of two that
    say the same the first stays. What is said besides ("also", "for example", brand names) is okay, the rest vital.
    Spans are offsets into `text`.
    """
    claims = decompose(Answer("reference", "reference", text), "").claims
    made = []
    subject = ""
    for claim in claims:
        fact = with_subject(claim.text, subject)
        subject = subject_of(fact)
        n_telling = sum(word.weight > 0 for word in words(fact))
        if claim.kind == "claim" and n_telling >= FEWEST_WORDS - has_finite_verb(fact):
            made.append(MadeNugget(fact, importance_of(fact), claim.start, claim.end))
    return deduplicated(made)


def subject_of(fact: str) -> str:
    """Return the words before a fact's first finite verb, where they can stand for "it" or "they" later on."""
    opened = OPENING.match(fact)
    rest = fact[opened.end() :] if opened else fact
    tokens = list(TOKEN.finditer(rest))
    said = [token.group().lower() for token in tokens]
    verb = next((at for at in range(1, len(said)) if is_finite(said, at)), None)
    if verb is None or verb > LONGEST_SUBJECT or said[0] in PRONOUNS:
        return ""
    subject = rest[: tokens[verb].start()].strip()
    return "" if NO_SUBJECT.search(subject) else subject


def with_subject(fact: str, subject: str) -> str:
    """Put the subject of the fact before in the place of the pronoun that a fact begins with.

    "It is important to drink" points at nothing, and "they" at more than one. A subject with an article ("the dose") is
    left alone: what follows may well be said of the drug.
    """
    opened = PRONOUN.match(fact)
    if opened is None or not subject or EXPLETIVE.match(fact):
        return fact
    if (PLURAL.search(subject) is not None) != (opened.group(1).lower() == "they"):
        return fact
    verb = " is" if opened.group("is") else " are" if opened.group("are") else ""
    return subject[0].upper() + subject[1:] + verb + fact[opened.end() :]


def importance_of(fact: str) -> Importance:
    """Grade a fact by how it is introduced."""
    return "okay" if BESIDES.search(fact) else "vital"


def deduplicated(nuggets: Iterable[MadeNugget]) -> list[MadeNugget]:
    """Keep the first of those that say the same."""
    kept: list[MadeNugget] = []
    for nugget in nuggets:
        if not any(says_the_same(nugget.text, other.text) for other in kept):
            kept.append(nugget)
    return kept


def says_the_same(left: str, right: str) -> bool:
    """Tell whether two facts have the same telling words, numbers and negations, in whatever order and form."""
    return all(kept(left) == kept(right) for kept in (_telling, _negations))


def _telling(fact: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(fact) if word.weight)


def _negations(fact: str) -> list[str]:
    return sorted(word.text for word in words(fact) if NEGATION.fullmatch(word.text))
