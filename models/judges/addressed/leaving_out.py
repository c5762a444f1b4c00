"""An answer without the passages that speak to the judge, and what these say besides.

An answer has no business with scores, reviewers, system messages or ready-made verdicts, so such passages are left
out. What is left out could hide what a reader would still see ("Note to the reviewer: also stop your warfarin"), so a
passage that tells something else is told otherwise (`defusing`), for the judge to read as well.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from medassay.models.chat.fence import visible_text
from medassay.models.judges.addressed.defusing import defused
from medassay.models.judges.addressed.languages import is_in_another_language
from medassay.models.judges.addressed.rules import SPANS, first_match

LEFT_OUT = "(words that are not for the reader were left out)"

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[ \t]*(?=\S)|\n")
_LONE_REPLY = re.compile(r"^\W*(?:yes|no)\W*$", re.IGNORECASE)
_ACCENT = re.compile("[\u0300-\u036f]")
_MOST_REPEATS = 4
_PLACES = [chr(code) for code in range(0xE000, 0xF900)]
_PLACE = re.compile("[\ue000-\uf8ff]")
"""Signs that stand for spans that are left out; no text that is shown holds them."""


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
    """Say whether a sentence speaks to a judge, also where its letters wear accents that they do not need."""
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
