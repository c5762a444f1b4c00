"""HealthBench (Professional and simple-evals' results too): conversations with weighted criteria, and marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, first_of, listed
from medassay.models.intake.conversations import ends_with_a_reply, opening
from medassay.models.intake.names import conversation, is_conversation
from medassay.models.intake.rows import Place
from medassay.models.intake.whole_records import whole_record

_VERDICTS = ("criteria_met", "explanation")
_OF_RESULTS = re.compile(
    r"^healthbench(?:_hard|_consensus|_professional)?_|(?:_\d{8}_\d{6})?(?:_debug)?_allresults$"
)
"""What simple-evals puts around the model's name in the name of a file of results."""
_ANSWERS = {"answers": "answers", "completion": "answer", "response": "answer", "answer": "answer"}


@dataclass
class _Marked:
    """A question of the meta-evaluation, which has a row for each completion, criterion and its marks."""

    question: Record
    place: Place
    systems: dict[str, str] = field(default_factory=dict)
    """The name of each completion, by its id or its text."""


class HealthBench:
    """Yields questions as they come; those of the meta-evaluation, spread over many rows, at the end."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.marked: dict[str, _Marked] = {}
        self.waiting: list[Found] = []

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield a question with its criteria, and the answers in its row; take a row of marks up."""
        if isinstance(record.get("rubric"), str):
            self._take(record, place)
            return
        tags = [tag for tag in listed(record.get("example_tags")) if isinstance(tag, str)]
        question = _question(record)
        question["criteria"] = [
            {**item, "tags": [*listed(item.get("tags")), *tags]} if isinstance(item, dict) else item
            for item in map(_criterion, listed(first_of(record, "rubrics", "criteria", "rubric_items")))
        ]
        question["category"] = next(
            (tag for tag in tags if tag.startswith("theme:")), record.get("specialty")
        )
        given = {own: _said(record[name]) for name, own in _ANSWERS.items() if record.get(name) is not None}
        if not given and ends_with_a_reply(asked := _asked(record)):  # the system's own conversation
            question["question"], given = opening(asked), {"turns": asked}
        yield "question", question, place
        if given:
            system = first_of(record, "system", "model") or _OF_RESULTS.sub("", self.stem) or self.stem
            whole = {"question_id": question["question_id"], "system": system, **given}
            for kind, row in whole_record(whole):
                yield kind, {"system": system, **row}, place

    def _take(self, record: Record, place: Place) -> None:
        question = _question(record)
        known = self.marked.setdefault(question["question_id"], _Marked(question | {"criteria": []}, place))
        criterion = {
            "text": record["rubric"],
            "points": first_of(record, "points") or 1,
            "tags": [record["category"]] if record.get("category") else [],
        }
        if criterion["text"] not in (one["text"] for one in known.question["criteria"]):
            known.question["criteria"].append(criterion)
        named = str(first_of(record, "completion_id") or record["completion"])
        own: Record = {"question_id": question["question_id"]}
        if named not in known.systems:
            known.systems[named] = str(
                first_of(record, "system", "model") or f"completion {len(known.systems) + 1}"
            )
            answer = own | {"system": known.systems[named], "answer": record["completion"]}
            self.waiting.append(("answer", answer, place))
        people = listed(record.get("anonymized_physician_ids"))
        for number, met in enumerate(listed(record.get("binary_labels"))):
            mark = {
                "system": known.systems[named],
                "annotator": f"physician {people[number] if number < len(people) else number + 1}",
                "metric": "criterion_label",
                "target": "criterion",
                "role": record.get("role") or "tune",
                "item": record["rubric"],
                "label": "met" if met else "not met",
            }
            self.waiting.append(("human_score", own | mark, place))

    def rest(self) -> Iterator[Found]:
        """Yield the questions of the meta-evaluation, then their completions and marks."""
        for one in self.marked.values():
            yield "question", one.question, one.place
        yield from self.waiting


def _criterion(item: Any) -> Any:
    """Return a criterion by the names of HealthBench, a grader's verdict left out."""
    if not isinstance(item, dict):
        return item
    named = {"criterion" if name == "criterion_text" else name: value for name, value in item.items()}
    return {name: value for name, value in named.items() if name not in _VERDICTS}


def _said(completion: Any) -> Any:
    """Return the answer of a completion that is a list of messages, as simple-evals writes it."""
    if is_conversation(completion) and completion[-1]["role"] == "assistant":
        return completion[-1]["content"]
    return completion


def _asked(record: Record) -> Any:
    """Return the conversation, which HealthBench Professional keeps in `conversation.messages`."""
    held = record.get("prompt") or record.get("conversation")
    return held.get("messages") if isinstance(held, dict) else held


def _question(record: Record) -> Record:
    ideal: Any = record.get("ideal_completions_data")
    written = ideal.get("ideal_completion") if isinstance(ideal, dict) else record.get("physician_response")
    return {
        "question_id": first_of(record, "prompt_id", "question_id", "id"),
        "question": conversation(_asked(record)),
        "reference_answer": written,
    }


def recognises(record: Record) -> bool:
    """Return whether a record holds a conversation and criteria, or a completion of one with a criterion."""
    return is_conversation(_asked(record)) and (
        any(isinstance(record.get(name), list) for name in ("rubrics", "criteria", "rubric_items"))
        or {"rubric", "completion"} <= record.keys()
    )


ADAPTER = Adapter("HealthBench", recognises, HealthBench)
