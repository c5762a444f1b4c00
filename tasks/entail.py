"""Premise and hypothesis → entailment, neutral, contradiction: once for each distinct pair."""

from typing import Any

from models.records import PairVerdict
from models.settings import Settings
from sql.warehouse import Row
from tasks.progress import watcher
from tasks.run import RunRef
from tasks.stages import Report, Stage, Step

BATCH = 128
NO_MODEL = "no entailment model was asked for (--entailment none)"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the entailment model, its window and its calibration."""
    if settings.entailment == "none":
        return {"model": "none", "reason": NO_MODEL}
    from models.entailment import describe_entailment

    return describe_entailment(settings.entailment)


def work(step: Step) -> None:
    """Read every pair that has no verdict yet; a batch is on disk before the next is read."""
    from models.entailment import load_entailment

    asked = step.settings.entailment
    model = load_entailment(asked, warn=watcher().say)
    answered = str(model.fingerprint["name"])
    if asked.startswith("hf:") and answered != asked[3:]:
        step.pin_what_answers({**model.fingerprint, "model": answered, "asked": asked})
    for batch in step.batches(BATCH):
        verdicts = model.score([(row["premise"], row["hypothesis"]) for row in batch], step.advance)
        store(step, batch, verdicts)


def store(step: Step, batch: list[Row], verdicts: list[PairVerdict]) -> None:
    """Write one verdict a pair; a pair that the model cannot read is set aside with the reason."""
    scored = []
    for row, verdict in zip(batch, verdicts, strict=True):
        if verdict.entailment is None:
            step.set_aside(row["item_key"], "abstained", verdict.reason or "the model gave no verdict")
            continue
        scored.append(
            {
                "premise_key": row["premise_key"],
                "hypothesis_key": row["hypothesis_key"],
                "fingerprint": step.fingerprint,
                "entailment": verdict.entailment,
                "neutral": verdict.neutral,
                "contradiction": verdict.contradiction,
                "n_windows": verdict.n_windows,
                "sentence_start": verdict.sentence.start if verdict.sentence else None,
                "sentence_end": verdict.sentence.end if verdict.sentence else None,
                "coverage": verdict.coverage,
            }
        )
    step.warehouse.insert("pair_score", scored)


ENTAIL = Stage("entail", work, spec)


def entail(run: RunRef) -> Report | None:
    """Read the pairs closely; without a model, say so once."""
    if run.settings.entailment == "none":
        watcher().say(f"nothing is read for entailment: {NO_MODEL}")
        ENTAIL.pin(run)
        return None
    return ENTAIL(run)
