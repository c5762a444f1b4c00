"""Who reads pairs for a run: the entailment model in this process, a language model, or the GPU work pool.

Every reader takes rows with `item_key`, `premise_key`, `hypothesis_key`, `premise` and `hypothesis`, and yields
them in batches with what came of each, so that a batch is on disk before the next is read.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from models.keys import content_key
from models.records import PairVerdict
from sql.warehouse import Row
from tasks.citations.shard_place import is_asked_by_address, reads_on_the_pool
from tasks.citations.verdicts import Lost, PairReader, Readings
from tasks.kept_models import loaded
from tasks.progress import watcher
from tasks.stages import Step

if TYPE_CHECKING:
    from models.entailment.protocol import EntailmentModel


def reader_for(step: Step) -> PairReader:
    """Choose who reads this run's pairs; nothing is loaded before the first pair is asked for."""
    if is_asked_by_address(step.settings):
        from tasks.citations.citation_checking import checked_by_chat

        return lambda rows: checked_by_chat(step, rows)
    if reads_on_the_pool(step.settings):
        from tasks.citations.pool import read_on_the_pool

        return lambda rows: lost_without_a_number(read_on_the_pool(step, rows))
    read_here = _read_here(step)
    return lambda rows: lost_without_a_number(read_here(rows))


def lost_without_a_number(readings: Readings) -> Readings:
    """Call a pair lost for which the model gave no number: that says something of the machine, not of the pair.

    A claim that is too long stays so; what overflowed here once may not on another device, or in another batch.
    """
    from models.entailment.judging import NO_NUMBER

    for batch in readings:
        yield [
            (row, Lost(NO_NUMBER))
            if isinstance(verdict, PairVerdict) and verdict.entailment is None and verdict.reason == NO_NUMBER
            else (row, verdict)
            for row, verdict in batch
        ]


def _read_here(step: Step) -> PairReader:
    from models.entailment import load_entailment

    asked = step.settings.entailment
    model = loaded("entailment", asked, lambda: load_entailment(asked, warn=watcher().say))
    answered = str(model.fingerprint["name"])
    if step.stage == "entail":
        _pin(step, model, answered)
    else:
        (named,) = step.warehouse.rows("select spec from fingerprint where fingerprint = pinned('entail')")
        if (counted := json.loads(named["spec"])["model"]) != answered:
            # Its verdicts would stand under the other's name.
            reason = f"{counted}, whose verdicts this run has, cannot be loaded, and {answered} may not answer for it"
            return lambda rows: iter([[(row, Lost(reason)) for row in rows]])

    def read(rows: Sequence[Row]) -> Readings:
        for start in range(0, len(rows), model.pairs_at_once):
            batch = rows[start : start + model.pairs_at_once]
            verdicts = model.score([(row["premise"], row["hypothesis"]) for row in batch], None)
            yield list(zip(batch, verdicts, strict=True))

    return read


def _pin(step: Step, model: "EntailmentModel", answered: str) -> None:
    """Have verdicts stand under who gives them: a model in place of the one asked for, or one fetched only now."""
    asked = step.settings.entailment
    if asked.startswith("hf:") and answered != asked[3:]:
        step.pin_what_answers({**model.fingerprint, "model": answered, "asked": asked})
        return
    from models.entailment import describe_entailment

    here = describe_entailment(asked)
    if step.fingerprint != content_key({"stage": step.stage, **here}):
        step.pin_what_answers(here)
