"""Subjects that a later clause shares with the one before it: "aspirin" of "aspirin lowers risk [1] and raises …"."""

import re
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clause_reading import ASSERTING, CONNECTIVES, ClauseSoFar
from medassay.models.text.claims.no_joints import behind_adverb, is_adverb
from medassay.models.text.language.intransitives import happens_by_itself
from medassay.models.text.language.verbs import PREPOSITIONS, form_of, is_finite, starts_with_verb

JOINTS = frozenset((",", ";", "nor", *CONNECTIVES, *ASSERTING))
"""What may stand between two clauses."""
MOST_WORDS = 80
"""How many words of a clause are looked at."""
_MODALS = frozenset("can could may might must shall should will would".split())
_HAVE = frozenset("has have had".split())
_BE = frozenset("is are was were".split())
_ADVERBIAL = frozenset("if when whenever unless because although while since until as whether".split())
_PLURALS = frozenset("they we you i these those".split())
_LONGEST_SUBJECT = 160
# Nobody lowers reduced pain: "lowers fever [1], reduced pain [2]" has two verbs, "includes fever, reduced pain" one.
_CHANGE = frozenset(
    "lower reduce decrease raise increase improve prevent slow cut shorten lengthen prolong halve double block "
    "inhibit".split()
)
_SAID_AGAIN = frozenset("that because whether when if".split())
_PLURAL_PRESENT = re.compile(r"(?:[^s]s|ies)\Z")


class SharedSubjects:
    """The words of a sentence, of which a verb may share those that stand before another verb."""

    def __init__(self, tokens: Sequence[Span], words: Sequence[str]) -> None:
        self.tokens, self.words = tokens, words
        self.shared: Span | None = None
        """What the clause being read shares itself."""

    def _participle(self, at: int) -> bool:
        """See the second of "is absorbed in the gut [1] and excreted by the kidneys"."""
        after = self.words[at + 1] if at + 1 < len(self.words) else ","
        return self.words[at].endswith("ed") and (after in PREPOSITIONS or after in JOINTS)

    def _subject(self, at: int, right: int, clause: ClauseSoFar) -> Span | None:
        """Find the words that the verb at `right` shares: all up to the verb that it stands beside.

        "A trial found that aspirin lowers risk [1] and raises bleeding [2]" shares "A trial found that aspirin".
        """
        near = min(at, clause.first + MOST_WORDS)
        verbs = [i for i in range(clause.first, near) if is_finite(self.words, i)]
        if self.shared and (not verbs or verbs[0] <= behind_adverb(self.words, clause.first)):
            return self.shared
        if self._participle(right) and not starts_with_verb(self.words, right):
            return self._passive_subject(clause.first, near)
        limit = self._before_adverbial(clause.first, near)
        verbs = [i for i in verbs if clause.first < i < limit]
        verbs = [i for i in verbs if not self._merely_describes(i, verbs[0])]
        if not verbs:
            return None
        form = form_of(self.words[right])
        beside = next((i for i in reversed(verbs) if form_of(self.words[i]) == form), verbs[-1])
        upto = self._with_auxiliary(beside, right)
        if upto is None:
            return None
        while upto <= beside and upto - 1 > clause.first and is_adverb(self.words, upto - 1):
            upto -= 1
        return self._shared(clause.first, upto)

    def _said_again(self, at: int, right: int, clause: ClauseSoFar) -> Span | None:
        """Share "trials found" where "that it helps [1] and that it is safe [2]" stands behind it."""
        word = self.words[right]
        if self.words[at] not in ("and", "but", ",") or word not in _SAID_AGAIN or right > at + 1:
            return None
        if self.shared and self.words[clause.first] == word:
            return self.shared
        low = max(clause.first, at - MOST_WORDS)
        opened = next((i for i in range(at - 1, low, -1) if self.words[i] == word), 0)
        return self._shared(clause.first, opened) if opened else None

    def _merely_describes(self, at: int, first: int) -> bool:
        """See the participle of "include low Q10, impaired handling of calcium": the list's verb has another form."""
        listed = at > first and self.words[at - 1] in (",", "and", "or")
        listed = listed and self.words[first].removesuffix("s") not in _CHANGE
        return listed and self.words[at].endswith("ed") and form_of(self.words[first]) != "past"

    def _shared(self, first: int, upto: int) -> Span | None:
        span = Span(self.tokens[first].start, self.tokens[upto - 1].end)
        return span if span.end - span.start <= _LONGEST_SUBJECT else None

    def _passive_subject(self, first: int, at: int) -> Span | None:
        """Share "The drug is" of "The drug is absorbed in the gut", so that a participle may follow."""
        for here in range(at - 2, first, -1):
            if self.words[here] in (*_BE, "be", "been"):
                following = behind_adverb(self.words, here + 1)
                return self._shared(first, here + 1) if self.words[following].endswith(("ed", "en")) else None
        return None

    def _before_adverbial(self, first: int, at: int) -> int:
        found = (i for i in range(first + 1, at) if self.words[i] in _ADVERBIAL)
        return next(found, at)

    def _with_auxiliary(self, beside: int, right: int) -> int | None:
        """Say up to where words are shared: "may" of "may reduce … and improve", "was" of "was tested and found"."""
        word, after = self.words[right], self.words[right + 1] if right + 1 < len(self.words) else ""
        verb = self.words[beside]
        form = form_of(word)
        if form == "base" and verb not in _MODALS:
            noun = beside - 1 - (beside - 1 > 0 and is_adverb(self.words, beside - 1))
            plural = _PLURAL_PRESENT.search(self.words[noun]) or self.words[noun] in _PLURALS
            return beside if form_of(verb) in ("base", "auxiliary") and plural else None
        if form == "base":
            return beside + 1 if self.words[beside + 1] != "not" else None
        if form == "past" and verb in _HAVE:
            return beside + 1
        if form == "past" and verb in _BE and (after in PREPOSITIONS or after in JOINTS):
            return beside + 1
        if happens_by_itself(word):
            return beside  # "was seen early [1] and persisted [2]"
        adjective = form == "past" and form_of(verb) != "past" and not is_finite(["it", word, "in"], 1)
        adjective = adjective and verb.removesuffix("s") not in _CHANGE
        return None if adjective else beside  # "is linked to lower risk [1] and improved function [2]"
