"""Finite verbs of medical English by list: enough to see where a full clause begins, on purpose no more.

A tagger would need a model; a list errs towards leaving a sentence whole, which costs less than a wrong cut.
"""

import re
from collections.abc import Sequence

from medassay.models.text.word_lists import words_in

STEMS = words_in("stems")
"""Verbs that are read in all of their regular forms."""
# Their participles describe too often: "recently described drugs", "extended hours".
PRESENT_ONLY = words_in("present_only")
"""Verbs that are read in the third person alone."""
GOVERNING = words_in("governing")
"""Verbs that are plurals of nouns as often, with what stands behind them as verbs."""

AUXILIARIES = words_in("auxiliaries")
NOUN_TOO = words_in("noun_too")
_IRREGULAR_PAST = words_in("irregular_past")
_STAYS = frozenset("stays stayed".split())  # "stays low", not "ICU stays"
_PAST_OF_OTHERS = frozenset("brought kept".split())
_SHORT_PAST = frozenset("cut hit beat met put let set".split())
_BEHIND_SHORT_NOUN = words_in("behind_short_noun")
_IS_MET = words_in("is_met")
_BEFORE_SHORT_NOUN = words_in("before_short_noun")
_MODIFIED_BY = words_in("modified_by")
_NOT_BEFORE_A_VERB = words_in("not_before_a_verb")
_SEVERAL = frozenset("both most many".split())  # "but both cause bleeding"
_BETWEEN = frozenset("also often never always still usually sometimes rarely".split())
DETERMINERS = words_in("determiners")
PRONOUNS = frozenset("it they this these those he she we you i there".split())
SUBORDINATORS = words_in("subordinators")
PREPOSITIONS = words_in("prepositions")
IMPERATIVES = words_in("imperatives")


_ALWAYS_VERBS = frozenset("include require contain remain occur depend consist differ vary comprise".split())


def _third_person(stem: str) -> str:
    if stem.endswith(("s", "sh", "ch", "x", "z", "o")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "s"


def _past(stem: str) -> str:
    if stem.endswith("e"):
        return stem + "d"
    return stem[:-1] + "ied" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "ed"


_PAST_DESCRIBING = frozenset(map(_past, PRESENT_ONLY))
_SURE_OBJECTS = frozenset("the a an this these those it them its their whether how".split())
_BASE = frozenset(STEMS)
_PRESENT = frozenset(map(_third_person, (*STEMS, *PRESENT_ONLY))) | {"adds", "lets", "comes"}
_PAST = frozenset(map(_past, STEMS)) | _IRREGULAR_PAST | _PAST_OF_OTHERS


def has_form_of_verb(word: str) -> bool:
    """Tell whether a word (lower case) is a verb of the list in any of its forms, though it may be a noun, too."""
    return word in _BASE or word in _PRESENT or word in _PAST or word in _SHORT_PAST


def is_finite(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] (lower case) is a verb that makes a clause, seen with its neighbours."""
    word = words[at]
    if word in AUXILIARIES:
        return True
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if before in _NOT_BEFORE_A_VERB and before not in ("this", "these", "those", "not", "and", "or"):
        return False
    if word in _PRESENT:
        if word not in NOUN_TOO or f"{word}:{after}" in GOVERNING:
            return True
        return after[:1].isalnum() and after not in _MODIFIED_BY and after not in AUXILIARIES
    if word in _STAYS:
        states = after[:1].isalpha() and after not in _MODIFIED_BY | AUXILIARIES | PRONOUNS
        return bool(at) and (word == "stayed" or states)
    if word == "saw" and after == "palmetto":
        return False
    if word in _PAST_DESCRIBING:
        return bool(at) and before not in AUXILIARIES and after in _SURE_OBJECTS
    if word in _SHORT_PAST:
        return bool(at) and _is_short_past(word, before, after)
    if word in _PAST:
        return (
            bool(at)
            and word in _IRREGULAR_PAST
            or (bool(at) and before not in AUXILIARIES and bool(after) and after not in _MODIFIED_BY)
        )
    if word in _ALWAYS_VERBS and at:
        return True
    if word in _BASE and at:
        slightly = before.endswith("ly") or before in _BETWEEN
        before = words[at - 2] if at > 1 and slightly else before  # "statins slightly increase"
        if before in _SEVERAL:
            return word not in NOUN_TOO or word == "cause"
        plural = before in ("they", "we", "you", "who", "which", "that", "these", "those") or bool(
            re.search(r"[^su]s\Z|men\Z|children\Z|people\Z", before)
        )
        return plural and (
            word not in NOUN_TOO
            or bool(after)
            and after not in AUXILIARIES
            and after not in ("of", "and", "or")
        )
    return False


def _is_short_past(word: str, before: str, after: str) -> bool:
    """Tell whether "cut" or "met" is a verb by its object: "cut mortality", unlike "cut points" and "cut in half"."""
    if before in AUXILIARIES or before in _BEFORE_SHORT_NOUN or not after[:1].isalnum():
        return False
    if after in _MODIFIED_BY or after in AUXILIARIES or after in _BEHIND_SHORT_NOUN:
        return False
    if word in ("met", "set"):  # a gene, a data set
        return after in DETERMINERS or after in PRONOUNS or (word == "met" and after in _IS_MET)
    return after not in _PRESENT and after not in _PAST


def starts_with_verb(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] opens a verb phrase without a subject: "and improves function", "and improve sleep"."""
    word = words[at]
    if word in AUXILIARIES or (word in IMPERATIVES and word not in NOUN_TOO):
        return True
    return is_finite(["x", *words[at : at + 2]], 1) or (word in _BASE and word not in NOUN_TOO)


def has_finite_verb(words: str) -> bool:
    """Tell whether a phrase states something: it has a finite verb or begins with an imperative."""
    found = [
        w.casefold().replace("’", "'")
        for w in re.findall(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*|[,;:]", words[:2000])
    ]
    if not found:
        return False
    return found[0] in IMPERATIVES and len(found) > 2 or any(is_finite(found, at) for at in range(len(found)))


def lacks_subject(words: str) -> bool:
    """Tell whether a phrase begins with a finite verb that is no imperative: "treats pain"."""
    found = re.findall(r"[^\W\d_]+", words[:200].casefold())[:3]
    return bool(found) and found[0] not in IMPERATIVES and is_finite(["x", *found], 1)
