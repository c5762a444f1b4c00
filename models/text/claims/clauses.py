"""Clauses of a sentence that are claims of their own: two in "A lowers X [1], but B raises Y [2]", each cited.

Cut is where both sides are plainly clauses with a subject; the facts within one are told apart where they are judged
(`parts`).
"""

import re
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.markers.marks import Marker
from medassay.models.text.sentences.wording import words_of
from medassay.models.text.verbs import (
    DETERMINERS,
    IMPERATIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    has_form_of_verb,
    is_finite,
)

_JOINT = re.compile(
    r"(?:\s*[,;—]\s*|\s+)(?:(?:and|but|while|whereas|although|yet|so)\s+(?!that\b)(?=\S)|(?<=;\s)(?=\S))"
)
_AT_ONCE = re.compile(r"\s*[,;]\s+(?=\w)")
_CONNECTIVE = re.compile(r"[\s,;—]*(?:\b(?:and|but|while|whereas|although|yet|so))?[\s,;—]*\Z")
_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*")
_OPENS_ANOTHER = re.compile(
    r"[\W_]*(?:if|when|whenever|although|though|because|since|while|whereas|unless|once|as|after"
    r"|before|not only|whether|in case|either|both|neither)\b",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:that|which|who|whose|whether|if|because|unless|either|neither|not only|such as"
    r"|including|between|where|when)\b|[:?]",
    re.IGNORECASE,
)
_CONTRASTS = ("but", "while", "whereas", "although", "yet")
_PRONOUN = re.compile(rf"(?:{'|'.join(sorted(PRONOUNS))})\b", re.IGNORECASE)
_LONGEST_SUBJECT = 6
_FEWEST_WORDS = 3


def clauses(text: str, span: Span, markers: Sequence[Marker]) -> list[tuple[Span, str]]:
    """Split a sentence into its plainly coordinate clauses.

    Args:
        text: The answer.
        span: The sentence.
        markers: The markers in and directly behind it.

    Returns:
        Each clause as (span, words); one where nothing is to be split.
    """
    cuts: list[int] = []
    begin = span.start
    for joint in _joints(text, span, markers):
        behind_marker = any(marker.end == joint.start() for marker in markers)
        left = words_of(text, begin, joint.start(), markers)
        right = words_of(text, joint.end(), span.end, markers)
        # Behind a marker the sentence was cut by who wrote it; elsewhere the clauses must stand by themselves.
        if behind_marker:
            contrasts = ";" in joint[0] or joint[0].split()[-1] in _CONTRASTS
            opening = _lower(right)
            tied = not opening or opening[0] in PREPOSITIONS | {"only"} or _opens_without_subject(opening)
            joined = "," in joint[0] and len(joint[0].split()) > 1
            apart = (contrasts and len(opening) >= _FEWEST_WORDS) or _is_clause(right, surely=not joined)
            cut = not tied and apart and _is_clause(left, surely=not (contrasts or joined))
        else:
            bound = (
                _BINDS.search(left)
                or _OPENS_ANOTHER.match(left)
                or joint[0].strip()[:1] not in (",", ";", "—")
            )
            # "A, B, and the C of D" is a list, whatever its words may be besides.
            listed = joint[0].split()[-1] == "and" and "," in left and not _PRONOUN.match(right)
            cut = not (bound or listed) and _is_clause(left) and _has_subject(right)
        if cut:
            cuts.append(joint.end())
            begin = joint.end()
    bounds = [span.start, *cuts, span.end]
    parts = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        end = low + len(text[low:high].rstrip())
        said = words_of(text, low, end, markers)
        parts.append((Span(low, end), said if high == span.end else _CONNECTIVE.sub("", said)))
    return parts


def _joints(text: str, span: Span, markers: Sequence[Marker]) -> list[re.Match[str]]:
    """Find the connectives outside brackets and markers, and the commas directly behind markers."""
    found = list(_JOINT.finditer(text, span.start, span.end))
    for marker in markers:
        if marker.words is None and marker.targets and (comma := _AT_ONCE.match(text, marker.end, span.end)):
            if not any(joint.start() == comma.start() for joint in found):
                found.append(comma)
    return [
        joint
        for joint in sorted(found, key=lambda j: j.start())
        if not any(m.start <= joint.start() < m.end for m in markers)
        and text.count("(", span.start, joint.start()) <= text.count(")", span.start, joint.start())
    ]


def _lower(words: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(words)]


def _is_clause(words: str, *, surely: bool = True) -> bool:
    """Tell whether words have a finite verb behind their first; `surely`: none that may be a noun, such as "need"."""
    said = _lower(words)
    if len(said) < _FEWEST_WORDS:
        return False
    verbs = any(is_finite(said, at) for at in range(1, len(said)))
    return verbs or (not surely and any(map(has_form_of_verb, said[1:-1])))


def _opens_without_subject(said: list[str]) -> bool:
    """Tell whether words begin with a verb: "raises Y", "was lower"."""
    return said[0] not in PRONOUNS | DETERMINERS and (is_finite(["x", *said], 1) or said[0] in IMPERATIVES)


def _has_subject(words: str) -> bool:
    """Tell whether words begin with a subject and its verb: "it lowers X", "the drug may raise Y"."""
    said = _lower(re.split(r"[,;]", words)[0])
    if len(said) < _FEWEST_WORDS or said[0] in PREPOSITIONS | SUBORDINATORS or _opens_without_subject(said):
        return False
    verb = next((at for at in range(1, min(len(said), _LONGEST_SUBJECT + 1)) if is_finite(said, at)), None)
    return verb is not None and not (set(said[:verb]) & (SUBORDINATORS | {"to", "or"}))
