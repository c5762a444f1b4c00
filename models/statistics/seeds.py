"""Seeds from the data: the same rows in any order give the same resamples, other rows give others."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medassay.models.statistics.resampling import Floats


@dataclass(frozen=True, slots=True)
class Arranged:
    """Rows without gaps, in an order of their own; `codes` numbers each row's question from 0."""

    codes: NDArray[np.int64]
    columns: tuple[Floats, ...]
    n_questions: int
    seed: int


def seed_of(*arrays: ArrayLike) -> int:
    """Return a seed of 32 bits that depends on the arrays, in their order, and on nothing else."""
    digest = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        digest.update(repr((values.shape, values.dtype.kind)).encode())
        digest.update(values.tobytes())
    return int.from_bytes(digest.digest()[:4], "big")


def arrange(questions: Sequence[Hashable], *columns: ArrayLike) -> Arranged:
    """Drop rows that lack a value, sort the rest, and derive the seed, so that no result depends on row order.

    Args:
        questions: the question (or other unit of resampling) of each row; sorted by their text.
        columns: numbers of the same length, NaN where there is none.
    """
    values = [np.asarray(column, dtype=np.float64) + 0.0 for column in columns]  # −0.0 becomes 0.0
    names = {name: n for n, name in enumerate(sorted(set(questions), key=str))}
    codes = np.fromiter((names[name] for name in questions), dtype=np.int64, count=len(questions))
    whole = np.ones(len(codes), dtype=np.bool_)
    for column in values:
        whole &= np.isfinite(column)
    found, codes = np.unique(codes[whole], return_inverse=True)
    values = [column[whole] for column in values]
    order = np.lexsort((*reversed(values), codes))
    codes, values = codes[order].astype(np.int64), [column[order] for column in values]
    return Arranged(codes, tuple(values), len(found), seed_of(codes, *values))
