"""Compound sentences as clauses: cut only between two full clauses, never inside an enumeration."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from models.records import Span
from models.text.markers import Marker
from models.text.verbs import (
    AUXILIARIES,
    DETERMINERS,
    IMPERATIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    is_finite,
)

_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*|[;,()\[\]]|[—–]")
_CONNECTIVES = frozenset("and but so yet or while whereas".split())
_LEAD = re.compile(
    r"(?:however|therefore|thus|moreover|furthermore|additionally|in addition|in contrast|by contrast|instead|conversely|consequently|also|for example|"
    r"as a result|otherwise|meanwhile|nevertheless|then|hence|similarly|likewise|on the other hand|rather|in turn|accordingly|overall|often|sometimes|usually)\b,?\s*",
    re.IGNORECASE,
)
_LEADING_CONNECTIVE = re.compile(
    r"[\s;,]*(?:(?:and|but|so|yet|or|while|whereas)\b,?\s+(?:then\s+)?)?", re.IGNORECASE
)
_SUBJECT_WINDOW = 9


def clauses(text: str, sentence: Span, markers: Sequence[Marker]) -> list[Span]:
    """Cut a sentence into full clauses; together they hold all of its words, connectives lead the later ones.

    A cut needs a finished clause before it (more finite verbs than subordinators) and a subject with a finite verb behind it:
    "X causes nausea, vomiting and rash" and "Seek care if fever persists and the rash spreads" stay whole.
    """
    tokens = _tokens(text, sentence, markers)
    words = [text[t.start : t.end].casefold().replace("’", "'") for t in tokens]
    cuts = [sentence.start]
    verbs = subordinators = first = 0
    last_verb = -9
    for at, word in enumerate(words):
        if (word == ";" or word in _CONNECTIVES) and at > first + 1 and at + 1 < len(words):
            finished = verbs > subordinators or words[first] in IMPERATIVES and subordinators == 0
            if finished and _may_cut(words, tokens, text, at, first):
                cut = _cut_position(text, tokens[at], word, markers)
                cuts.append(cut)
                first, verbs, subordinators, last_verb = at + 1, 0, 0, -9
                continue
        if (
            word in SUBORDINATORS
            and at > first
            and not _is_reduced(words, at)
            or (word in SUBORDINATORS and at == first and at == 0)
        ):
            subordinators += 1
        elif is_finite(words, at):
            verbs += (
                at - last_verb > 3 or words[at] not in AUXILIARIES and not _same_group(words, last_verb, at)
            )
            last_verb = at
    cuts.append(sentence.end)
    return [_trim(text, low, high) for low, high in zip(cuts, cuts[1:], strict=False)]


def leading_connective(words: str) -> str:
    """Drop the connective that tied a later clause to the one before it."""
    match = _LEADING_CONNECTIVE.match(words)
    return words[match.end() :] if match else words


def has_finite_verb(words: str) -> bool:
    """Tell whether a phrase states something: it has a finite verb or begins with an imperative."""
    found = [
        w.casefold().replace("’", "'")
        for w in re.findall(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*|[,;:]", words[:2000])
    ]
    if not found:
        return False
    return found[0] in IMPERATIVES and len(found) > 2 or any(is_finite(found, at) for at in range(len(found)))


def _tokens(text: str, sentence: Span, markers: Sequence[Marker]) -> list[Span]:
    """List the words and stops outside markers and brackets."""
    at = bisect_left(markers, sentence.start, key=lambda m: m.end)
    found: list[Span] = []
    depth = 0
    for match in _WORD.finditer(text, sentence.start, sentence.end):
        while at < len(markers) and markers[at].end <= match.start():
            at += 1
        if at < len(markers) and markers[at].start <= match.start():
            continue
        sign = match[0]
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth = max(0, depth - 1)
        elif not depth:
            found.append(Span(*match.span()))
    return found


def _may_cut(words: Sequence[str], tokens: Sequence[Span], text: str, at: int, first: int) -> bool:
    word = words[at]
    comma = words[at - 1] in (",", ";")
    right = at + 1
    if word == ";" and words[right] in _CONNECTIVES:
        right += 1
    if word in _CONNECTIVES and words[at - 1] == ";":
        return False  # the semicolon was looked at already
    if word in ("while", "whereas", "so", "or", "yet") and not comma:
        return False
    lead = _LEAD.match(text, tokens[right].start)
    while lead and right < len(words) and tokens[right].start < lead.end():
        right += 1
    if right >= len(words) - 1:
        return False
    if words[right] in IMPERATIVES and word != "or" and words[right] not in ("always", "never"):
        imperative = words[first] in IMPERATIVES or word in (";", "but") or words[right] == "please"
        if imperative and not _is_noun_like(words, right):
            return True
    return _opens_clause(words, tokens, text, right, comma or bool(lead))


def _is_noun_like(words: Sequence[str], at: int) -> bool:
    after = words[at + 1] if at + 1 < len(words) else ""
    return after in ("of", ",", ";") or after in AUXILIARIES


def _opens_clause(words: Sequence[str], tokens: Sequence[Span], text: str, right: int, comma: bool) -> bool:
    """Look for a subject and a finite verb within nine words."""
    first = words[right]
    if (
        first in AUXILIARIES
        or first in SUBORDINATORS
        or first in _CONNECTIVES
        or (first in PREPOSITIONS and not comma)
    ):
        return False
    if (
        first in PREPOSITIONS
        or is_finite(["x", *words[right : right + 2]], 1)
        and first not in PRONOUNS | DETERMINERS
    ):
        return False
    proper = text[tokens[right].start].isupper() or text[tokens[right].start].isdigit()
    known = first in PRONOUNS or first in DETERMINERS or proper
    joined = False
    for at in range(right + 1, min(right + _SUBJECT_WINDOW, len(words))):
        word = words[at]
        if word in (",", ";", "—", "–", "to") or word in SUBORDINATORS:
            return False
        joined = joined or word in ("and", "or")
        if is_finite(words, at):
            if word in AUXILIARIES:
                return known or not joined
            return (known or comma or words[at - 1].endswith("s") or word.endswith("s")) and (
                known or not joined
            )
    return False


def _is_reduced(words: Sequence[str], at: int) -> bool:
    """Tell whether a subordinator opens no clause of its own: "when taken daily", "if needed"."""
    after = words[at + 1] if at + 1 < len(words) else ""
    return (
        after.endswith(("ed", "en", "ing"))
        or after in ("necessary", "possible", "given", "left")
        or (words[at - 1] == "so" and words[at] == "that")
    )


def _same_group(words: Sequence[str], last: int, at: int) -> bool:
    return at - last <= 2 and 0 <= last and words[last] in AUXILIARIES


def _cut_position(text: str, token: Span, word: str, markers: Sequence[Marker]) -> int:
    """Cut behind a semicolon and its markers, or before a connective."""
    if word != ";":
        return token.start
    position = token.end
    at = bisect_left(markers, position, key=lambda m: m.start)
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
