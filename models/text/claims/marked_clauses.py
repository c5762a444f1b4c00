"""Cuts that a citation marker calls for: what stands behind it was written for another one.

"Aspirin lowers stroke risk [1] and raises bleeding [2]" says two things, each with its source. Without markers such a
sentence stays whole; a marker directly before the comma, the semicolon or the connective is the evidence for the cut,
or one with no more than a short phrase between where a verb follows: "lowers stroke risk [1] in women and raises …".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.records import Span
from medassay.models.text.claims.clause_reading import (
    ASSERTING,
    CONDITIONS,
    CONNECTIVES,
    CONTRASTING,
    ClauseSoFar,
)
from medassay.models.text.claims.no_joints import DASHES, behind_adverb, behind_lead, opens_an_aside
from medassay.models.text.claims.orders import begins_an_order, is_another_order
from medassay.models.text.claims.own_subjects import (
    LONGEST_OPENING,
    NO_VERB_BEHIND,
    has_own_subject,
    opens_with_a_date,
    opens_with_a_phrase,
)
from medassay.models.text.claims.shared_subjects import JOINTS, MOST_WORDS, SharedSubjects
from medassay.models.text.language.intransitives import could_be_verb, makes_a_clause
from medassay.models.text.language.objects import governs_an_object, has_an_object
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    CONTRACTED,
    DETERMINERS,
    IMPERATIVES,
    NOUN_TOO,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    form_of,
    is_base_form,
    is_finite,
    starts_with_verb,
)
from medassay.models.text.markers.marks import Marker

_BEFORE_ORDERS = frozenset((";", "so", "but"))
_LOOSE_PARTICIPLES = frozenset("followed compared based combined provided used given related".split())
_INTRODUCING = frozenset("after despite following among upon".split())
_SETTINGS = frozenset("in across among at during for from on under with within".split())
_LONGEST_PHRASE = 6
_LONGEST_NAME = 4
_SUBJECT_WINDOW = 14


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence: what it spans, where its words begin, and the words that it shares with one before it."""

    span: Span
    words_from: int
    shared: Span | None = None


@dataclass(frozen=True, slots=True)
class MarkedCut:
    """How a marked joint is cut: the words that the later clause shares, and which of the two was subordinate."""

    shared: Span | None = None
    subordinate: tuple[bool, bool] = (False, False)


