"""Nuggets asked of a model: window after window, ten grades at a time, all windows of a reference or nothing."""

import json
import re
from collections.abc import Sequence
from typing import Any

from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.fence import blocks_in
from medassay.models.chat.reply import Complaint
from medassay.tasks.nuggets.generation import make
from medassay.tasks.stages.nuggets import provenance

LONG = " ".join(f"Drug {n} lowers marker {n} by {n} percent." for n in range(1, 13))


class Model:
    """Answers at once, without a wire; keeps what it was asked, batch by batch."""

    def __init__(self, *, fails: str = "", abstains: str = "") -> None:
        self.fails, self.abstains = fails, abstains
        self.batches: list[list[str]] = []

    def __call__(self, requests: Sequence[Request[Any]]) -> list[Outcome[Any]]:
        self.batches.append([f"{request.item_key} {request.schema_name}" for request in requests])
        return [self.answer(request) for request in requests]

    def answer(self, request: Request[Any]) -> Outcome[Any]:
        shown = blocks_in(request.messages[1].content)
        if request.item_key == self.fails:
            return Outcome(request.item_key, "failed", None, "the connection failed")
        if request.item_key == self.abstains and request.schema_name == "grades":
            reply: Any = {"verdicts": [{"id": "n1", "importance": "vital"}]}
        elif request.schema_name == "grades":
            ids = request.schema["properties"]["verdicts"]["items"]["properties"]["id"]["enum"]  # type: ignore[index]
            reply = {"verdicts": [{"id": name, "importance": "okay"} for name in ids]}
        else:
            listed = shown["nuggets so far"].splitlines()
            so_far = [line[2:] for line in listed if line.startswith("- Drug")]
            found = re.findall(r"Drug [^.]+", shown["context"])
            reply = {"nuggets": [*so_far, *found]}
        try:
            return Outcome(request.item_key, "answered", request.read(json.dumps(reply)), None)
        except Complaint as complaint:
            return Outcome(request.item_key, "abstained", None, str(complaint))


def row(key: str, reference: str) -> dict[str, str]:
    return {"item_key": key, "question": "Which drugs work?", "reference_answer": reference}


def test_windows_follow_each_other_and_grades_come_ten_at_a_time() -> None:
    model = Model()
    made = make([row("long", LONG), row("short", "Drug 1 helps. Drug 2 does not.")], model, b"home")
    assert model.batches == [
        ["long nuggets", "short nuggets"],
        ["long nuggets"],
        ["long grades", "long grades", "short grades"],
    ]
    assert len(made["long"]) == 12
    first, last = made["long"][0], made["long"][-1]
    assert (first.importance, LONG[first.start : first.end]) == (
        "okay",
        "Drug 1 lowers marker 1 by 1 percent.",
    )
    assert LONG[last.start : last.end] == "Drug 12 lowers marker 12 by 12 percent."


def test_a_reference_that_fails_leaves_the_others_alone() -> None:
    made = make([row("down", LONG), row("up", "Drug 1 helps.")], Model(fails="down"), b"home")
    assert made["down"] == ("failed", "the connection failed")
    assert len(made["up"]) == 1


def test_nuggets_whose_grading_gave_nothing_usable_are_kept_as_vital() -> None:
    made = make([row("long", LONG)], Model(abstains="long"), b"home")
    assert [(nugget.importance, nugget.graded) for nugget in made["long"]] == [("vital", False)] * 12
    assert provenance(made["long"][0]) == (
        "characters 0–36 of the reference answer; the model gave no usable grade of its importance, so it counts as vital"
    )
