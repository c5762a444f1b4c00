"""Stage `entail`: entailment, neutral and contradiction of each distinct (premise, hypothesis) pair."""

from typing import Any

from medassay.models.attribution import ENTAILMENT
from medassay.models.keys import content_key
from medassay.models.nli.choosing import long_reading, weaker_than_could_be
from medassay.models.processor import has_gpu
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.models.specs import LOGPROBS
from medassay.sql.warehouse import Row
from medassay.tasks.nli.reading import reader_for
from medassay.tasks.nli.verdicts import Lost, score_row
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Stage, Step, reads_here

NO_MODEL = "no entailment model was asked for (--reader none)"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the entailment model, its window and its calibration."""
    if settings.reader == "none":
        return {"model": "none", "reason": NO_MODEL}
    if settings.reader.startswith(LOGPROBS):
        from medassay.models.nli.logprobs import describe_served

        return describe_served(settings.reader)
    from medassay.models.nli import describe_entailment

    return describe_entailment(settings.reader, on_gpu=settings.on != "here")


def work(step: Step) -> None:
    """Read pairs without a verdict, in batches."""
    pending = step.pending()
    on_gpu = has_gpu()
    if line := long_reading(step.settings.reader, len(pending), on_gpu=on_gpu):
        watcher().say(line)
    read = reader_for(step)
    for batch in read(pending):
        store(step, batch)
        step.advance(len(batch))


def store(step: Step, batch: list[tuple[Row, PairVerdict | Lost]]) -> None:
    """Write one verdict a pair; a pair that the model cannot read is set aside with the reason."""
    scored = []
    for row, verdict in batch:
        if isinstance(verdict, Lost):
            step.set_aside(row["item_key"], "failed", verdict.reason)
        elif verdict.entailment is None:
            step.set_aside(row["item_key"], "abstained", verdict.reason or "the model gave no verdict")
        else:
            scored.append(score_row(row, verdict, step.fingerprint))
    step.warehouse.insert("pair_score", scored)


def pin_actual_reader(step: Step, asked: dict[str, Any]) -> dict[str, Any]:
    """Pin a stage that builds on verdicts to the model that gave them, where another one was asked for.

    `asked` is the stage's spec, with what was asked under `entailment`. Returns the `entail` stage's fingerprint row.
    """
    (answering,) = step.warehouse.rows("from fingerprint where fingerprint = pinned('entail')")
    built_on = {**asked, "entailment": answering["fingerprint"]}
    if step.fingerprint != content_key({"stage": step.stage, **built_on}):
        step.pin_actual_model(built_on)
    return answering


def is_asked(run: RunRef) -> bool:
    """Return whether there is a model that could read; without one, say so to whoever watches."""
    if run.settings.reader == "none":
        watcher().say(f"nothing is read for entailment: {NO_MODEL}")
        return False
    return True


def prepare(run: RunRef) -> None:
    """Tell the watcher once where a stronger reader could be had; after a first pass it reads in any case."""
    settings = run.settings
    if settings.on != "here" or settings.first_pass:
        return
    if line := weaker_than_could_be(settings.reader):
        watcher().say(line)


entail = Stage(
    "entail", work, spec, ENTAILMENT, is_asked, prepare, travels=reads_here, writes=("pair_score",)
)
