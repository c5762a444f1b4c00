"""What is said in a statement and is far in meaning from its rest and from the question.

"… just as the body in its wisdom has always intended" is set off by no mark and appeals to nobody. It is known by its
meaning: a phrase or clause whose vector is near neither the rest of the statement nor the question can be left out,
and the medicine stays. Which phrases there are is read off the words; how far they are, an embedder says.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from medassay.models.judges.statements.appeals import IsTied
from medassay.models.judges.statements.frames import describes, says, says_that, turns_round
from medassay.models.nuggets.words import Word, words
from medassay.models.text.verbs import is_clause, is_finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_COSINE = 0.3
"""Nearer than this an aside is part of what is said. Of right statements one in eight has an end that is farther, and
still says something right without it ("… at least once a year")."""
MOST_ENDS = 3
"""So many of the ends that may be an aside are left out, and the farthest."""
FEWEST_WORDS_OF_A_CLAUSE = 5
FEWEST_WORDS_LEFT = 3
FEWEST_WORDS_SAID = 2
FEWEST_WORDS_ASIDE = 5

_BEGINS = frozenset(
    "and but as with by in on at for from under over among through during just exactly because since so which who "
    "where that while like without whatever however".split()
)
"""What an aside begins with; not what states a condition or completes a noun ("if", "when", "before", "of"), which
medicine hangs on."""
_LEADS_IN = frozenset(
    "and but because since so which who whom whose where that what while as however whatever how".split()
)
"""Behind one of these a verb has a subject of its own, and is not that of what stands before the aside."""
_LABEL = re.compile(r"^([^:]+):\s+(?=\S)")
_MARK = re.compile(r"[,;:]\s+")


class Aside(NamedTuple):
    """A piece of a statement, and the statement without it."""

    words: str
    rest: str
    is_said: bool = False
    """Whether it announces the rest, so that the two need not be far from each other."""


Cosine = Callable[[str, Sequence[str]], float]
"""Says how near words are in meaning to the nearest of some texts: the cosine of their vectors."""


def far_asides(statement: str, question: str, is_tied: IsTied, cosine: Cosine) -> tuple[str, ...]:
    """Return a statement without what may have been grown into it.

    Left out are a beginning that ends in "that" or in a colon and says what comes behind, or is far from it; then one
    of the ends that are far from the rest and, the question's own words aside, from the question: the farthest, and
    the longest.

    Returns:
        The version without the farthest end first; none where nothing may be left out.
    """
    heads = [
        head.rest
        for head in _heads(statement)
        if head.is_said or cosine(head.words, (head.rest, question)) < MOST_COSINE
    ]
    ends = []
    for end in _ends(heads[-1] if heads else statement):
        own = " ".join(word.text for word in words(end.words) if not is_tied(word.text))
        if own and (near := cosine(own, (end.rest, question))) < MOST_COSINE:
            ends.append((near, end.rest))
    left_out = [rest for _, rest in [*([min(ends)] if ends else []), *ends[:MOST_ENDS]]]
    return tuple(dict.fromkeys([*left_out, *reversed(heads)]))


def is_far(part: str, rest: str, question: str, is_tied: IsTied, cosine: Cosine) -> bool:
    """Say whether words are far in meaning from what stands beside them and, its own words aside, from the question."""
    own = " ".join(word.text for word in words(part) if not is_tied(word.text))
    return bool(own) and cosine(own, (rest, question)) < MOST_COSINE


def all_asides(statement: str) -> tuple[str, ...]:
    """Return every version of a statement that may be asked for, whatever is far."""
    return tuple(one.rest for one in (*_heads(statement), *_ends(statement)))


def _heads(statement: str) -> Iterator[Aside]:
    """Give what stands before "that" or a colon and says what comes behind it, if nothing in it may turn it round."""
    said = [(head, rest, says(head)) for head, rest in says_that(statement)]
    labelled = _LABEL.match(statement)
    if labelled and is_clause([word.text for word in words(statement[labelled.end() :])]):
        said.append((labelled.group(1), statement[labelled.end() :], True))
    for head, rest, is_said in said:
        may_be = is_said or not describes(rest)
        if may_be and not turns_round(head) and len(words(rest)) >= FEWEST_WORDS_SAID:
            yield Aside(head, rest[:1].upper() + rest[1:], is_said)


def _ends(statement: str) -> Iterator[Aside]:
    """Give what a phrase or clause begins, to the end of the statement; the longest first."""
    body = statement.rstrip(".!? ")
    found = words(body)
    for n in range(FEWEST_WORDS_LEFT, len(found)):
        if found[n].text not in _BEGINS or found[n - 1].text in _BEGINS:
            continue
        n_words = sum(word.text.isalpha() for word in found[n:])
        n_since_mark = len(words(_MARK.split(body[: found[n].start])[-1]))
        if n_words < FEWEST_WORDS_ASIDE or 0 < n_since_mark < FEWEST_WORDS_LEFT:
            continue
        if found[n].text == "that" and says(body[: found[n].start]):
            continue
        may_stand = n >= FEWEST_WORDS_OF_A_CLAUSE or is_clause([word.text for word in found[:n]])
        if may_stand and not _holds_the_verb(found[n:]):
            yield Aside(
                body[found[n].start :], body[: found[n].start].rstrip(" ,;–—-") + statement[len(body) :]
            )


def _holds_the_verb(aside: Sequence[Word]) -> bool:
    """Say whether a phrase goes on to the verb of what stands before it ("its level | in the blood may rise")."""
    said = [word.text for word in aside]
    first = next((n for n in range(1, len(said)) if is_finite(said, n)), None)
    return first is not None and not _LEADS_IN & set(said[:first])


@lru_cache(maxsize=1)
def embedded_cosine() -> Cosine:
    """Load the embedded embedder and return its cosine.

    Raises:
        ModelMissing: it is not on this machine.
    """
    from medassay.models.embedding import load_embedder

    encode = load_embedder("embedded").encode

    @lru_cache(maxsize=16384)
    def vector(text: str) -> "NDArray[np.float32]":
        vectors = encode([text])
        return vectors.reshape(-1)

    return lambda said, others: max(round(float(vector(said) @ vector(other)), 3) for other in others)
