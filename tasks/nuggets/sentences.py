"""Answers → whole sentences, each labelled by the run's language model: what `--profile bioace` is made of."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Outcome
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.keys import content_key, text_key
from medassay.models.nuggets import sentence_labels
from medassay.models.nuggets.requests import ModelRequest
from medassay.models.nuggets.sentence_labels import SentenceLabel
from medassay.models.records import Citation, Claim
from medassay.models.settings import Settings
from medassay.models.text.sentences.answer_sentences import AnswerSentence, answer_sentences
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks import decompose
from medassay.tasks.asking import asked_by_row, asking, describe_llm
from medassay.tasks.run import RunRef
from medassay.tasks.secret import home_secret
from medassay.tasks.stages import Stage, Step

SPLIT_AT_ONCE = 500
ASKED_AT_ONCE = 32
SCHEMA_NAME = "sentence_labels"


def split_sentences(run: RunRef) -> None:
    """Store the sentences of the run's answers, those that are not there yet."""
    warehouse = run.warehouse
    answers = warehouse.rows(
        "select distinct answer_key, text from current_answer"
        " anti join (from answer_sentence where fingerprint = pinned('decompose')) using (answer_key)"
        " order by answer_key"
    )
    for start in range(0, len(answers), SPLIT_AT_ONCE):
        batch = answers[start : start + SPLIT_AT_ONCE]
        parts = parts_of(warehouse, [row["answer_key"] for row in batch])
        found = [
            (row["answer_key"], sentence)
            for row in batch
            for sentence in answer_sentences(row["text"], parts[row["answer_key"]])
        ]
        store_sentences(warehouse, found)


def store_sentences(warehouse: Warehouse, found: Sequence[tuple[str, AnswerSentence]]) -> None:
    """Write sentences with their texts."""
    fingerprint = warehouse.value("select pinned('decompose')")
    with warehouse.transaction():
        warehouse.insert("text", [{"text_key": text_key(s.text), "text": s.text} for _, s in found])
        warehouse.insert(
            "answer_sentence",
            [
                {
                    "answer_key": answer_key,
                    "fingerprint": fingerprint,
                    "position": sentence.position,
                    "text_key": text_key(sentence.text),
                    "span_start": sentence.start,
                    "span_end": sentence.end,
                }
                for answer_key, sentence in found
            ],
        )


def parts_of(warehouse: Warehouse, answer_keys: Sequence[str]) -> dict[str, list[Claim]]:
    """Rebuild the claims and non-claims of answers, as far as sentences need them."""
    wanted = {"answers": list(answer_keys)}
    markers: dict[tuple[str, int], list[Citation]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_citation where answer_key in (select unnest($answers)) order by ordinal", wanted
    ):
        markers[row["answer_key"], row["claim_position"]].append(
            Citation(row["ordinal"], row["marker"], row["source_id"], row["span_start"], row["span_end"])
        )
    parts: dict[str, list[Claim]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_claim where answer_key in (select unnest($answers)) order by answer_key, position",
        wanted,
    ):
        key = row["answer_key"]
        parts[key].append(
            Claim(
                row["position"],
                row["text"],
                row["span_start"],
                row["span_end"],
                row["kind"],
                row["kind_reason"],
                citations=tuple(markers[key, row["position"]]),
            )
        )
    return parts


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
    """Ask about the sentences of every answer that lacks a label."""
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


def sentences_of(warehouse: Warehouse, answer_keys: Sequence[str]) -> dict[str, list[str]]:
    """Return the sentences of answers, in order."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_sentence where answer_key in (select unnest($answers)) order by answer_key, position",
        {"answers": list(answer_keys)},
    ):
        texts[row["answer_key"]].append(row["text"])
    return texts


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


def prepare(run: RunRef) -> bool:
    """Split the answers where the profile wants labels and there is a model to ask."""
    if run.settings.profile != "bioace" or describe_llm(run.settings) is None:
        return False
    split_sentences(run)
    return True


label_sentences = Stage(
    "label", work, spec, prepare, retries=1, reads=("claim",), writes=("answer_sentence", "sentence_label")
)
