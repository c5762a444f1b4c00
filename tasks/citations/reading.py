"""Who reads pairs for a run: the entailment model in this process, a language model, or the GPU work pool.

Every reader takes rows with `item_key`, `premise_key`, `hypothesis_key`, `premise` and `hypothesis`, and yields
them in batches with what came of each, so that a batch is on disk before the next is read.
"""

from collections.abc import Sequence

from sql.warehouse import Row
from tasks.citations.shard_place import is_asked_by_address, reads_on_the_pool
from tasks.citations.verdicts import PairReader, Readings
from tasks.progress import watcher
from tasks.stages import Step

BATCH = 128


def reader_for(step: Step) -> PairReader:
    """Choose who reads this run's pairs; nothing is loaded before the first pair is asked for."""
    if is_asked_by_address(step.settings):
        from tasks.citations.citation_checking import checked_by_chat

        return lambda rows: checked_by_chat(step, rows)
    if reads_on_the_pool(step.settings):
        from tasks.citations.pool import read_on_the_pool

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