class MarkedJoints(SharedSubjects):
    """The joints of a sentence that a marker stands directly before, or behind as in `mortality,1 improves`."""

    def __init__(
        self,
        text: str,
        sentence: Span,
        tokens: Sequence[Span],
        words: Sequence[str],
        markers: Sequence[Marker],
    ) -> None:
        super().__init__(tokens, words)
        self.text = text
        self.gaps, self.last = self._gaps(sentence, markers)
        # Whether a marked cut began the clause being read, so that its verb was seen.
        self.opened = False

    def _gaps(self, sentence: Span, markers: Sequence[Marker]) -> tuple[list[int], int]:
        """List, in order, the tokens that a marker without words of its own stands before; the end counts as one.

        Returns:
            These, and the token behind the last marker of all.
        """
        starts = [token.start for token in self.tokens]
        first = bisect_left(markers, sentence.start, key=lambda m: m.end)
        found, last = [], 0
        for marker in markers[first:]:
            if marker.start >= sentence.end:
                break
            if marker.targets:
                last = bisect_left(starts, marker.start if marker.words is None else marker.end)
            if marker.words is None and marker.targets:
                found.append(last)
        return found, last

    def marked(self, at: int) -> bool:
        """Tell whether a marker stands right before a word."""
        place = bisect_left(self.gaps, at)
        return place < len(self.gaps) and self.gaps[place] == at

    def next_marked(self, at: int) -> int | None:
        """Return the first word behind words[at] that a marker stands before; None if there is none."""
        place = bisect_right(self.gaps, at)
        return self.gaps[place] if place < len(self.gaps) else None

    def _marked_before_phrase(self, at: int, clause: ClauseSoFar) -> bool:
        """See the marker of "lowers stroke [1] in women and raises bleeding [2]", whose joint a verb follows."""
        place = bisect_left(self.gaps, at) - 1
        gap = self.gaps[place] if place >= 0 else 0
        between = self.words[gap:at]
        if gap <= clause.last_verb or at - gap > _LONGEST_PHRASE or at + 1 >= len(self.words):
            return False
        plain = between[:1] and between[0] in PREPOSITIONS and not JOINTS.intersection(between)
        third_person = form_of(self.words[at + 1]) == "third person" and starts_with_verb(self.words, at + 1)
        return bool(plain and self.words[at] in ("and", "but") and third_person)

    def _marked_in_openings(self, at: int, clause: ClauseSoFar) -> bool:
        """See the markers of "in adults [1], the dose is 5 mg, and in children [2], it is 1 mg"."""
        words, right = self.words, at + 1
        opening = words[right : right + LONGEST_OPENING]
        if words[at] == "," or "," not in opening or not opens_with_a_phrase(words, right):
            return False
        place = bisect_right(self.gaps, clause.first)
        cited_before = place < len(self.gaps) and self.gaps[place] <= at
        return cited_before and self.marked(right + opening.index(","))

    def _marked_subjects(self, at: int, clause: ClauseSoFar) -> bool:
        """See the subjects of "SPRINT [1] lowered events, ACCORD [2] did not, and STEP [3] showed none"."""
        return self._opens_with_source(clause.first) and self._opens_with_source(at + 1)

    def _marked_settings(self, at: int, clause: ClauseSoFar) -> bool:
        """See the settings of "In RALES [1] deaths fell by 30%, whereas in EMPHASIS-HF [2] they fell by 24%"."""
        return self._opens_with_setting(clause.first) and self._opens_with_setting(at + 1)

    def _opens_with_setting(self, first: int) -> bool:
        """Tell whether a subject and its verb follow the marker behind the few words of a phrase at a place."""
        words, gap = self.words, self.next_marked(first)
        if (
            gap is None
            or words[first] not in _SETTINGS
            or gap - first > _LONGEST_PHRASE
            or gap >= len(words) - 1
        ):
            return False
        if (SUBORDINATORS | JOINTS).intersection(words[first + 1 : gap + 1]) or words[gap] in AUXILIARIES:
            return False
        upto = min(gap + _SUBJECT_WINDOW, self.next_marked(gap) or len(words), len(words))
        subject = range(gap + 1, upto)
        verb = next((here for here in subject if is_finite(words, here) or words[here] in JOINTS), None)
        return verb is not None and words[verb] not in JOINTS

    def _opens_with_source(self, first: int) -> bool:
        """Tell whether a verb follows the marker behind the few words at a place: "the SPRINT trial [1] lowered"."""
        gap = self.next_marked(first)
        if gap is None or gap - first > _LONGEST_NAME or gap >= len(self.words) - 1:
            return False
        name = self.words[first:gap]
        plain = not (PREPOSITIONS | SUBORDINATORS | JOINTS).intersection(name)
        return plain and (makes_a_clause(self.words, gap) or could_be_verb(self.words, gap))

    def cut(self, at: int, clause: ClauseSoFar) -> MarkedCut | None:
        """Say how to cut at the joint words[at]; None where it joins no two clauses, or carries no evidence."""
        words, word = self.words, self.words[at]
        if word not in ASSERTING and word != "nor" and self._marked_subjects(at, clause):
            return MarkedCut()
        if word != "or" and self._marked_settings(at, clause):
            return MarkedCut()
        behind_comma = word != "," and (words[at - 1] in (",", ";") or words[at - 1] in DASHES)
        marked = self.marked(at) or (behind_comma and self.marked(at - 1))
        marked = marked or self._marked_before_phrase(at, clause) or self._marked_in_openings(at, clause)
        pasted = self.marked(at + 1) and word in (",", ";")
        if not (marked or pasted) or self.last <= at + 1 or word == "or":
            return None
        right = behind_lead(words, at + 1) if word in (",", "and", "but") else at + 1
        if right < len(words) and words[right] in (CONNECTIVES if word == ";" else JOINTS):
            if not opens_with_a_date(words, right) and not self._said_again(at, right, clause):
                return None  # the connective behind a comma is looked at by itself
        stated = clause.verbs + clause.governing >= max(1, clause.subordinators)
        conceding = words[clause.first] in ASSERTING and word == "," and stated
        contrasts = word in CONTRASTING or words[at - 1] == ";"
        may_state = contrasts and clause.may_state and not clause.subordinators or clause.may_be_finished()
        if not (conceding or self.opened or may_state or clause.finished(words, at)):
            return None
        if word == "," and self._closes_introduction(at, clause.first):
            return None
        if word == "nor" and not self._denies_again(right, clause):
            return None
        if word == "nor" and words[right] in AUXILIARIES:
            return MarkedCut()
        if right < len(words) - 1 and (said := self._said_again(at, right, clause)):
            return MarkedCut(said)
        right = behind_adverb(words, right)
        if self._ends_with_verb(right) and word not in DASHES:
            shared = self._subject(at, right, clause)
            return MarkedCut(shared) if shared and not conceding and word not in ASSERTING else None
        if right >= len(words) - 1 or (
            word in DASHES and (self._predicate(right) or opens_an_aside(words, at))
        ):
            return None
        if word in _BEFORE_ORDERS and begins_an_order(
            words, right, word == "but" and self._in_base_form(clause)
        ):
            return MarkedCut()
        commands = words[clause.first] in IMPERATIVES and not self.shared
        if commands and word not in ASSERTING and is_another_order(words, right, self.marked):
            return MarkedCut()
        if self._predicate(right):
            if conceding or word in ASSERTING or commands:
                return None
            shared = self._subject(at, right, clause)
            return MarkedCut(shared) if shared else None
        subordinate = (conceding, word in ASSERTING)
        own = has_own_subject(words, at, right, clause, self.marked)
        return MarkedCut(None, subordinate) if own else None

    def _denies_again(self, right: int, clause: ClauseSoFar) -> bool:
        """Tell whether a verb follows "nor": "neither lowers falls [1] nor prevents stroke [2]", "nor did it help"."""
        if self.words[right] in AUXILIARIES:
            said = self.words[right + 2 : right + 2 + _LONGEST_PHRASE]
            return any(is_base_form(word) for word in said)
        near = range(clause.first, min(right, clause.first + MOST_WORDS))
        denied = any(self.words[i] == "neither" and is_finite(self.words, i + 1) for i in near)
        return denied and right < len(self.words) - 1

    def _in_base_form(self, clause: ClauseSoFar) -> bool:
        """Tell whether the verb of the clause has the form of an order: "statins help"."""
        verb = clause.last_verb
        return verb > clause.first and form_of(self.words[verb]) == "base"

    def _closes_introduction(self, at: int, first: int) -> bool:
        """See the comma of "X may be used [1]; per KDIGO [2], treat pain", which belongs to what comes behind it."""
        if at - first > MOST_WORDS:
            return False
        low = next((here + 1 for here in range(at - 1, first, -1) if self.words[here] == ";"), first)
        if self.words[low] in _INTRODUCING and "," not in self.words[low:at]:
            return True  # "After prolonged treatment [1], they remain …"
        if self.words[low] in CONDITIONS and self.words[low + 1].endswith(("ed", "en")):
            return True  # "Unless treated [1], it recurs [2]"
        states = (is_finite(self.words, i) or governs_an_object(self.words, i) for i in range(low, at))
        return self.words[low] in PREPOSITIONS and not any(states)

    def _ends_with_verb(self, right: int) -> bool:
        """See the verb of "is rare [1] and resolves [2]" and of "appear [1] and recur [2]", which stands alone."""
        if right != len(self.words) - 1:
            return False
        form, last = form_of(self.words[right]), ["they", self.words[right]]
        return form in ("third person", "base") and self.words[right] not in NOUN_TOO and is_finite(last, 1)

    def _predicate(self, right: int) -> bool:
        """Tell whether a verb stands here that has its subject in the clause before."""
        word = self.words[right]
        if word in PRONOUNS or word in DETERMINERS or word in PREPOSITIONS or self._describes(right):
            return False
        if CONTRACTED.fullmatch(word):
            return False
        verb = starts_with_verb(self.words, right) or self._of_plural(right)
        return verb or (self._participle(right) and word not in _LOOSE_PARTICIPLES)

    def _describes(self, right: int) -> bool:
        """See the participle of "but randomised trials found none [2]" and "and increased bleeding was seen [2]"."""
        word, after = self.words[right], self.words[right + 1]
        if (
            not word.endswith("ed")
            or form_of(word) != "past"
            or after in NO_VERB_BEHIND | SUBORDINATORS | PRONOUNS
        ):
            return False
        for here in range(
            right + 2, min(right + _SUBJECT_WINDOW, self.next_marked(right) or len(self.words))
        ):
            if self.words[here] in JOINTS or self.words[here] in SUBORDINATORS:
                return False
            if is_finite(self.words, here):
                return not self.words[here].endswith("ed") or has_an_object(self.words, here)
        return False

    def _of_plural(self, at: int) -> bool:
        """See the verb of "statins lower LDL [1] and cause cramps"; whether the subject agrees is looked at later."""
        return is_finite(["they", *self.words[at : at + 2]], 1)
