"""What was read of a clause so far, word by word: enough to tell whether it could stand alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.text.language.intransitives import could_be_verb, makes_a_clause
from medassay.models.text.language.objects import governs_an_object
from medassay.models.text.language.verbs import AUXILIARIES, IMPERATIVES, NOUN_TOO, SUBORDINATORS, is_finite

CONNECTIVES = frozenset("and but so yet or while whereas".split())
# What they introduce is asserted too, which is not so behind "if" or "when".
ASSERTING = frozenset("although though because while whereas since".split())
# What stands on both sides of them, each with its source, are clauses.
CONTRASTING = frozenset(("but", "yet", "so", "while", "whereas", "although", "though", ";"))
_TEMPORAL = frozenset("until before after since as".split())
_BE = frozenset("is are was were be been being".split())
_BEFORE_AN_ORDER = frozenset("before after during in for at on with until".split())
_SINGULAR = frozenset("is was has does".split())
CONDITIONS = frozenset("if when whenever unless once".split())
_LONGEST_SUBJECT = 30
_NEAR = 3  # words between the parts of one verb
_ENDS_PHRASE = frozenset((",", ";", "but", "while", "whereas"))


@dataclass(slots=True)
class ClauseSoFar:
    """What was read of a clause so far: where it began, its verbs, subordinators and commas."""

    first: int
    verbs: int = 0
    subordinators: int = 0
    last_verb: int = -9
    last_comma: int = -9
    last_subordinator: int = -9
    may_state: bool = False
    """Whether a word has the form of a verb, though the list does not tell it from a noun."""
    governing: int = 0
    """How many such words have a subject and an object."""

    def read(self, words: Sequence[str], at: int, until: int | None = None) -> None:
        """Take in one word; the words from `until` on, behind the next marker, are another source's."""
        word = words[at]
        self.may_state = self.may_state or (at > self.first and could_be_verb(words, at))
        if word == ",":
            introduced = self.last_comma < 0 and not self.verbs  # "In children, the dose …" lists nothing
            if at + 1 < len(words) and words[at + 1] not in CONNECTIVES and not introduced:
                self.last_comma = at
        elif word in CONNECTIVES and words[at - 1] == ",":
            self.last_comma = at - 1
        elif _subordinates(words, at, self.first, until) and not self._is_within_subject(words, at, until):
            self.subordinators += 1
            self.last_subordinator = at
        elif makes_a_clause(words, at) or _has_two_subjects(words, at, self.first):
            near = at - self.last_verb <= _NEAR
            self.verbs += not near or (word not in AUXILIARIES and not _same_group(words, self.last_verb, at))
            self.last_verb = at
        elif at > self.first and governs_an_object(words, at):
            self.governing += 1

    def _is_within_subject(self, words: Sequence[str], at: int, until: int | None) -> bool:
        """See "vaccination before age 15 needs two doses", whose one verb is not that of "before"."""
        if self.verbs or words[at] not in _TEMPORAL or words[self.first] in IMPERATIVES:
            return False
        near = range(at + 2, min(at + _LONGEST_SUBJECT, len(words) if until is None else until))
        stop = next((here for here in near if words[here] in _ENDS_PHRASE), near.stop)
        verbs = [here for here in range(at + 2, stop) if is_finite(words, here)]
        return len(verbs) > 0 and verbs[-1] - verbs[0] <= _NEAR

    def finished(self, words: Sequence[str], at: int) -> bool:
        """Tell whether it could stand alone before words[at]: more finite verbs than subordinators, or an imperative.

        "Seek care if fever persists and the rash spreads" goes on; "Avoid it if clearance is low; give …" does not.
        """
        open_ones = self.subordinators - (self.verbs if words[at] == ";" else 0)
        orders = (
            words[self.first] in IMPERATIVES and words[self.first + 1] != ","
        )  # "Rest, ice and elevation"
        orders = orders or (words[at] == ";" and self._orders_behind_a_condition(words, at))
        return self.verbs > self.subordinators or (orders and open_ones <= 0)

    def _orders_behind_a_condition(self, words: Sequence[str], at: int) -> bool:
        """See the order of "if you have asthma, avoid it; if …" and of "before surgery, hold it; restart …"."""
        behind = zip(words[self.first : at], words[self.first + 1 : at], strict=False)
        opens = words[self.first] in CONDITIONS or words[self.first] in _BEFORE_AN_ORDER
        return opens and any(a == "," and b in IMPERATIVES for a, b in behind)

    def may_be_finished(self) -> bool:
        """Tell whether it could stand alone if words that have a subject and an object are verbs."""
        return self.verbs + self.governing > self.subordinators

    def goes_on(self, words: Sequence[str], at: int) -> bool:
        """Tell whether "and" may just as well continue a list or a subordinate clause."""
        if words[at] != "and":
            return False
        listing = self.last_verb < self.last_comma and words[self.first] not in IMPERATIVES
        return listing or (
            words[at - 1] != "," and self.last_subordinator > max(self.first - 1, self.last_comma)
        )


def _has_two_subjects(words: Sequence[str], at: int, first: int) -> bool:
    """See the verb of "aspirin and heparin reduce clots", whose subjects are singular."""
    joined = at - 3 >= first and words[at - 2] == "and" and words[at] not in NOUN_TOO
    return joined and is_finite(["they", *words[at : at + 2]], 1)


def _subordinates(words: Sequence[str], at: int, first: int, until: int | None) -> bool:
    """Tell whether words[at] opens a subordinate clause; a connective that opened this clause does not count."""
    word = words[at]
    if word == "provided" and at > first and words[at - 1] in _BE:
        return False  # "services should be provided"
    if word in SUBORDINATORS:
        reduced = _is_reduced(words, at) and (
            at > 0 or word in CONDITIONS
        )  # "if untreated", no "while limited data"
        return (at == 0 or at > first) and not reduced
    return word in _TEMPORAL and at > first and _has_verb_behind(words, at, until)


def _has_verb_behind(words: Sequence[str], at: int, until: int | None) -> bool:
    """Tell "before the rash appears" from "before surgery; …", "before surgery and should …" and "since 2010"."""
    if words[at] == "since" and words[at + 1 : at + 2] and words[at + 1].isdecimal():
        return False
    for here in range(at + 2, min(at + 6, len(words) if until is None else until)):
        if words[here] in _ENDS_PHRASE or (words[here - 1] == "and" and is_finite(["it", *words[here:]], 1)):
            return False
        if is_finite(words, here):
            joined = "and" in words[at + 2 : here]  # "before surgery and bridging increases bleeding"
            return not (joined and (words[here].endswith("s") or words[here] in _SINGULAR))
    return False


def _is_reduced(words: Sequence[str], at: int) -> bool:
    """Tell whether a subordinator opens no clause of its own: "when taken daily", "if needed"."""
    after = words[at + 1] if at + 1 < len(words) else ""
    if after.endswith("ing") and at + 2 < len(words) and is_finite(words, at + 2):
        return False
    return (
        after.endswith(("ed", "en", "ing"))
        or after in ("necessary", "possible", "given", "left")
        or (at > 0 and words[at - 1] == "so" and words[at] == "that")
    )


def _same_group(words: Sequence[str], last: int, at: int) -> bool:
    return at - last <= 2 and 0 <= last and words[last] in AUXILIARIES
