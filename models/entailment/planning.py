"""Pairs made ready for a network: windows chosen, signals read, the first input built."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from medassay.models.entailment.cues import cues
from medassay.models.entailment.evidence import Piece, Window, choose_windows, coverage
from medassay.models.entailment.overview import overview_cues
from medassay.models.entailment.protocol import Pair
from medassay.models.entailment.reading import Encoded, Reader
from medassay.models.entailment.settings import Reading

Row = tuple[float, float, float]


@dataclass(slots=True)
class Work:
    """One distinct pair on its way to a verdict: what may be read of it, what was read, and if nothing, why not."""

    pair: Pair
    pieces: Sequence[Piece]
    claim: tuple[int, ...]
    windows: list[Window]
    first: Encoded | None = None
    rows: list[Row] = field(default_factory=list)
    reason: str | None = None

    @property
    def deciding(self) -> int:
        """The window whose decision counts: the surest of either."""
        return max(range(len(self.rows)), key=lambda i: (max(self.rows[i][::2]), -i))


@dataclass(frozen=True, slots=True)
class Planner:
    """What is needed to make pairs ready: no network, so that a process of its own can hold it."""

    reader: Reader
    reading: Reading
    rarity: Sequence[float]
    with_cues: bool

    def plan(self, pairs: Sequence[Pair]) -> list[Work]:
        """Choose the windows of distinct pairs and build the first one's input."""
        claims = {claim: self.reader.ids(claim) for claim in {claim for _, claim in pairs}}
        pieces = {p: self.reader.pieces(p, self.reading.premise_tokens) for p in {p for p, _ in pairs}}
        return [self._planned(pair, pieces[pair[0]], claims[pair[1]]) for pair in pairs]

    def _planned(self, pair: Pair, pieces: Sequence[Piece], claim: tuple[int, ...]) -> Work:
        reading = self.reading
        work = Work(pair, pieces, claim, [])
        if not claim:
            work.reason = "the claim is empty"
        elif len(claim) > reading.longest_claim:
            upto = reading.longest_claim
            work.reason = f"the claim has {len(claim)} tokens and the model reads {upto}; it is not cut"
        elif not pieces:
            work.reason = "the passage is empty"
        else:
            work.windows = choose_windows(
                pieces, claim, self.rarity, reading.premise_tokens, reading.windows, reading.nearness
            )
            work.first = self._read(work, 0)
        return work

    def input(self, work: Work, window: int) -> Encoded:
        """Return the network input of a pair's claim and one of its windows."""
        return work.first if window == 0 and work.first else self._read(work, window)

    def _read(self, work: Work, window: int) -> Encoded:
        return read_window(
            self.reader,
            work.pair,
            work.pieces,
            work.windows[window],
            work.claim,
            self.rarity,
            with_cues=self.with_cues,
        )


def read_window(
    reader: Reader,
    pair: Pair,
    pieces: Sequence[Piece],
    window: Window,
    claim: Sequence[int],
    rarity: Sequence[float],
    *,
    with_cues: bool,
) -> Encoded:
    """Make a network input of a pair's claim and one window over the pieces of its premise."""
    chosen = [pieces[i] for i in window.pieces]
    signals: list[float] = []
    if with_cues:
        texts = [pair[0][p.span.start : p.span.end] for p in chosen]
        everything = [pair[0][p.span.start : p.span.end] for p in pieces]
        signals = cues(texts, pair[1], coverage(pieces, chosen, claim, rarity))
        signals += overview_cues(everything, pair[1])
    return reader.pair([t for p in chosen for t in p.ids], claim, signals)
