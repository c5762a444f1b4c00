"""Verbs that need no object: "bleeding increased", "the effect wanes by week 12", "mortality falls"."""

import re
from collections.abc import Sequence

from medassay.models.text.language.verbs import (
    AUXILIARIES,
    DETERMINERS,
    NOUN_TOO,
    PREPOSITIONS,
    SUBORDINATORS,
    has_form_of_verb,
    inflections,
    is_finite,
)

# What something can also be made to do, so that "bleeding increased by aspirin" states nothing yet.
_MADE_TO = (
    "increase decrease improve worsen double triple halve normalise normalize stabilise stabilize narrow widen "
    "lengthen shorten slow clear change stop end start develop resolve continue accelerate heal expand return progress "
    "shift lessen diminish stall separate recover weaken strengthen drop delay discontinue complete"
).split()
_HAPPENS = (
    "rise fall decline recur occur persist wane disappear relapse emerge cease peak plateau die survive remain appear "
    "differ vary respond regress fade vanish subside abate converge diverge bleed grow shrink withdraw matter arise "
    "spread begin work fail succeed reappear prevail correlate"
).split()
_LABILE_PAST, _LABILE_PRESENT = (frozenset(forms) for forms in inflections(_MADE_TO))
_HAPPENED, _HAPPENS_NOW = (frozenset(forms) for forms in inflections(_HAPPENS))
_BASES = frozenset((*_MADE_TO, *_HAPPENS))
_IRREGULAR = frozenset(
    "rose fell recurred died stopped dropped bled grew shrank withdrew arose spread began".split()
)
# Further verbs that a clause may have, by all of their forms; several are nouns as often.
_OTHERS = (
    "add pass cost stop drop need skip miss switch refuse choose complete enter cross match approach mirror carry face "
    "gain lose pay weigh score rank rate plan time book test screen vaccinate immunise immunize dose inject infuse"
).split()
_OTHER_FORMS = frozenset((*_OTHERS, *(form for forms in inflections(_OTHERS) for form in forms))) | frozenset(
    "stopped dropped skipped chose lost paid ran went came got grew drew bore wore ran fed bled led left".split()
)
_PAST = _LABILE_PAST | _HAPPENED | _IRREGULAR
_PRESENT = _LABILE_PRESENT | _HAPPENS_NOW
PLURALS = NOUN_TOO | frozenset("changes peaks plateaus relapses matters bleeds halves stalls".split())
"""Third persons that are plurals of nouns as often: "skin changes and hair loss are common"."""
_STATES_AN_AMOUNT = frozenset(
    "about approximately around nearly almost roughly only half one two three a up".split()
)
_NO_SUBJECT = (
    AUXILIARIES
    | DETERMINERS
    | PREPOSITIONS
    | (SUBORDINATORS - {"which", "that", "who"})
    | frozenset(
        "and or but not more less most least very high higher low lower slight significant , ; to".split()
    )
)
_PLURAL = re.compile(r"they|\w*(?:[^su]s|men|children|people)\Z")
_ADVERBS = frozenset("also then never still later often first soon sharply".split())
_ENDS = frozenset(
    (
        "",
        ",",
        ";",
        "—",
        "–",
        "and",
        "or",
        "but",
        "while",
        "whereas",
        "early",
        "again",
        "further",
        "later",
        "little",
    )
)


def makes_a_clause(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] (lower case) is a finite verb, with an object or without one."""
    return is_finite(words, at) or _stands_alone(words, at)


def could_be_verb(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] (lower case) has a verb's form and stands where one may: "patients need lower doses"."""
    return at > 0 and is_a_form_of_a_verb(words[at]) and _has_subject(words, at, sure=False)


def is_a_form_of_a_verb(word: str) -> bool:
    """Tell whether a word (lower case) is a form of a verb of these lists, though it may be a noun, too."""
    known = word in _PAST or word in _PRESENT or word in _BASES or word in _OTHER_FORMS
    return known or has_form_of_verb(word)


def happens_by_itself(word: str) -> bool:
    """Tell whether a word (lower case) is the past of a verb that nothing can be made to do: "persisted"."""
    return word in _HAPPENED


def _stands_alone(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if word in _BASES and at and _PLURAL.search(words[at - 1]) and words[at - 1] not in _NO_SUBJECT:
        return _ends_behind(words, at)
    if word not in _PAST and word not in _PRESENT or not _has_subject(words, at, sure=True):
        return False
    if _ends_behind(words, at):
        return True
    after = words[at + 1]
    if after not in PREPOSITIONS and after not in ("after", "before", "since", "until"):
        return False
    if word in _PRESENT:
        return word not in PLURALS
    return after != "of" and (word not in _LABILE_PAST or after != "by" or _is_amount(words, at + 2))


def _ends_behind(words: Sequence[str], at: int) -> bool:
    """Tell whether nothing stands behind words[at] that it could describe or act on."""
    after = words[at + 1] if at + 1 < len(words) else ""
    return after in _ENDS or after.endswith("ly") or after[:1].isdigit()


def _has_subject(words: Sequence[str], at: int, *, sure: bool) -> bool:
    before = at - 1
    while before > 0 and (words[before].endswith("ly") or words[before] in _ADVERBS):
        before -= 1
    noun = before >= 0 and words[before] not in _NO_SUBJECT and words[before][-1:].isalnum()
    if sure and words[at] in PLURALS:  # "causes falls", "56 relapses"
        noun = noun and not words[before].isdecimal() and not is_finite(words[:at], before)
    return noun


def _is_amount(words: Sequence[str], at: int) -> bool:
    return at < len(words) and (words[at][:1].isdigit() or words[at] in _STATES_AN_AMOUNT)
