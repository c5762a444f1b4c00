"""Stage `label`: sentence labels by the run's language model, for `--profile bioace`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.attribution import LLM
from medassay.models.chat.conversation import Outcome
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.keys import content_key
from medassay.models.nuggets import sentence_labels
from medassay.models.nuggets.requests import ModelRequest
from medassay.models.nuggets.sentence_labels import SentenceLabel
from medassay.models.settings import Settings
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Row
from medassay.tasks.answer_sentences import sentences_of, split_sentences
from medassay.tasks.asking import asked_by_row, asking, describe_llm
from medassay.tasks.run import RunRef
from medassay.tasks.stages import decompose
from medassay.tasks.stages.stage import Stage, Step

ASKED_AT_ONCE = 32
SCHEMA_NAME = "sentence_labels"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the model, its prompt, and whose sentences it is shown."""
    asked = describe_llm(settings)
    if asked is None:
        return {"llm": "none"}
    return {**asked, **sentence_labels.describe(), "claims": content_key(decompose.spec(settings))}


@dataclass
class Batch:
    """Up to twenty sentences of one answer, as they were asked about."""

    asked: ModelRequest
    labels: dict[int, SentenceLabel] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Take the labels of a reply; what it lacks is asked for once more, and what it gave is kept.

        Raises:
            Complaint: naming each id without exactly one good label.
        """
        found = sentence_labels.read_labels(self.asked, read_objects(text)[0].value)
        self.labels |= {place: label for place, (label, _) in found.items() if label is not None}
        if left := [f"s{place + 1}: {reason}" for place, (_, reason) in found.items() if reason is not None]:
            raise Complaint("; ".join(left))


def work(step: Step) -> None:
    """Ask the language model for labels of sentences."""
    with asking(step) as ask:
        for rows in step.batches(ASKED_AT_ONCE):
            texts = sentences_of(step.warehouse, [row["answer_key"] for row in rows])
            parts = [
                (row, Batch(request))
                for row in rows
                for request in sentence_labels.label_requests(row["question"], texts[row["answer_key"]])
            ]
            found = asked_by_row(ask, rows, parts, SCHEMA_NAME, home_secret(Path(step.run.home)))
            with step.warehouse.transaction():
                for row, mine in found:
                    finish(step, row, mine)
            step.advance(len(rows))


def finish(step: Step, row: Row, parts: Sequence[tuple[Batch, Outcome[None]]]) -> None:
    """Write the labels of one answer, and set it aside where some are missing."""
    for state in ("failed", "abstained"):
        if reasons := [outcome.reason for _, outcome in parts if outcome.status == state]:
            step.set_aside(row["item_key"], state, reasons[0] or "the model gave no reason")
            break
    step.warehouse.insert(
        "sentence_label",
        [
            {
                "answer_key": row["answer_key"],
                "fingerprint": step.fingerprint,
                "position": position,
                "label": label,
                "model_answered": next((c.model_answered for c in outcome.calls if c.model_answered), None),
            }
            for batch, outcome in parts
            for position, label in batch.labels.items()
        ],
    )


def is_asked(run: RunRef) -> bool:
    """Return whether the profile wants labels and there is a model to ask."""
    return run.settings.profile == "bioace" and describe_llm(run.settings) is not None


label = Stage(
    "label",
    work,
    spec,
    LLM,
    is_asked,
    split_sentences,
    retries=1,
    reads=("claim",),
    writes=("answer_sentence", "sentence_label"),
)
