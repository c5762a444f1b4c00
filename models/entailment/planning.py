"""Pairs made ready for a network: windows chosen, the first input built."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from medassay.models.entailment.evidence import Piece, Window, choose_windows
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
        return read_window(self.reader, work.pieces, work.windows[window], work.claim)


def read_window(reader: Reader, pieces: Sequence[Piece], window: Window, claim: Sequence[int]) -> Encoded:
    """Make a network input of a claim and one window over the pieces of its premise."""
    return reader.pair([token for i in window.pieces for token in pieces[i].ids], claim)
