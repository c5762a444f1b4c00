"""What a sentence is about, read to tell whether a value of one thing is held against a value of another.

A claim that turns a nugget is heard in full as long as nothing in the answer states the nugget. Where another claim
states it, the answer holds two values: either it contradicts itself, or they are values of two things.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import clauses, keys_of
from medassay.models.nuggets.contrast.frequency import frequencies
from medassay.models.nuggets.contrast.measures import measures
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.named import named_otherwise, other_people
from medassay.models.nuggets.words import SHARED_LETTERS, Word, lines_of, stem, word_list, words

Slots = dict[str, dict[str, str]]
SUBJECT, OBJECT = "subject", "object"
PREPOSITION = re.compile(
    r"(?:of|in|on|for|with|at|from|by|to|during|before|after|against|without)", re.IGNORECASE
)
ARTICLE = re.compile(r"(?:the|an?|this|that|these|those|his|her|their|your)", re.IGNORECASE)
ACRONYM = re.compile(r"[A-Z]{2,6}s?")
NO_NAME = re.compile(r"\d.*|\w+ly", re.IGNORECASE)


def of_another_subject(
    nugget: str, claim: str, stated: Sequence[str], found: Sequence[Contrast] = ()
) -> bool:
    """Tell whether a claim that turns a nugget speaks of something else, in an answer that states the nugget.

    It does where both name, in the same place of the sentence (as subject, or after one preposition), something
    that the other does not name at all, and the claims that state the nugget name what the nugget does. Other
    people are other subjects.

    Args:
        nugget: the nugget's text.
        claim: the claim that turns it.
        stated: the claims that state it by themselves.
        found: the contrasts that fired; their words are no subject.
    """
    if named_otherwise(nugget, claim) or other_people(nugget, claim):
        return True
    mine = slots(nugget, tuple(contrast.nugget_span for contrast in found[:1]))
    theirs = slots(claim, tuple(contrast.claim_span for contrast in found[:1]))
    heard = keys_of(claim).keys()
    told = [keys_of(text).keys() for text in stated]
    for place in mine.keys() & theirs.keys():
        ours = {key: name for key, name in mine[place].items() if key not in heard}
        others = {key: name for key, name in theirs[place].items() if key not in keys_of(nugget)}
        if not ours or not others or not any(ours.keys() <= keys for keys in told):
            continue
        if not one_name(nugget, claim, ours, others):
            return True
    return False


@lru_cache(maxsize=65536)
def slots(text: str, without: tuple[tuple[int, int], ...] = ()) -> Slots:
    """Return what a sentence names, by place: its subject, its object, and what follows each preposition.

    Left out are numbers, schedules, words that tell little, and the spans of `without`. Where nothing stands before
    the verb ("Check the liver every year"), the object is the subject.

    Returns:
        place → comparison key → the word as it is written.
    """
    spans = [
        *without,
        *((start, end) for _, _, start, end in frequencies(text)),
        *(
            (measure.start, measure.end)
            for measure in measures(text)
            if not measure.dimension.endswith("name")
        ),
    ]
    found: Slots = {}
    for place, word in places(text, without):
        name = text[word.start : word.end]
        if word.weight < 1.0 or any(start < word.end and word.start < end for start, end in spans):
            continue
        if NO_NAME.fullmatch(name) or word.text in no_subject():
            continue
        found.setdefault(place, {})[word.stem[:SHARED_LETTERS]] = name
    if SUBJECT not in found and OBJECT in found:
        found[SUBJECT] = found.pop(OBJECT)
    return found


def places(text: str, without: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Word]]:
    """Yield the words of the clause that holds the contrast, or of the first, each with its place in it."""
    found = clauses(text)
    if not found:
        return
    at = without[0][0] if without else 0
    clause = next((one for one in reversed(found) if one.start <= at), found[0])
    place, verb, end, filled = SUBJECT, False, clause.start, False
    for word in clause.words:
        between, name = text[end : word.start], text[word.start : word.end]
        end = word.end
        if "," in between and not verb:
            place, filled = SUBJECT, False
        if word.text in word_list("subject_verbs"):
            place, verb, filled = OBJECT, True, False
        elif PREPOSITION.fullmatch(name):
            place, filled = word.text, False
        elif ARTICLE.fullmatch(name):
            if filled and not verb:
                place, filled = SUBJECT, False
        else:
            filled = True
            yield place, word


@lru_cache(maxsize=1)
def no_subject() -> frozenset[str]:
    """Return the words that tell no subject from another."""
    return word_list("subject_qualifiers") | word_list("subject_verbs")


@lru_cache(maxsize=1)
def other_names() -> tuple[tuple[frozenset[str], ...], ...]:
    """Return the names of one thing, each as the keys of its words."""
    return tuple(
        tuple(frozenset(stem(word)[:SHARED_LETTERS] for word in name.split()) for name in line.split("|"))
        for line in lines_of("other_names")
    )


def one_name(nugget: str, claim: str, mine: dict[str, str], theirs: dict[str, str]) -> bool:
    """Tell whether two names may be one: an acronym beside its words, or two everyday names of one thing."""
    if spells(theirs.values(), nugget) or spells(mine.values(), claim):
        return True
    here, there = keys_of(nugget).keys(), keys_of(claim).keys()
    return any(
        any(name & mine.keys() and name <= here for name in names)
        and any(name & theirs.keys() and name <= there for name in names)
        for names in other_names()
    )


def spells(names: Iterable[str], text: str) -> bool:
    """Tell whether one of the names is an acronym that begins with the initials of words in a row of a text."""
    initials = "".join(word.text[0] for word in words(text))
    acronyms = [name.rstrip("s").lower() for name in names if ACRONYM.fullmatch(name)]
    return any(acronym[:3] in initials or acronym[:2] in initials for acronym in acronyms)
