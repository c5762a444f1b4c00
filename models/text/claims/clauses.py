"""Clauses of a sentence that each have a marker of their own: "A lowers X [1], but B raises Y [2]" is two claims.

Everything else is one claim: the facts within it are told apart where they are judged (`parts`).
"""

import re
from collections.abc import Sequence

from models.records import Span
from models.text.markers.marks import Marker
from models.text.sentences.wording import words_of
from models.text.verbs import is_finite

_JOINT = re.compile(r"(?:\s*[,;]\s*(?:and|but|while|whereas|although|yet)?|\s+(?:and|but|while|whereas|although))\s+(?=\w)")
_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*")
_FEWEST_WORDS = 3


def marked_clauses(text: str, span: Span, markers: Sequence[Marker]) -> list[tuple[Span, str]]:
    """Split a sentence behind markers that stand before a comma or connective, where both sides are clauses.

    Returns:
        Each clause as (span, words); one where nothing is to be split.
    """
    cuts: list[int] = []
    begin = span.start
    for marker, after in zip(markers, markers[1:], strict=False):
        joint = _JOINT.match(text, marker.end, span.end)
        if joint is None or marker.words is not None or not marker.targets or after.start <= joint.end():
            continue
        behind = text[joint.end() : after.start]
        if _is_clause(words_of(text, begin, marker.end, markers)) and _is_clause(behind):
            cuts.append(joint.end())
            begin = joint.end()
    bounds = [span.start, *cuts, span.end]
    parts = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        end = low + len(text[low:high].rstrip())
        said = words_of(text, low, end, markers)
        parts.append((Span(low, end), re.sub(r"[\s,;]*(?:\b(?:and|but|while|whereas|although|yet))?[\s,;]*\Z", "", said) if high != span.end else said))
    return parts


def _is_clause(words: str) -> bool:
    """Tell whether words have a subject and a finite verb behind it."""
    said = [word.lower() for word in _WORD.findall(words)]
    return len(said) >= _FEWEST_WORDS and any(is_finite(said, at) for at in range(1, len(said)))
