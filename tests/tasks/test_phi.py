"""What leaves in a request to a language model: each text between its fences, or in its JSON, guarded by itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.chat.conversation import Message, Request
from models.chat.endpoint import Endpoint
from models.chat.fence import blocks_in
from models.chat.reply import Complaint
from models.nuggets.assignment import assignment_requests
from models.settings import Settings
from sql.warehouse import Warehouse
from tasks.asking import request_of
from tasks.phi import guarded_requests
from tasks.run import RunRef
from tasks.stages import Step

ELSEWHERE = Endpoint("https://llm.example/v1", "big")


@pytest.fixture
def step(home: Path, warehouse: Warehouse) -> Step:
    settings = Settings("d", phi="redact")
    return Step(RunRef(str(home), "run"), "assign", "fingerprint", warehouse, settings)


def test_texts_between_fences_are_redacted_and_the_fences_stay(step: Step) -> None:
    question, answer = "Can Mrs. Anna Example rest?", "Mrs. Example, born\n03/04/1961, can."
    (asked,) = assignment_requests(question, answer, ["Mrs. Example can rest."])
    before = request_of("key", asked, json.loads, "assignment", b"home")
    (after,) = guarded_requests(step, ELSEWHERE, [before])
    assert blocks_in(after.messages[1].content) == {
        "question": "Can Mrs. [name 1] rest?",
        "nuggets": "n1: Mrs. [name 2] can rest.",
        "answer": "Mrs. [name 2], born\n[date 1], can.",
    }
    first, last = 0, -1
    for place in (first, last):
        assert after.messages[1].content.split("\n")[place] == before.messages[1].content.split("\n")[place]
    assert after.read('{"said": "[name 1]"}') == {"said": "Anna Example"}


def test_what_is_wrong_with_a_reply_is_said_without_what_placeholders_mean(step: Step) -> None:
    def read(text: str) -> Any:
        if "label" in json.loads(text):
            raise Complaint(f"it says {text}")
        if "Example" in text:
            raise Complaint(f"nobody may be called {text}")
        return text

    asked = Request("key", (Message("user", "Mrs. Anna Example rests."),), read)
    (guarded,) = guarded_requests(step, ELSEWHERE, [asked])
    with pytest.raises(Complaint, match=r'it says {"label": "\[name 1\]"}'):
        guarded.read('{"label": "[name 1]"}')
    with pytest.raises(
        Complaint, match="^a placeholder in square brackets stands where none can be put back$"
    ):
        guarded.read('{"said": "[name 1]"}')
