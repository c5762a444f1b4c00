"""Remove passages addressed to the judge, keeping the medical content in them.

An answer has no business with scores, reviewers, system messages or ready-made verdicts, so such passages are left
out. What is left out could hide what a reader would still see ("Note to the reviewer: also stop your warfarin"), so a
passage that tells something else is told otherwise, for the judge to read as well.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.chat.fence import visible_text
from medassay.models.judges.addressed.rules import SPANS, first_match
from medassay.models.nuggets.words import Word, word_list, words

FEWEST_WORDS_TOLD = 4
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
LEFT_OUT = "(words that are not for the reader were left out)"
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[ \t]*(?=\S)|\n")
_LONE_REPLY = re.compile(r"^\W*(?:yes|no)\W*$", re.IGNORECASE)
_ACCENT = re.compile("[\u0300-\u036f]")
_MOST_REPEATS = 4
_PLACES = [chr(code) for code in range(0xE000, 0xF900)]
_PLACE = re.compile("[\ue000-\uf8ff]")
"""Signs that stand for spans that are left out; no text that is shown holds them."""


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
    if len(told) < FEWEST_WORDS_TOLD or not any(map(_tells_something, told)):
        return ""
    return text[:1].upper() + text[1:]


def _tells_something(word: Word) -> bool:
    """Return whether a word is of anything but judging."""
    of_judging = word_list("words_of_judging", "medassay.models.judges.addressed")
    return word.weight >= TELLS_SOMETHING and word.text not in of_judging and not word.text.isdigit()


def is_in_another_language(sentence: str, text: str) -> bool:
    """Return whether a sentence of an English text is in another language; False in texts of another language."""
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
    """Return whether as many sentences as not are English, for all that can be told."""
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


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what speaks to the judge, how many passages that were, and what they tell besides.

    `told` is the whole text with those passages told otherwise in their places, the same as `text` where none of them
    tells anything.
    """

    text: str
    n_left_out: int
    passages: tuple[str, ...]
    told: str


@lru_cache(maxsize=4096)
def leave_out_addressed(text: str, in_its_place: str = "", *, is_answer: bool = True) -> Cleaned:
    """Leave out passages addressed to a judge, and a sentence's fifth and later repetition.

    Text without such passages comes back as `visible_text` gives it, otherwise unchanged.

    Args:
        text: an answer, or what a reference says.
        in_its_place: what marks the place of a passage.
        is_answer: whether a sentence in another language than the rest is taken for addressed; titles may be in any.
    """
    shown, spans = _with_places(visible_text(text))
    kept, told, passages, n_left_out = list[str](), list[str](), list[str](), len(spans)
    seen = dict[str, int]()
    gap_before = "\n"
    for sentence, gap in _sentences(shown):
        bare = _PLACE.sub("", sentence)
        words = " ".join(bare.lower().split())
        seen[words] = seen.get(words, 0) + 1
        repeated = len(words) > 20 and seen[words] > _MOST_REPEATS
        alone = gap_before == "\n" and gap in ("\n", "")
        planted = n_left_out > 0 and alone and _LONE_REPLY.match(bare) is not None
        foreign = is_answer and is_in_another_language(bare, shown)
        if repeated or planted or foreign or _is_addressed(bare):
            n_left_out += 1
            said = "" if repeated or planted else defused(bare)
            kept.append(f"{in_its_place}{gap}" if in_its_place and not repeated else "")
            places = _PLACE.findall(sentence)
            passages += [said] if said else []
            sentence = " ".join([said, *places]) if said else "".join(places)
        else:
            kept.append(_PLACE.sub(in_its_place, sentence) + gap)
        told.append(_PLACE.sub(lambda place: spans[place.group()], sentence) + gap)
        gap_before = gap
    if not n_left_out:
        return Cleaned(shown, 0, (), shown)
    left = "".join(kept).rstrip()
    passages += [said for said in spans.values() if said]
    return Cleaned(left, n_left_out, tuple(passages), "".join(told).rstrip() if passages else left)


def _is_addressed(sentence: str) -> bool:
    """Return whether a sentence speaks to a judge, also where its letters wear accents that they do not need."""
    if first_match(sentence):
        return True
    plain = unicodedata.normalize("NFKD", sentence)
    return plain != sentence and first_match(_ACCENT.sub("", plain)) is not None


def _with_places(shown: str) -> tuple[str, dict[str, str]]:
    """Set spans aside: the text with a sign in the place of each, and what each tells besides, by its sign."""
    spans: dict[str, str] = {}

    def set_aside(span: re.Match[str]) -> str:
        if len(spans) == len(_PLACES):
            return ""
        place = _PLACES[len(spans)]
        spans[place] = defused(_PLACE.sub(lambda inner: spans[inner.group()], span.group()))
        return place

    for span in SPANS:
        shown = span.sub(set_aside, shown)
    return shown, spans


def _sentences(text: str) -> list[tuple[str, str]]:
    """Split into (sentence, what follows it), whose concatenation is the text."""
    pieces, start = [], 0
    for gap in _SENTENCE_END.finditer(text):
        pieces.append((text[start : gap.start()], gap.group()))
        start = gap.end()
    return [*pieces, (text[start:], "")]
