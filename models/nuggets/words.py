"""Words for matching: normalised, stemmed, weighted by information."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:['’]t\b)?")
SPELLING: tuple[tuple[str, str], ...] = (
    ("’", "'"),
    ("aemi", "emi"),
    ("haem", "hem"),
    ("oedem", "edem"),
    ("oesoph", "esoph"),
)
SPELLING += (
    ("rrhoea", "rrhea"),
    ("paed", "ped"),
    ("tumour", "tumor"),
    ("isation", "ization"),
    ("coeliac", "celiac"),
)
SUFFIXES = tuple(
    "izations ization ations ation ments ment ingly ings ing edly ed ively ive ically ical ally al ly "
    "ies ness ility ity ions ion ers er es s ic e y".split()
)
STEM_LETTERS = 4  # a stem keeps at least these
SHARED_LETTERS = 8  # stems that agree on these are one word: "hallucinat", "hallucinogen"
LIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: in lower case, its stem, its place, and its weight (0 for a stop word)."""

    text: str
    stem: str
    start: int
    end: int
    weight: float


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[Word, ...]:
    """Split a text into words, in order."""
    found = []
    for token in TOKEN.finditer(text):
        lower = token.group().lower()
        stemmed = stem(lower)
        found.append(Word(lower, stemmed, token.start(), token.end(), weight(lower, stemmed)))
    return tuple(found)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Bring a word to the form under which it is compared: one spelling, no ending, one name for synonyms."""
    for british, american in SPELLING:
        word = word.replace(british, american)
    if word in synonyms():
        return synonyms()[word]
    cut = bare(word)
    return synonyms().get(cut, cut)


def bare(word: str) -> str:
    """Cut endings off a word, keeping `STEM_LETTERS`."""
    if not word.isalpha():
        return word
    for _ in range(2):
        for suffix in SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= STEM_LETTERS:
                if suffix == "s" and word.endswith(("ss", "us", "is")):
                    continue
                word = word[: -len(suffix)]
                break
    if len(word) > STEM_LETTERS and word[-1] == word[-2]:
        word = word[:-1]
    return word


def weight(word: str, stemmed: str) -> float:
    """Return 0 for a stop word, `LIGHT` for a word of every medical text, 1 for one that tells something."""
    if word in word_list("stop_words"):
        return 0.0
    if word in word_list("light_words") or stemmed in light_stems():
        return LIGHT
    return 1.0


@lru_cache(maxsize=8)
def word_list(name: str, room: str = "medassay.models.nuggets") -> frozenset[str]:
    """Read a word list that travels with a package; lines starting with `#` are remarks."""
    return frozenset(word for line in lines_of(name, room) for word in line.split())


@lru_cache(maxsize=1)
def light_stems() -> frozenset[str]:
    """Return the stems of the light words."""
    return frozenset(stem(word) for word in word_list("light_words"))


@lru_cache(maxsize=1)
def synonyms() -> dict[str, str]:
    """Map each word of a synonym line, and its bare stem, to the bare stem of the line's first word."""
    table: dict[str, str] = {}
    for line in lines_of("synonyms"):
        first, *others = line.split()
        table[first] = table[bare(first)] = bare(first)
        for word in others:
            table[word] = table[bare(word)] = bare(first)
    return table


def lines_of(name: str, room: str = "medassay.models.nuggets") -> list[str]:
    """Return the lines of a list that travels with a package, without remarks and empty lines."""
    text = files(room).joinpath(f"lists/{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def keys(found: Iterable[Word]) -> dict[str, float]:
    """Return the distinct telling words as comparison key → weight, long stems cut to `SHARED_LETTERS`."""
    return {word.stem[:SHARED_LETTERS]: word.weight for word in found if word.weight}


def share(part: dict[str, float], whole: Iterable[str]) -> float | None:
    """Return the weighted share of `part` found in `whole`, 0–1; None where `part` tells nothing."""
    total = sum(part.values())
    if not total:
        return None
    known = set(whole)
    return sum(value for key, value in part.items() if key in known) / total
