"""Verbs told from nouns by the object behind them: "patients need half of the dose", "patients stopped treatment"."""

from collections.abc import Sequence

from medassay.models.text.language.intransitives import could_be_verb
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    DETERMINERS,
    NOUN_TOO,
    PREPOSITIONS,
    SUBORDINATORS,
    form_of,
)

# What opens an object and never stands right behind the noun that such a word could be besides: "cost less".
_OPENS_AN_OBJECT = frozenset(
    "a an the no their its his her half little less more fewer lower higher twice much nothing none another several "
    "many few".split()
)
_BEHIND_A_VERB = frozenset("within after before into until since during despite".split())
# "Sertraline passes into milk": no noun stands so.
_GOES = frozenset(
    "passes:into passes:through passes:to crosses:into drops:after drops:by drops:to drops:from".split()
)
_NOUNS = frozenset(
    "use cost need rank rate plan time book test screen dose score pass match face pay add".split()
)
_LONGEST_PHRASE = 4
_NO_OBJECT = frozenset(
    "elsewhere here there again also already alone early earlier late later often once only soon together twice well "
    "last yesterday today daily weekly monthly yearly overnight annually rapidly slowly more less".split()
)
_NO_NOUNS = (
    PREPOSITIONS
    | AUXILIARIES
    | SUBORDINATORS
    | {"and", "or", "but", "after", "before", "since", "until", "per"}
)
_PLURALS = frozenset("children women men people mice half quarter third fifth majority minority".split())
_IRREGULAR = frozenset("lost paid ran got drew wore fed left missed skipped stopped".split())
# No participles that stand behind their noun with an object: "a review found moderate evidence".
_PLAIN_PAST = frozenset("found showed gave took saw began underwent chose led".split())
_WHICH_DAY = frozenset("next same following previous".split())
_NO_PLURALS = ("ss", "us", "is", "ous", "as")
# What stands behind the noun that it is compounded with: "cancer associated cells".
_COMPOUNDED = frozenset(
    "associated related based controlled treated induced derived mediated infected adjusted matched aged driven".split()
)
# Participles before the noun that they describe: "randomised controlled trials", "patients aged 65".
_DESCRIBES = frozenset(
    "controlled aged based related controlled randomised randomized matched adjusted treated exposed admitted enrolled "
    "hospitalised hospitalized infected affected screened tested observed combined fixed increased decreased reduced "
    "improved unadjusted pooled blinded associated expected reported published".split()
)


def governs_an_object(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] (lower case) is a verb by what stands on both sides of it.

    A plural noun in front, or a phrase behind one, and an object behind it: "children under 12 need half of the dose".
    """
    if at < 1 or at + 1 >= len(words) or not could_be_verb(words, at):
        return False
    word, after = words[at], words[at + 1]
    if after == "the" and words[at + 2 : at + 3] and words[at + 2] in _WHICH_DAY:
        return False  # "and blood tests the next day"
    if word in _PLAIN_PAST:
        return _is_said(after) or (word, after) == ("led", "to")
    if word in _IRREGULAR or (word != "need" and form_of(word) == "past"):
        return word not in _DESCRIBES and _is_plural(words[at - 1]) and _is_said(after)
    if word.endswith("s"):
        return (
            word != "times"
            and not _is_plural(words[at - 1])
            and (after in _OPENS_AN_OBJECT or f"{word}:{after}" in _GOES)
        )
    if not (_is_plural(words[at - 1]) or _behind_a_phrase(words, at)):
        return False
    return after in _OPENS_AN_OBJECT or (
        word not in NOUN_TOO and word not in _NOUNS and after in _BEHIND_A_VERB
    )


def has_an_object(words: Sequence[str], at: int) -> bool:
    """Tell whether a noun and an object stand around a verb of the past: "colchicine reduced recurrent events".

    Unlike "leading to increased mortality", "cancer associated cells" and "a result reported elsewhere".
    """
    before = at - 1
    while before > 0 and (words[before].endswith("ly") or words[before] in ("most", "more", "less", "well")):
        before -= 1
    named = (
        words[before] not in _NO_NOUNS and words[before] not in DETERMINERS and words[before][-1:].isalnum()
    )
    said = at + 1 < len(words) and _is_said(words[at + 1])
    return named and said and words[at] not in _COMPOUNDED


def _is_said(word: str) -> bool:
    """Tell whether a word may open an object: no preposition, no adverb, no participle."""
    if word in _OPENS_AN_OBJECT:
        return True
    named = word[:1].isalpha() and word not in _NO_NOUNS and word not in _NO_OBJECT
    return named and not word.endswith(("ly", "ed", "ing"))


def _is_plural(word: str) -> bool:
    return word in _PLURALS or word.endswith("s") and len(word) > 3 and not word.endswith(_NO_PLURALS)


def _behind_a_phrase(words: Sequence[str], at: int) -> bool:
    """See the plural noun of "doses above 40 mg add little" and "patients with CKD need half of the dose"."""
    for low in range(at - 2, max(at - 2 - _LONGEST_PHRASE, 0), -1):
        if words[low] in PREPOSITIONS or words[low] in ("above", "below", "under"):
            return words[low] != "of" and _is_plural(words[low - 1])
        if not words[low][:1].isalnum():
            return False
    return False
