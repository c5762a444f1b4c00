"""Packed network inputs in a few arrays, cheap to send between processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from medassay.models.nli.encoder.tokenisation import Encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Inputs of one call, n texts of together t tokens.

    `ids` (t,) int64; `types` (t,) int64, the segments; `starts` (n + 1,) int64, where each text begins and the last one
    ends; `premise` and `hypothesis` (n, 2) int64, half open, counted from the text's start.
    """

    ids: "NDArray[np.int64]"
    types: "NDArray[np.int64]"
    starts: "NDArray[np.int64]"
    premise: "NDArray[np.int64]"
    hypothesis: "NDArray[np.int64]"

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> "NDArray[np.int64]":
        """Tokens of each text, (n,)."""
        found: NDArray[np.int64] = self.starts[1:] - self.starts[:-1]
        return found


def packed(encoded: Sequence[Encoded]) -> Batch:
    """Put inputs end to end."""
    import numpy as np

    starts = np.array([0, *accumulate(len(e.ids) for e in encoded)], dtype=np.int64)
    ids, types = (
        np.fromiter(chain.from_iterable(parts), dtype=np.int64, count=int(starts[-1]))
        for parts in ((e.ids for e in encoded), (e.types or (0,) * len(e.ids) for e in encoded))
    )
    premise, hypothesis = (
        np.array(bounds, dtype=np.int64).reshape(-1, 2)
        for bounds in ([e.premise for e in encoded], [e.hypothesis for e in encoded])
    )
    return Batch(ids, types, starts, premise, hypothesis)
