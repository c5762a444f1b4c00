"""K-QA: questions with physicians' nuggets, and rows of labels that hold the answers they label."""

from collections.abc import Iterator
from typing import Any

from models.intake.rows import Kind

NAME = "K-QA"


def recognises(value: dict[str, Any]) -> bool:
    """Say whether a row labels a nugget in an answer."""
    return {"question_id", "system", "answer", "nugget", "labels"} <= value.keys()


class Converter:
    """Yields each distinct answer once, and every physician's label."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def convert(self, value: dict[str, Any]) -> Iterator[tuple[Kind, dict[str, Any]]]:
        """Yield the answer when it is new, and one human label a physician."""
        key = (value["question_id"], value["system"])
        if key not in self.seen:
            self.seen.add(key)
            yield "answer", {"question_id": key[0], "system": key[1], "answer": value["answer"]}
        for number, label in enumerate(value["labels"], 1):
            yield (
                "human_score",
                {
                    "question_id": key[0],
                    "system": key[1],
                    "annotator": f"physician {number}",
                    "metric": "nugget_label",
                    "target": "nugget",
                    "role": "tune",
                    "item": value["nugget"],
                    "label": label,
                },
            )
