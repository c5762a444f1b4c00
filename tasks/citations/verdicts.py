"""Verdicts of pairs, or the reason why there is none yet; where pairs for the GPU pool lie."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.entailment.shard_files import Storage
from medassay.models.readers.choosing import CASCADE, LANGUAGE_MODEL, address_of
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.run import RunRef


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


def storage_of(home: Path | str) -> Storage:
    """Return where shards travel: `MEDASSAY_SHARDS` (a folder or any fsspec URL), else `shards` in the home."""
    return Storage(os.environ.get("MEDASSAY_SHARDS") or str(Path(home).absolute() / "shards"))


def reads_on_the_pool(settings: Settings) -> bool:
    """Say whether a run's pairs go to the GPU work pool: a language model is asked from here."""
    return settings.entail_on == "gpu" and settings.reader != "none" and not is_asked_by_address(settings)


SETTLED_BY_ENCODER = ("entail", "guidance")
"""Stages whose pairs the encoder of a cascade may settle."""


def pool_reader(stage: str, settings: Settings) -> str:
    """Return which reader the pool is asked for by a stage.

    Of the cascade only the language model for the facts of a claim or nugget, as on this machine: they are read where
    the whole is in doubt, and the encoder has nothing to settle.
    """
    return (
        LANGUAGE_MODEL if stage not in SETTLED_BY_ENCODER and settings.reader == CASCADE else settings.reader
    )


def is_asked_by_address(settings: Settings) -> bool:
    """Say whether a language model behind an address is the reader."""
    return address_of(settings.reader) is not None


def storage_elsewhere(run: RunRef) -> Endpoint | None:
    """Return the place that a run's pairs are sent to, None where they stay among the files of this machine."""
    if not reads_on_the_pool(run.settings):
        return None
    storage = storage_of(run.home)
    return None if storage.is_here else Endpoint(storage.url, "shards", known_as=storage.url)
