"""K-QA: questions with physicians' nuggets, rows of labels that hold the answers they label, and result files."""

from collections.abc import Iterator

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, listed, record_by_record
from medassay.models.intake.rows import Kind, Place
from medassay.models.keys import content_key

_LABEL_ROW = {"question_id", "system", "answer", "nugget", "labels"}


class Labels:
    """Yields each distinct answer once, and every physician's label."""

    def __init__(self, stem: str) -> None:
        self.seen: set[tuple[str, str, str]] = set()

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield the answer when it is new, and one human label a physician."""
        labelled = {"question_id": record["question_id"], "system": record["system"]}
        key = content_key([labelled, record["answer"]])
        if (*labelled.values(), key) not in self.seen:
            self.seen.add((*labelled.values(), key))
            yield "answer", labelled | {"answer": record["answer"]}, place
        labels = record["labels"] if isinstance(record["labels"], list) else [record["labels"]]
        for number, label in enumerate(labels, 1):
            score = {
                "annotator": f"physician {number}",
                "metric": "nugget_label",
                "target": "nugget",
                "role": record.get("role") or "tune",
                "item": record["nugget"],
                "label": label,
            }
            yield "human_score", labelled | score, place

    def rest(self) -> Iterator[Found]:
        """Yield nothing: no record waits."""
        return iter(())


def original(record: Record, stem: str) -> Iterator[tuple[Kind, Record]]:
    """Yield a question of the published file, or an answer of a result file; both are known by the question's words."""
    identity = f"kqa-{content_key(record['Question'])[:12]}"
    if "result" in record:
        yield "answer", {"question_id": identity, "system": stem, "answer": record["result"]}
        return
    nuggets = [{"text": text, "importance": "vital"} for text in listed(record.get("Must_have"))]
    nuggets += [{"text": text, "importance": "okay"} for text in listed(record.get("Nice_to_have"))]
    yield (
        "question",
        {
            "question_id": identity,
            "question": record["Question"],
            "reference_answer": record.get("Free_form_answer"),
            "nuggets": nuggets,
        },
    )


LABELS = Adapter("K-QA", lambda record: _LABEL_ROW <= record.keys(), Labels)
ORIGINAL = record_by_record(
    "K-QA",
    lambda record: "Question" in record and ("result" in record or "Must_have" in record),
    original,
)
