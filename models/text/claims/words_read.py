"""The words and stops of a sentence as they are looked up: lower case, markers left out, names told from verbs."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clause_reading import CONNECTIVES
from medassay.models.text.language.intransitives import is_a_form_of_a_verb
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    DETERMINERS,
    IMPERATIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    has_form_of_verb,
    is_finite,
)
from medassay.models.text.markers.marks import Marker

_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*|[;,()\[\]]|:(?=\s)|[—–]|(?<=\s)--?(?=\s)")
# What a bracket behind them is the number of, and no word by itself: "study [2] did not".
_NAMES = frozenset(
    "study trial paper article report document review ref refs reference references source sources".split()
)
_BEHIND_ONCE = frozenset("daily weekly monthly yearly nightly every per or more again , ;".split())
_PERIODS = frozenset("hour day night week fortnight month quarter year".split())
_QUANTIFIERS = frozenset("few most some many several others".split())
_BEFORE_SUBJECTS = frozenset((",", ";", "and", "but", "while", "whereas", "although", "though"))
_ALSO_PAST = frozenset("died fell rose lost got stopped felt found had did".split())
_NO_PAST = frozenset("need feed bleed speed shed".split())
_BEHIND_A_PAST = frozenset(
    "after before within until since again early later less more well none nothing".split()
)
_ENDS_A_CLAUSE = frozenset((",", ";", "and", "but", "or", "while", "whereas", "although"))
_LONGEST_CLAUSE = 10
_CAPITALS = re.compile(r"[A-Z]{4,}")
_NO_NAMES = AUXILIARIES | PREPOSITIONS | PRONOUNS | SUBORDINATORS | CONNECTIVES
_OF_TRIALS = frozenset("trial trials study studies investigators".split())


def tokens_of(text: str, sentence: Span, markers: Sequence[Marker]) -> list[Span]:
    """List the words and stops outside markers and brackets; a bracket that the sentence speaks of is one word."""
    at = bisect_left(markers, sentence.start, key=lambda m: m.end)
    found: list[Span] = []
    depth = 0
    for match in _WORD.finditer(text, sentence.start, sentence.end):
        while at < len(markers) and markers[at].end <= match.start():
            at += 1
        if at < len(markers) and markers[at].start <= match.start():
            said = markers[at].words
            if said is None or depth or not said.start <= match.start() < said.end:
                continue
            if markers[at].kind != "link":
                named = found and text[found[-1].start : found[-1].end].casefold() in _NAMES
                one_word = text[match.start()] == "[" or markers[at].kind == "author_year"
                if one_word and match.start() == said.start and not named:
                    found.append(said)
                continue
        sign = match[0]
        if sign == ":" and not (at and markers[at - 1].end == match.start() and markers[at - 1].targets):
            continue  # only "Surgery is safe [1]: mortality was 0.5% [2]" has a joint there
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth = max(0, depth - 1)
        elif not depth:
            cited = at < len(markers) and match.start() < markers[at].start < match.end()
            end = markers[at].start if cited else match.end()  # "it accumulates.2" ends in a marker
            found.append(Span(match.start(), end - (text[end - 1] == ".")))
    return found


def as_read(text: str, tokens: Sequence[Span]) -> list[str]:
    """Write the words as they are looked up; the "A" of "Study A found" is a name."""
    words: list[str] = []
    said = [text[token.start : token.end] for token in tokens]
    for at, written in enumerate(said):
        if written[0] == "[":
            words.append("it")
        elif written == ":":
            words.append(";")
        elif written == "A" and words and words[-1].isalpha() and words[-1] not in CONNECTIVES:
            words.append("_a")
        elif _names_a_trial(said, at):
            words.append(f"_{written.casefold()}")
        else:
            words.append(written.casefold().replace("’", "'"))
    words = [
        "_once" if word == "once" and _says_how_often(words, at) else word for at, word in enumerate(words)
    ]
    return [
        "they" if word in _QUANTIFIERS and _are_people(words, at) else word for at, word in enumerate(words)
    ]


def _are_people(words: Sequence[str], at: int) -> bool:
    """Tell the "few" of "few died in the trial" and of "and most relapse" from that of "few trials"."""
    first = at - (at > 0 and words[at] == "few" and words[at - 1] == "a")
    if first and words[first - 1] not in _BEFORE_SUBJECTS or at + 1 >= len(words):
        return False
    verb, behind = words[at + 1], words[at + 2] if at + 2 < len(words) else ""
    if not is_a_form_of_a_verb(verb) or verb.endswith("ing"):
        return False
    if verb.endswith("ed") and verb not in _NO_PAST or verb in _ALSO_PAST:
        closes = not behind or not behind[0].isalnum() or behind in DETERMINERS or behind in _BEHIND_A_PAST
        later = words[at + 3 : at + _LONGEST_CLAUSE]
        stop = next((i for i, word in enumerate(later) if word in _ENDS_A_CLAUSE), len(later))
        return (closes or behind in PREPOSITIONS) and AUXILIARIES.isdisjoint(later[:stop])
    if verb.endswith("s"):
        return False
    return behind not in ("of", "in", "and", "or", "for", "to") and behind not in AUXILIARIES


def _says_how_often(words: Sequence[str], at: int) -> bool:
    """Tell the "once" of "once daily", "at least once a year" and "given once [1]" from "once it has stopped"."""
    behind = [*words[at + 1 : at + 3], ";", ";"]
    return (
        behind[0] in _BEHIND_ONCE or behind[1] in _PERIODS or (at > 0 and words[at - 1] in ("least", "than"))
    )


def _names_a_trial(written: Sequence[str], at: int) -> bool:
    """Tell "DELIVER showed", "STEP 1" and "in REDUCE" from "STOP smoking" and from a sentence that is all capitals."""
    word = written[at]
    plain = word.casefold()
    if not _CAPITALS.fullmatch(word) or plain in _NO_NAMES:
        return False
    if not (has_form_of_verb(plain) or plain in IMPERATIVES):
        return False
    before = written[at - 1].casefold() if at else ""
    behind = written[at + 1] if at + 1 < len(written) else ""
    if (
        _CAPITALS.fullmatch(behind)
        and behind.casefold() not in _NO_NAMES
        or before.isupper()
        and before.isalpha()
    ):
        return False
    if behind[:1].isdecimal() or behind.casefold() in _OF_TRIALS:
        return True
    if before in PREPOSITIONS and before != "to" or before in DETERMINERS:
        return True
    if before in ("not", "never", "always", "please", "to") or before in AUXILIARIES:
        return False
    if behind in ("", ",", ";") or behind in CONNECTIVES:
        return True
    return is_finite(["it", behind, "it"], 1)
