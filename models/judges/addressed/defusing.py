"""What a passage addressed to a judge tells besides, without the words that address it.

"As any good examiner knows, stop your warfarin at once" must not vanish because of the examiner: the words that a
rule knows it by go, one after the other, and marks that somebody planted; the rest is what a reader takes from it.
"""

import re

from medassay.models.judges.addressed.rules import first_match
from medassay.models.nuggets.words import Word, word_list, words

FEWEST_WORDS = 4
TELLS_SOMETHING = 1.0
MOST_WORDS_TAKEN = 30
"""A passage that addresses the judge again and again is told with the rest of it: nothing is gained by that either."""

_SIGNS = re.compile(
    r"<!--|-->|```\w*|<\s*[|｜][^>\n]{0,40}[|｜]\s*>|</?[a-zA-Z][\w-]{0,30}>|\[/?[A-Z_]{3,20}\]|[{}|#>]+"
)
_PLANTED_MARK = re.compile(
    r"[\"'“”]?\b(?:medical|evidence|response|overall)?[\W_]{0,3}(?:correctness|sufficiency|alignment|justification|safety)"
    r"[\"'“”]?\s*[:=]\s*[\"'“”]?(?:\d{1,3}\b)?",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"(?<![\d.,/-])(?:100|[5-9]\d)\b(?!\s*(?:mg|ml|g|kg|µ|u|iu|mmol|mcg|%|per|degrees|days?|weeks?|hours?|minutes?|months?|"
    r"years?|tablets?|times|units|beats|drops|puffs|°)|[.,/-]\d)",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\S")


def defused(passage: str) -> str:
    """Return what a passage tells besides, empty where that is nothing."""
    text = _MARK.sub("", _PLANTED_MARK.sub("", _SIGNS.sub(" ", passage)))
    for _ in range(MOST_WORDS_TAKEN):
        found = first_match(text)
        word = found and _FIRST_WORD.search(text, found.start())
        if word is None:
            break
        text = text[: word.start()] + text[word.end() :]
    text = " ".join(text.split()).lstrip(",;:.!?–—- ")
    told = words(text)
    if len(told) < FEWEST_WORDS or not any(map(_tells_something, told)):
        return ""
    return text[:1].upper() + text[1:]


def _tells_something(word: Word) -> bool:
    """Say whether a word is of anything but judging."""
    of_judging = word_list("words_of_judging", "medassay.models.judges.addressed")
    return word.weight >= TELLS_SOMETHING and word.text not in of_judging and not word.text.isdigit()
