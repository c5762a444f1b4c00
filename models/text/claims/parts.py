"""What a claim says more than once: one proposition for each thing it lists, so that a half-true claim shows.

Only what a reader would split without thinking is split: the enumeration that ends a clause, and two things said
of one subject. Everything else is one proposition, which costs no more than a verdict of neutral.
"""

import re

from medassay.models.text.verbs import PREPOSITIONS, is_finite, starts_with_verb

_SEPARATOR = re.compile(r",\s+(?:and|or|as well as)\s+|\s+(?:and|or|as well as)\s+|,\s+", re.IGNORECASE)
_LAST = re.compile(r"(?:,\s+|\s+)(?:and|or|as well as)\s+", re.IGNORECASE)
_OPENER = re.compile(r"\b(?:such as|including|includes?|included|namely|e\.g\.,?)\s+", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:between|both|either|neither|combin\w*|versus|vs|compared|than|randomi[sz]\w*|respectively|that|not|no)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:often|also|then|usually|sometimes|generally|mostly|during|after|before|when|if|which|who)\b|"
    r"\b(?:first|second|third|before|during|after|comes?|improves?)$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*")
_JOINS_CLAUSES = re.compile(r"\s*;\s+(?:and\s+|but\s+)?|,?\s+but\s+(?!also\b|only\b|not\b|rather\b)")
_REPORTED = re.compile(r"\b(?:that|if|when|unless|because|whether|not only)\b", re.IGNORECASE)
_LONGEST_ITEM = 8
_MOST_PARTS = 6


def claim_parts(claim: str) -> tuple[str, ...]:
    """Split a claim into propositions that are true or false by themselves; empty where it says one thing.

    "Metformin causes nausea, diarrhoea and headache" says three things; "the risk was lower with A than with B or
    C" is left whole, and so is whatever names a combination or a negation. "A lowers X but raises Y" and "A lowers X;
    it raises Y" say two things.
    """
    text = claim.strip().rstrip(".;")
    if 2 <= len(clauses := _of_clauses(text)) <= _MOST_PARTS:
        return tuple(f"{clause}." for clause in clauses)
    if not _LAST.search(text) or _BOUND.search(text):
        return ()
    parts = _of_two_predicates(text) or _of_a_list(text)
    return tuple(f"{part}." for part in parts) if 2 <= len(parts) <= _MOST_PARTS else ()


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _finite(text: str) -> list[int]:
    words = _words(text)
    return [at for at in range(len(words)) if is_finite(words, at)]


def _of_clauses(text: str) -> list[str]:
    """Split "S verbs X but verbs Y" and "S verbs X; T verbs Y" into clauses, each with its subject."""
    pieces = _JOINS_CLAUSES.split(text)
    verbs = _finite(pieces[0])
    if (
        len(pieces) < 2
        or not verbs
        or verbs[0] == 0
        or _REPORTED.search(text)
        or text.count("(") != text.count(")")
    ):
        return []
    subject = pieces[0][: list(_WORD.finditer(pieces[0]))[verbs[0]].start()].rstrip()
    found = [pieces[0]]
    for piece in pieces[1:]:
        words = _words(piece)
        if words and (is_finite(["x", *words], 1) or starts_with_verb(words, 0)):
            found.append(f"{subject} {piece}")
        elif any(at > 0 for at in _finite(piece)):
            found.append(piece)
        else:
            return []
    return found


def _of_two_predicates(text: str) -> list[str]:
    """Split "S verbs X and verbs Y" into "S verbs X" and "S verbs Y"."""
    joints = list(re.finditer(r",?\s+and\s+", text))
    if len(joints) != 1:
        return []
    before, after = text[: joints[0].start()], text[joints[0].end() :]
    words = _words(text)
    turn = len(_words(before)) + 1
    verbs = _finite(before)
    if not verbs or verbs[0] == 0 or not (is_finite(words, turn) or starts_with_verb(words, turn)):
        return []
    subject = before[: list(_WORD.finditer(before))[verbs[0]].start()].rstrip()
    return [before, f"{subject} {after}"]


def _of_a_list(text: str) -> list[str]:
    """Split "… verb A, B and C" into "… verb A", "… verb B", "… verb C"."""
    last = list(_LAST.finditer(text))[-1]
    start = _list_start(text[: last.start()])
    if start is None:
        return []
    head, rest = text[:start], text[start:]
    items = [item.strip(" ,") for item in _SEPARATOR.split(rest)]
    goes_on = ", " in text[last.end() :]
    if len(items) < 2 or goes_on or not _finite(text[: last.start()]) or not all(map(_is_item, items)):
        return []
    return [head + item for item in items]


def _list_start(before: str) -> int | None:
    """Find where the first item begins: behind the last opener, verb or preposition before the first comma."""
    opened = [found.end() for found in _OPENER.finditer(before)]
    if opened:
        return opened[-1]
    upto = before.find(", ")
    spans = list(_WORD.finditer(before if upto < 0 else before[:upto]))
    words = _words(before)
    for at in range(len(spans) - 1, 0, -1):
        if words[at - 1] in PREPOSITIONS or is_finite(words, at - 1):
            return spans[at].start()
    return None


def _is_item(item: str) -> bool:
    words = _words(item)
    if not 0 < len(words) <= _LONGEST_ITEM or words[0] in PREPOSITIONS or words[-1] in PREPOSITIONS:
        return False
    return not _UNFINISHED.search(item) and not _finite(item) and not starts_with_verb(words, 0)
