"""A sentence in another language than the text it stands in: by its script, or by its function words.

An English answer has no reason to end in a Finnish sentence; whoever reads the answer would not understand it, and a
model does.
"""

import re
import unicodedata
from functools import lru_cache

from medassay.models.nuggets.words import word_list

ROOM = "medassay.models.judges.addressed"
FEWEST_LETTERS = 4
FEWEST_WORDS = 3
FEWEST_FUNCTION_WORDS = 2
FEWEST_WORDS_WITHOUT = 5
"""So many words, none of which holds English together, are English only where none is of another language either."""

_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED_WORD = re.compile(r"\b[a-zß-öø-ɏ]+[ß-öø-ɏ][a-zß-öø-ɏ]*\b")
"""A word in small letters with an accent: no name, and no Greek letter."""


def is_in_another_language(sentence: str, text: str) -> bool:
    """Say whether a sentence of an English text is in another language; False in texts of another language."""
    if not _is_english(text):
        return False
    if _share_of_other_scripts(sentence) > 0.5:
        return True
    n_words, english, foreign = _function_words(sentence)
    if n_words >= FEWEST_WORDS_WITHOUT and not english and (foreign or _ACCENTED_WORD.search(sentence)):
        return True
    return n_words >= FEWEST_WORDS and foreign >= FEWEST_FUNCTION_WORDS and foreign > 2 * english


def _function_words(text: str) -> tuple[int, int, int]:
    """Count words, English function words, and those of other languages: "IL" is no Italian, and "PAR" no French."""
    said = _WORD.findall(text)
    english = sum(word.lower() in word_list("english_function_words", ROOM) for word in said)
    return len(said), english, sum(word in word_list("foreign_function_words", ROOM) for word in said)


@lru_cache(maxsize=256)
def _is_english(text: str) -> bool:
    """Say whether as many sentences as not are English, for all that can be told."""
    english = foreign = 0
    for sentence in _SENTENCE.findall(text):
        _, of_english, of_others = _function_words(sentence)
        if _share_of_other_scripts(sentence) > 0.5 or of_others > of_english:
            foreign += 1
        else:
            english += any(map(str.isalpha, sentence))
    return english >= foreign


def _share_of_other_scripts(text: str) -> float:
    """Return the share of letters that are not Latin; 0 where there are few."""
    if text.isascii():
        return 0.0
    letters = [sign for sign in text if sign.isalpha()]
    other = sum(not unicodedata.name(sign, "").startswith("LATIN") for sign in letters)
    return other / len(letters) if other >= FEWEST_LETTERS else 0.0
