"""What comes of a pair that was read: a verdict, or the reason why there is none yet."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from medassay.models.records import PairVerdict
from medassay.sql.warehouse import Row


@dataclass(frozen=True, slots=True)
class Lost:
    """A pair without a verdict for a reason of the world; it is asked again by the next run."""

    reason: str


Readings = Iterator[list[tuple[Row, PairVerdict | Lost]]]
PairReader = Callable[[Sequence[Row]], Readings]


def score_row(row: Row, verdict: PairVerdict, fingerprint: str) -> Row:
    """Lay a verdict out as a row of `pair_score`."""
    return {
        "premise_key": row["premise_key"],
        "hypothesis_key": row["hypothesis_key"],
        "fingerprint": fingerprint,
        "entailment": verdict.entailment,
        "neutral": verdict.neutral,
        "contradiction": verdict.contradiction,
        "n_windows": verdict.n_windows,
        "sentence_start": verdict.sentence.start if verdict.sentence else None,
        "sentence_end": verdict.sentence.end if verdict.sentence else None,
        "coverage": verdict.coverage,
        "remark": verdict.remark,
        "reader": verdict.reader,
    }
