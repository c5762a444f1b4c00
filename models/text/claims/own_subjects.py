"""Clauses behind a marked joint that bring their own subject: "[1], but in women bleeding increased [2]"."""

from collections.abc import Callable, Sequence

from medassay.models.text.claims.clause_reading import ASSERTING, CONNECTIVES, CONTRASTING, ClauseSoFar
from medassay.models.text.language.intransitives import PLURALS, could_be_verb, makes_a_clause
from medassay.models.text.language.objects import governs_an_object, has_an_object
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    CONTRACTED,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    form_of,
    is_finite,
)

NO_VERB_BEHIND = PREPOSITIONS | DETERMINERS | {"not", "and", "or", ","}
_SINCE = frozenset("since after before until despite beyond below above".split())
_ALWAYS_SUBJECTS = frozenset("he she it they we you there".split())
_THIRD_PERSON = frozenset("he she it".split())
# "but only falls in women" names one thing more.
_HALVES = frozenset(
    "not only rarely also even never less more particularly especially mainly mostly still".split()
)
_ASIDES = frozenset("too however likewise meanwhile".split())
_RELATIVE = frozenset("which who whose".split())
_COUNTED = frozenset("many few several more fewer some most all both two three".split())
_SUBJECT_WINDOW = 14
_LONGEST_NAME = 4
LONGEST_OPENING = 9


def has_own_subject(
    words: Sequence[str], at: int, right: int, clause: ClauseSoFar, marked: Callable[[int], bool]
) -> bool:
    """Tell whether a clause with its own subject follows the joint words[at], before the next joint.

    Args:
        words: The words and stops of the sentence, lower case.
        at: The joint.
        right: What stands behind it and its adverbs.
        clause: The clause before the joint.
        marked: Tells whether a marker stands right before a word.
    """
    word, first = words[at], words[right]
    if CONTRACTED.fullmatch(first):
        return right + 1 < len(words)
    if clause.goes_on(words, at) and first not in PRONOUNS:
        return False
    if word != ";" and first in SUBORDINATORS:
        return word in CONNECTIVES and _is_conditional(words, at, marked)
    if word == "," and first in PREPOSITIONS and words[clause.first] not in ASSERTING:
        if not _opens_a_statement(words, right):
            return False  # "is used [1], in line with what guidelines recommend [2]"
    subject = _behind_opening(words, right)
    right = _behind_apposition(words, subject)
    may_state = False
    for here in range(right + 1, min(right + _SUBJECT_WINDOW, len(words))):
        # Behind "DOACs, however," the verb is still the subject's.
        seen, before = words[here], words[subject if here == right + 1 else here - 1]
        cited = marked(here) and word != ";"
        if cited and word in CONTRASTING and seen == "and":
            continue  # "although PLUS [5] and BaSICS [6] showed no difference"
        if cited and not (word in CONTRASTING and makes_a_clause(words, here)):
            break  # "mood [1], sleep [2] and …" lists
        may_state = may_state or could_be_verb(words, here)
        if seen == ";" or (seen == "," and word != ";") or (seen in SUBORDINATORS and word != ";"):
            break
        if seen in AUXILIARIES or (seen.endswith("s") and _ends_in_verb(words, here, marked)):
            return True
        if before in _THIRD_PERSON and seen.endswith("s") and here + 1 < len(words):
            return True
        if word == ";" and before not in NO_VERB_BEHIND and is_finite(["they", *words[here : here + 2]], 1):
            return True
        if governs_an_object(words, here):
            return True
        if makes_a_clause(words, here):
            # "[1], a result reported elsewhere [2]" is no clause
            loose = word == "," and form_of(seen) == "past" and words[clause.first] not in ASSERTING
            return not loose or (not first.endswith("ing") and has_an_object(words, here))
    return may_state and word in CONTRASTING and first not in _HALVES and not first.endswith("ing")


def opens_with_a_date(words: Sequence[str], at: int) -> bool:
    """Tell "since 2020 it is banned" from the clause of "since it is banned"."""
    return words[at] == "since" and at + 1 < len(words) and words[at + 1].isdecimal()


def opens_with_a_phrase(words: Sequence[str], at: int) -> bool:
    """See "in women" and "according to NICE", behind which a subject may follow."""
    return words[at] in PREPOSITIONS or words[at] in _SINCE or words[at] == "according"


def _behind_opening(words: Sequence[str], right: int) -> int:
    """Go past "in women," and "by week 12", behind which the subject stands."""
    if not opens_with_a_phrase(words, right):
        return right
    phrase = words[right : right + LONGEST_OPENING]
    if "," not in phrase:
        return min(right + 2, len(words) - 1)
    behind = right + phrase.index(",") + 1
    return right if words[behind : behind + 1] and words[behind] in CONNECTIVES else behind


def _behind_apposition(words: Sequence[str], right: int) -> int:
    """Go past what is said of the subject between commas: "and PEPTIC, a cluster trial, raised concern"."""
    opened = next(
        (here for here in range(right + 1, right + 1 + _LONGEST_NAME) if words[here : here + 1] == [","]), 0
    )
    if not opened or opened + 1 >= len(words):
        return right
    said = words[opened + 1 : opened + 1 + LONGEST_OPENING]
    if "," not in said or not (said[0] in DETERMINERS or said[0] in _ASIDES or said[0] in _RELATIVE):
        return right
    closed = opened + 1 + said.index(",")
    if said[0] in _RELATIVE:
        return closed
    states = any(is_finite(words, here) for here in range(opened + 2, closed))
    return right if states or CONNECTIVES.intersection(said[: said.index(",")]) else closed


def _opens_a_statement(words: Sequence[str], right: int) -> bool:
    """See "in women the effect was smaller" and "up to 30% relapse", which go on with a subject."""
    if words[right : right + 2] == ["up", "to"]:
        return True
    behind = words[right + 1 : right + 3]
    return len(behind) > 1 and behind[0] not in SUBORDINATORS | DETERMINERS and behind[1] in DETERMINERS


def _is_conditional(words: Sequence[str], at: int, marked: Callable[[int], bool]) -> bool:
    """See a main clause behind the one that a subordinator opens: "but if stopped, it recurs"."""
    read = ClauseSoFar(at)
    last = at
    for here in range(at + 1, len(words)):
        if words[here] == ";" or (marked(here) and words[here] != ","):
            break
        read.read(words, here)
        last = here
    return read.finished(words, last)


def _ends_in_verb(words: Sequence[str], here: int, marked: Callable[[int], bool]) -> bool:
    """See the verb of "while bleeding rises [2]", which has nothing behind it to tell it from a noun."""
    if words[here - 1] in _COUNTED and words[here] in PLURALS:
        return False  # "few deaths [1] and many falls [2]"
    if makes_a_clause(words, here):
        return True
    last = here + 1 == len(words) or marked(here + 1) or words[here + 1] in (";", ",")
    return last and is_finite([*words[: here + 1], "it"], here)
