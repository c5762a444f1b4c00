"""Select the sentences of a passage that a claim is read against.

A passage that fits is read whole. A longer one is read through windows of its own sentences: the first holds the
sentences that best cover the claim's words, weighted by how rare they are, and that report what was found rather
than what was asked or done; the next ones hold what is left. The choice needs token ids and a table of words, so it
costs next to nothing beside the network.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.records import Span

FINDING = 0.5
"""What a sentence gains by reporting a finding, beside 1 for all of a claim's words."""
_LAST, _LAST_BUT_ONE = 0.08, 0.04
_AS_NEAR = 0.75
"""Share of the nearest sentence's relevance from which another may be the one that decided."""
_MOST_AS_NEAR = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or a part of one that is too long, with its token ids and its place in the passage.

    `finding` is the probability that the sentence reports a result or a conclusion.
    """

    span: Span
    ids: tuple[int, ...]
    finding: float = 0.0


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces read together, in the passage's order; `best` is the position of the most telling one."""

    pieces: tuple[int, ...]
    best: int


def relevance(pieces: Sequence[Piece], claim: frozenset[int], rarity: Sequence[float]) -> list[float]:
    """Share of the claim's rarity-weighted tokens in each piece, plus what findings and the end gain."""
    whole = sum(rarity[t] for t in claim) or 1.0
    last = len(pieces) - 1
    return [
        sum(rarity[t] for t in claim.intersection(piece.ids)) / whole
        + FINDING * piece.finding
        + (_LAST if i == last else _LAST_BUT_ONE if i == last - 1 else 0.0)
        for i, piece in enumerate(pieces)
    ]


def choose_windows(
    pieces: Sequence[Piece],
    claim_ids: Sequence[int],
    rarity: Sequence[float],
    budget: int,
    limit: int,
    nearness: float = 0.0,
) -> list[Window]:
    """Pack pieces into at most `limit` windows of at most `budget` tokens, most telling pieces first.

    Inside a window a token of the claim counts fully once and a third when seen again (a cover, not a list of
    look-alikes). Every piece must itself fit the budget. Windows end where the most telling piece left has less than
    `nearness` of the relevance of the first window's: it hardly ever changes what the nearer ones said.
    """
    if not pieces:
        return []
    claim = frozenset(claim_ids)
    scores = relevance(pieces, claim, rarity)
    if sum(len(p.ids) for p in pieces) <= budget:
        return [Window(tuple(range(len(pieces))), max(range(len(pieces)), key=scores.__getitem__))]
    whole = sum(rarity[t] for t in claim) or 1.0
    shared = [claim.intersection(p.ids) for p in pieces]
    left = set(range(len(pieces)))
    windows: list[Window] = []
    while left and len(windows) < limit:
        taken: list[int] = []
        seen: set[int] = set()
        room = budget
        while fitting := [i for i in left if len(pieces[i].ids) <= room]:
            best = max(fitting, key=lambda i: (_gain(i, scores, shared, seen, rarity, whole), -i))
            taken.append(best)
            seen |= shared[best]
            left.discard(best)
            room -= len(pieces[best].ids)
        if windows and scores[taken[0]] < nearness * scores[windows[0].best]:
            break
        windows.append(Window(tuple(sorted(taken)), taken[0]))
    return windows


def about_as_near(
    pieces: Sequence[Piece], window: Window, claim_ids: Sequence[int], rarity: Sequence[float]
) -> list[int]:
    """Pieces of a window that its most telling one is hardly nearer to the claim than; none where it stands alone.

    Of pieces of the same words the first is meant.
    """
    scores = relevance(pieces, frozenset(claim_ids), rarity)
    by_words = {
        pieces[i].ids: i for i in reversed(window.pieces) if scores[i] >= _AS_NEAR * scores[window.best]
    }
    near = sorted(by_words.values(), key=lambda i: (-scores[i], i))
    return near[:_MOST_AS_NEAR] if len(near) > 1 else []


def _gain(
    i: int,
    scores: Sequence[float],
    shared: Sequence[frozenset[int]],
    seen: set[int],
    rarity: Sequence[float],
    whole: float,
) -> float:
    return scores[i] - sum(rarity[t] for t in shared[i] & seen) / whole * 2 / 3


def rarity_of(frequencies: Sequence[int], n_documents: int) -> list[float]:
    """Inverse document frequency of each token, 0 for one in every document (Robertson 2004, smoothed)."""
    return [math.log((n_documents + 1) / (f + 1)) for f in frequencies]
