"""The same pair read otherwise in every pass: another share of the passage, so that it is not learnt by heart."""

import random
from collections.abc import Sequence
from dataclasses import replace

from medassay.models.entailment.evidence import Piece, choose_windows, relevance
from medassay.models.entailment.planning import read_window
from medassay.models.entailment.reading import Encoded, Reader
from medassay.models.entailment.training.pairs import LabelledPair

LEFT_OUT = 0.25
"""The chance of each sentence to be missing, but for the one nearest to the claim."""
LEAST_ROOM = 0.7
"""A window has at least this share of the room that one has when the model serves."""
MASKED = 0.05
"""The chance of each of the passage's tokens to be hidden."""


def varied(
    pair: LabelledPair,
    reader: Reader,
    rarity: Sequence[float],
    premise_tokens: int,
    longest_claim: int,
    chance: random.Random,
) -> Encoded:
    """Read a pair through a window over some of its sentences, with some tokens of the passage hidden."""
    claim = reader.ids(pair.hypothesis)[:longest_claim]
    pieces = _some(reader.pieces(pair.premise, premise_tokens), claim, rarity, chance)
    longest = max(len(piece.ids) for piece in pieces)
    room = max(longest, round(premise_tokens * chance.uniform(LEAST_ROOM, 1.0)))
    window = choose_windows(pieces, claim, rarity, room, 1)[0]
    texts = (pair.premise, pair.hypothesis)
    read = read_window(reader, texts, pieces, window, claim, rarity, with_cues=True)
    return _masked(read, reader.mask_id, chance)


def _some(
    pieces: Sequence[Piece], claim: Sequence[int], rarity: Sequence[float], chance: random.Random
) -> list[Piece]:
    scores = relevance(pieces, frozenset(claim), rarity)
    nearest = max(range(len(pieces)), key=scores.__getitem__)
    return [piece for i, piece in enumerate(pieces) if i == nearest or chance.random() >= LEFT_OUT]


def _masked(read: Encoded, mask_id: int | None, chance: random.Random) -> Encoded:
    if mask_id is None:
        return read
    first, last = read.premise
    hidden = [
        mask_id if first <= at < last and chance.random() < MASKED else token
        for at, token in enumerate(read.ids)
    ]
    return replace(read, ids=tuple(hidden))
