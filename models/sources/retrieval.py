"""BM25 over passages, deterministic: what a sentence is held against where nothing is cited for it.

Source: Robertson & Zaragoza 2009, in the variant of Lucene, by the library bm25s.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

K1, B, METHOD = 1.5, 0.75, "lucene"
RETRIEVED = 20
"""Passages a sentence, as many documents as BioACE retrieves."""

VERSION = 1
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    "a an and are as at be but by for from has have if in into is it its may no not of on or such that the their then"
    " there these they this to was were will with can should which who".split()
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage by its place in the collection, and its score; only shared words score."""

    place: int
    score: float


def describe() -> dict[str, Any]:
    """Return what is asked: the function, its parameters and how many passages are taken."""
    return {"retriever": "bm25", "method": METHOD, "k1": K1, "b": B, "k": RETRIEVED, "stage_version": VERSION}


def terms(text: str) -> list[str]:
    """Cut a text into the words that are looked for, plural and singular alike."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in _STOP_WORDS]
    return [
        word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
        for word in words
    ]


class Corpus:
    """An index over passages, held in memory."""

    def __init__(self, passages: Sequence[str]) -> None:
        """Index passages; equal scores keep their order."""
        import bm25s

        # It tells of every index it builds, at a level that it sets itself.
        logging.getLogger("bm25s").setLevel(logging.WARNING)

        self.size = len(passages)
        cut = [terms(passage) for passage in passages]
        self.known = {term for found in cut for term in found}
        self.index = bm25s.BM25(k1=K1, b=B, method=METHOD)
        if self.known:
            self.index.index(cut, show_progress=False)

    def search(self, sentence: str, k: int = RETRIEVED) -> list[Hit]:
        """Return the best passages for a sentence, best first; none where it shares no word with any."""
        import numpy as np

        wanted = [term for term in terms(sentence) if term in self.known]
        if not wanted:
            return []
        scores = np.asarray(self.index.get_scores(wanted))
        order = np.lexsort((np.arange(self.size), -scores))[:k]
        return [Hit(int(place), float(scores[place])) for place in order if scores[place] > 0.0]
