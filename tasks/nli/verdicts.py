"""Verdicts of pairs, or the reason why there is none yet."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from medassay.models.nli.choosing import address_of
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
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


SETTLED_BY_ENCODER = ("entail", "guidance")
"""Stages whose pairs the encoder of a cascade may settle."""


def is_asked_by_address(settings: Settings) -> bool:
    """Return whether a language model behind an address is the reader."""
    return address_of(settings.reader) is not None
