"""A statement without what commas, dashes, semicolons or conjunctions set off in it.

What is slipped into a statement that way ("undoubtedly", "a point on which all textbooks agree", "because studies have
shown it") lends it weight as a sentence beside it would. Which part does, nobody needs to know: each is left out once.
"""

import re
from collections.abc import Iterator, Sequence

from models.judges.statements.appeals import IsTied, is_appeal
from models.nuggets.words import words
from models.text.verbs import is_clause

FEW_PARTS = 4
"""More parts than these, none of them tied to the question, are a list, and none is an aside."""
FEWEST_WORDS_LEFT = 3
FEWEST_WORDS_OF_A_CLAUSE = 2

_SET_OFF = re.compile(
    r"[,;]\s+|\s+[–—]\s+|\s+--?\s+|\s+(?=(?:because(?!\s+of)|since|while|whereas|although|though)\s)",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"(?:and|but|so|or|because|since|while|whereas|although|though)\s+", re.IGNORECASE)
_END = re.compile(r"[.!?]*$")


def gist_of(statement: str, is_tied: IsTied) -> str:
    """Return the parts of a statement that share something with the question.

    Where they have not half the words of the longest clause, it is added; where no part does, it is the gist. What only
    appeals, or only takes the question up, is none of it. A statement of which too little would be left is its gist.
    """
    parts = _parts(statement)
    tied = _tied(statement, parts, is_tied)
    said = _said(statement, parts)
    n_words = [len(part.split()) for part in said]
    says_something = [i for i, part in enumerate(said) if not is_appeal(part, is_tied)]
    clauses = [i for i in says_something if is_clause([word.text for word in words(said[i])])]
    longest = max(clauses or says_something or range(len(parts)), key=n_words.__getitem__)
    if 2 * sum(n_words[i] for i in tied) < n_words[longest]:
        tied = tuple(sorted({*tied, longest}))
    return (
        _joined(statement, parts, tied, FEWEST_WORDS_OF_A_CLAUSE if clauses else FEWEST_WORDS_LEFT)
        or statement
    )


def shorter_versions(statement: str, is_tied: IsTied) -> tuple[str, ...]:
    """Return a statement without each part that may be an aside, and its gist.

    An aside shares nothing with the question. Where no part does, of up to three parts each may be one, of four the
    first and the last, if what is left has half of the words; more parts are a list.

    Returns:
        Versions of three words at least, the statement itself not among them; none where nothing is set off.
    """
    parts = _parts(statement)
    every = tuple(range(len(parts)))
    tied = _tied(statement, parts, is_tied)
    if tied:
        asides = [i for i in every if i not in tied]
    elif len(parts) <= FEW_PARTS:
        asides = list(every) if len(parts) < FEW_PARTS else [0, every[-1]]
    else:
        asides = []
    fewest = 0 if tied else len(statement.split()) / 2
    found = [_joined(statement, parts, (*every[:i], *every[i + 1 :])) for i in asides]
    found = [one for one in found if len(one.split()) >= fewest]
    found += [_joined(statement, parts, tied), gist_of(statement, is_tied)]
    return tuple(one for one in dict.fromkeys(found) if one and one != statement)


def _parts(statement: str) -> list[tuple[int, int]]:
    """Cut a statement at its marks; what ends it belongs to none of its parts."""
    return list(_between_marks(_END.sub("", statement)))


def _between_marks(body: str) -> Iterator[tuple[int, int]]:
    at = 0
    for mark in _SET_OFF.finditer(body):
        yield at, mark.start()
        at = mark.end()
    yield at, len(body)


def _tied(statement: str, parts: Sequence[tuple[int, int]], is_tied: IsTied) -> tuple[int, ...]:
    """Number the parts that share something with the question, unless that is all they say, or they appeal."""
    said = _said(statement, parts)
    return tuple(i for i, part in enumerate(said) if is_tied(part) and not is_appeal(part, is_tied))


def _said(statement: str, parts: Sequence[tuple[int, int]]) -> list[str]:
    return [statement[start:stop] for start, stop in parts]


def _joined(
    statement: str, parts: Sequence[tuple[int, int]], kept: Sequence[int], fewest: int = FEWEST_WORDS_LEFT
) -> str:
    """Put parts together: as they stood where they were neighbours, by a space where something was between.

    Empty where too few words are left.
    """
    text = ""
    for before, i in zip((None, *kept), kept, strict=False):
        if before is not None:
            text += statement[parts[before][1] : parts[i][0]] if before == i - 1 else " "
        text += statement[slice(*parts[i])]
    if kept and kept[0] > 0:
        text = _LEADS_ON.sub("", text, count=1) if _LEADS_ON.match(text) else text
    if len(text.split()) < fewest:
        return ""
    return text[:1].upper() + text[1:] + statement[parts[-1][1] :]
