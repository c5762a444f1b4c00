"""Compound sentences as clauses: cut only between two full clauses, never inside an enumeration."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clause_reading import CONNECTIVES, ClauseSoFar
from medassay.models.text.claims.german_clauses import german_joints
from medassay.models.text.claims.marked_clauses import Clause, MarkedJoints
from medassay.models.text.claims.no_joints import DASHES, announced, joins_two_bounds, states_at_once
from medassay.models.text.claims.numbered_points import numbered_points
from medassay.models.text.claims.romance_clauses import romance_joints
from medassay.models.text.claims.shared_subjects import JOINTS
from medassay.models.text.claims.words_read import as_read, tokens_of
from medassay.models.text.language.intransitives import PLURALS
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    CONTRACTED,
    DETERMINERS,
    IMPERATIVES,
    NOUN_TOO,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    is_base_form,
    is_finite,
    starts_with_verb,
)
from medassay.models.text.markers.marks import Marker

_LEAD = re.compile(
    r"(?:however|therefore|thus|moreover|furthermore|additionally|in addition|in contrast"
    r"|by contrast|instead|conversely|consequently|also|for example|"
    r"as a result|otherwise|meanwhile|nevertheless|then|hence|similarly|likewise"
    r"|on the other hand|in general|generally speaking|in most cases|as a (?:general )?rule"
    r"|rather|in turn|accordingly|overall|often|sometimes|usually)\b,?\s*",
    re.IGNORECASE,
)
_LEADING_CONNECTIVE = re.compile(
    r"[\s;,]*(?:(?:and|but|so|yet|or"
    r"|nor(?!\s(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may)\b)"
    r"|while|whereas|und|aber|sondern|doch|jedoch|denn"
    r"|car|puisque|parce que|porque|ya que|poiché|perché|mais|et|tandis que|alors que|cependant|pero|y|aunque"
    r"|mientras que|sin embargo"
    r"|ma|mentre|però|mas|enquanto|embora|porém)\b(?:(?=[—–]|,\s[^,]{1,60},\s)|,?\s+(?:then\s+)?))?"
    r"(?:\((?:\d{1,2}|[a-h]|[ivx]{1,4})\)\s+)?",
    re.IGNORECASE,
)
_SUBORDINATOR = re.compile(
    r"[\s;,]*(?:even\s)?(?:although|though|because|since|while|whereas)\b,?\s+", re.IGNORECASE
)
_LABEL = re.compile(r"[^:;.!?]{2,60}:\s+[^\s;]")
# "small but non-significant increases in activity" says one thing.
_DESCRIBES = re.compile(r"non-\w+|\w+(?:icant|ive|ous|able|ible|ful)")
_SUBJECT_WINDOW = 14
_LONGEST_INTRODUCTION = 8
_LONGEST_PHRASE = 6
_ENDS_SUBJECT = frozenset((",", ";", "—", "–", "to", "but", "so"))
_PERSONAL = frozenset("it they he she we you i there".split())
_ASKS = frozenset("how why what".split())
_FREQUENCY = frozenset("often also never always still then usually sometimes generally".split())


def clauses(text: str, sentence: Span, markers: Sequence[Marker]) -> list[Clause]:
    """Cut a sentence into full clauses; together they hold all of its words, connectives lead the later ones.

    A cut needs a finished clause before it and a subject with a finite verb behind it: "X causes nausea, vomiting
    and rash" and "Seek care if fever persists and the rash spreads" stay whole. Where a marker stands before the
    joint, a verb is enough, and the clause shares the subject of the one before it.
    """
    if points := numbered_points(text, sentence, markers):
        return points
    tokens = tokens_of(text, sentence, markers)
    if labelled := _labelled_pieces(text, sentence, tokens, markers):
        return [Clause(piece, piece.start) for piece in labelled]
    words = as_read(text, tokens)
    joints = MarkedJoints(text, sentence, tokens, words, markers)
    cuts: list[tuple[int, Span | None]] = [(sentence.start, None)]
    subordinate: set[int] = set()
    clause = ClauseSoFar(0)
    written = [text[t.start : t.end] for t in tokens]
    for at in german_joints(written, joints.marked) if joints.gaps else ():
        cuts.append((_cut_position(text, sentence, tokens[at], words[at], markers), None))
    for joint in romance_joints(written, joints.marked) if joints.gaps and len(cuts) == 1 else ():
        first, upto = joint.subject or (0, 0)
        shared = Span(tokens[first].start, tokens[upto - 1].end) if joint.subject else None
        cuts.append((_cut_position(text, sentence, tokens[joint.at], words[joint.at], markers), shared))
    for at, word in enumerate(words) if len(cuts) == 1 else ():
        joins = (word in JOINTS or word in DASHES) and not joins_two_bounds(words, at)
        if joins and clause.first + 1 < at < len(words) - 1:
            colon = text[tokens[at].start] == ":"
            marked = joints.cut(at, clause) if not colon or states_at_once(words, at + 1) else None
            whole = not colon and (word == ";" or word in CONNECTIVES) and clause.finished(words, at)
            whole = whole and not (word == "and" and announced(text, tokens, markers, clause, at))
            whole = whole and not (word == "and" and clause.last_verb == at - 1 and words[at - 1] in PLURALS)
            if marked or (whole and _may_cut(words, tokens, text, at, clause)):
                if marked:
                    subordinate |= {len(cuts) - 1 + n for n in range(2) if marked.subordinate[n]}
                joints.opened, joints.shared = marked is not None, marked.shared if marked else None
                cuts.append((_cut_position(text, sentence, tokens[at], word, markers), joints.shared))
                clause = ClauseSoFar(at + 1)
                continue
        clause.read(words, at, joints.next_marked(at))
    ends = [*(start for start, _ in cuts[1:]), sentence.end]
    found = []
    for number, ((low, shared), high) in enumerate(zip(cuts, ends, strict=True)):
        span = _trim(text, low, high)
        opens = _SUBORDINATOR.match(text, span.start, span.end) if number in subordinate else None
        found.append(Clause(span, opens.end() if opens else span.start, shared))
    return found


def _labelled_pieces(
    text: str, sentence: Span, tokens: Sequence[Span], markers: Sequence[Marker]
) -> list[Span]:
    """Cut "Adults: 500 mg; children: 250 mg" at its semicolons; empty unless every piece has its label."""
    stops = [token for token in tokens if text[token.start] == ";"]
    if not stops or text.find(": ", sentence.start, stops[0].start) < 0:
        return []
    cuts = [
        sentence.start,
        *(_cut_position(text, sentence, stop, ";", markers) for stop in stops),
        sentence.end,
    ]
    pieces = [_trim(text, low, high) for low, high in zip(cuts, cuts[1:], strict=False)]
    whole = all(_LABEL.match(text, piece.start, piece.end) for piece in pieces)
    return pieces if whole else []


def leading_connective(words: str) -> str:
    """Drop the connective that tied a later clause to the one before it."""
    match = _LEADING_CONNECTIVE.match(words)
    return words[match.end() :] if match else words


def _may_cut(words: Sequence[str], tokens: Sequence[Span], text: str, at: int, clause: ClauseSoFar) -> bool:
    """Look at what stands behind a connective."""
    word = words[at]
    comma = words[at - 1] in (",", ";")
    right = at + 1
    if word in CONNECTIVES and words[at - 1] == ";":
        return False  # the semicolon was looked at already
    cites = right < len(tokens) and text[tokens[right].end - 1] in ")]"  # "while Lee et al. (2020) found"
    contrasts = word in ("while", "whereas")
    if (contrasts or word in ("so", "or", "yet")) and not comma and not (contrasts and cites):
        return False
    if word == ";" and words[right] in CONNECTIVES:
        right += 1
    lead = _LEAD.match(text, tokens[right].start) if right < len(words) else None
    while lead and right < len(words) and tokens[right].start < lead.end():
        right += 1
    introduced = word == ";" and right < len(words) and words[right] in PREPOSITIONS
    named = (word == ";" or comma) and words[right : right + 2] == ["according", "to"]
    introduced = introduced or named
    if introduced and "," in words[right : right + _LONGEST_INTRODUCTION]:
        right = words.index(",", right) + 1  # "; in children, the dose is halved"
    if word == "but" and comma and words[right] in PREPOSITIONS:
        right = _behind_phrase(words, right)
    if right >= len(words) - 1:
        return False
    if introduced and not named and is_base_form(words[right]) and _is_followed_by_object(words, right):
        return True
    if _commands(words, right) and (
        words[clause.first] in IMPERATIVES or word == ";" or words[right] == "please"
    ):
        return word != "or"
    if word == "but" and _commands(words, right) and words[right] not in ("do", "don't", "never"):
        return True
    if (word == "or" or clause.goes_on(words, at)) and words[right].partition("'")[0] not in _PERSONAL:
        return False
    if word == "and" and words[right].endswith("ing") and _begins_with_doing(words, clause.first, at):
        return False  # "protecting the eye that is hurt and avoiding lenses can help"
    if word == "and" and words[right] in _ASKS and not _ASKS.isdisjoint(words[clause.first : at]):
        return False  # "the function of fat, how it grows, and how it ages"
    return _opens_clause(words, tokens, text, right, comma or bool(lead))


def _behind_phrase(words: Sequence[str], right: int) -> int:
    """Go past the "in trials" of "but in trials it was rare"."""
    near = range(right + 2, min(right + _LONGEST_PHRASE, len(words) - 1))
    return next((at for at in near if words[at] in _PERSONAL and words[at + 1] in AUXILIARIES), right)


def _begins_with_doing(words: Sequence[str], first: int, upto: int) -> bool:
    """See "ensuring" of "While injuries often heal, ensuring the eye is safe": what is done has no verb yet."""
    if words[first] not in SUBORDINATORS:
        return False
    return any(words[here].endswith("ing") and words[here - 1] == "," for here in range(first + 1, upto))


def _commands(words: Sequence[str], at: int) -> bool:
    """Tell whether an imperative begins here."""
    return words[at] in IMPERATIVES and _is_followed_by_object(words, at)


def _is_followed_by_object(words: Sequence[str], at: int) -> bool:
    after = words[at + 1] if at + 1 < len(words) else ""
    return after not in ("of", ",", ";") and after not in AUXILIARIES


def _opens_clause(words: Sequence[str], tokens: Sequence[Span], text: str, right: int, comma: bool) -> bool:
    """Look for a subject and, within fourteen words, its finite verb."""
    if words[right].endswith("ly") or words[right] in _FREQUENCY:
        right += 1
    first = words[right]
    if CONTRACTED.fullmatch(first):
        return right + 1 < len(words)
    if first in AUXILIARIES or first in SUBORDINATORS or first in CONNECTIVES or first in PREPOSITIONS:
        return False
    known = first in PRONOUNS or first in DETERMINERS
    if not known and starts_with_verb(words, right):
        return False
    known = known or text[tokens[right].start].isupper() or text[tokens[right].start].isdigit()
    joined = False
    for at in range(right + 1, min(right + _SUBJECT_WINDOW, len(words))):
        word = words[at]
        if word in _ENDS_SUBJECT or word in SUBORDINATORS:
            return False
        if ": " in text[tokens[at - 1].end : tokens[at].start + 1]:
            return False  # "and interpreting its results hard: the method lacks support"
        joined = joined or word in ("and", "or")
        if is_finite(words, at) and not (word in NOUN_TOO and _DESCRIBES.fullmatch(words[at - 1])):
            if words[at - 1] in PRONOUNS and at - 1 > right:
                return False  # "any symptoms they have" is one phrase
            plain = word in AUXILIARIES or known or comma or words[at - 1].endswith("s") or word.endswith("s")
            return plain and (known or not joined)
    return False


def _cut_position(text: str, sentence: Span, token: Span, word: str, markers: Sequence[Marker]) -> int:
    """Cut behind a comma or semicolon and its markers, or before a connective.

    Where a sentence begins with its marker, so does the next clause: "[1] It helps; [2] it is safe".
    """
    if word not in (",", ";"):
        return token.start
    position = token.end
    at = bisect_left(markers, position, key=lambda m: m.start)
    first = bisect_left(markers, sentence.start, key=lambda m: m.start)
    if first < at and markers[first].start == sentence.start and text[position : position + 1].isspace():
        return position
    while (
        at < len(markers) and not text[position : markers[at].start].strip(" ,") and markers[at].words is None
    ):
        position = markers[at].end
        at += 1
    return position


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
