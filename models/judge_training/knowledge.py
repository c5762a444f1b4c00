"""Answers from a knowledge store: the passages nearest to a question, quoted with their source and page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from medassay.models.judge_training.records import Passage
from medassay.models.usage import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SearchMethod = Literal["duckdb", "faiss"]
NOTHING_FOUND = "No passage was found."


class Library(Protocol):
    """Whatever finds passages."""

    def passages(self, question: str) -> tuple[Passage, ...]:
        """Return the passages nearest to a question, those of each store together, nearest first."""


class NoLibrary:
    """The library of a build whose evaluators may not ask."""

    def passages(self, question: str) -> tuple[Passage, ...]:
        """Return nothing."""
        return ()


class FaissIndex:
    """Exact inner-product search over vectors in memory; for vectors of length 1 that is the cosine."""

    def __init__(self, vectors: "NDArray[np.float32]") -> None:
        """Build the index.

        Args:
            vectors: float32, shape (n, dimension), rows of length 1.

        Raises:
            UsageError: where faiss is not installed.
        """
        try:
            import faiss
        except ImportError:
            raise UsageError(
                "--search faiss needs the package faiss-cpu: install it, or choose duckdb"
            ) from None
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)

    def nearest(self, vector: "NDArray[np.float32]", k: int) -> list[tuple[int, float]]:
        """Return the rows of the `k` nearest vectors and their cosines, nearest first, equals in order of rows."""
        scores, rows = self._index.search(vector.reshape(1, -1), min(k, self._index.ntotal))
        found = [(int(row), float(score)) for row, score in zip(rows[0], scores[0], strict=True) if row >= 0]
        return sorted(found, key=lambda one: (-one[1], one[0]))


def cited(passage: Passage) -> str:
    """Name where a passage stands, as people cite it."""
    return passage.source if passage.page is None else f"{passage.source}, page {passage.page}"


def answer_from(passages: Sequence[Passage]) -> str:
    """Write the answer to an evaluator's question: the passages, each after its source and page."""
    if not passages:
        return NOTHING_FOUND
    return "\n\n".join(f"{cited(passage)}:\n{passage.text}" for passage in passages)
