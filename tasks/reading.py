"""Who reads pairs for a run: the entailment model in this process, a language model, or the GPU work pool.

Every reader takes rows with `item_key`, `premise_key`, `hypothesis_key`, `premise` and `hypothesis`, and yields
them in batches with what came of each, so that a batch is on disk before the next is read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from models.records import PairVerdict
from sql.warehouse import Row
from tasks.progress import watcher
from tasks.stages import Step

BATCH = 128


@dataclass(frozen=True, slots=True)
class Lost:
    """A pair without a verdict for a reason of the world; it is asked again by the next run."""

    reason: str


Readings = Iterator[list[tuple[Row, PairVerdict | Lost]]]
PairReader = Callable[[Sequence[Row]], Readings]


def reader_for(step: Step) -> PairReader:
    """Choose who reads this run's pairs; nothing is loaded before the first pair is asked for."""
    asked = step.settings.entailment
    if asked.startswith(("http://", "https://")):
        from tasks.citation_checking import checked_by_chat

        return lambda rows: checked_by_chat(step, rows)
    if step.settings.entail_on == "gpu":
        from tasks.pool import read_on_the_pool

        return lambda rows: read_on_the_pool(step, rows)
    return _read_here(step)


def _read_here(step: Step) -> PairReader:
    from models.entailment import load_entailment

    asked = step.settings.entailment
    model = load_entailment(asked, warn=watcher().say)
    answered = str(model.fingerprint["name"])
    if step.stage == "entail" and asked.startswith("hf:") and answered != asked[3:]:
        step.pin_what_answers({**model.fingerprint, "model": answered, "asked": asked})

    def read(rows: Sequence[Row]) -> Readings:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            verdicts = model.score([(row["premise"], row["hypothesis"]) for row in batch], None)
            yield list(zip(batch, verdicts, strict=True))

    return read


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
    }
