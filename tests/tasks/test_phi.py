"""What leaves in a request to a language model: each text between its fences, or in its JSON, guarded by itself."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fsspec import register_implementation
from fsspec.implementations.memory import MemoryFileSystem

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import blocks_in
from medassay.models.chat.reply import Complaint
from medassay.models.judges.judgement import JudgeInput
from medassay.models.nuggets.assignment import assignment_requests
from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse
from medassay.tasks.asking import request_of
from medassay.tasks.phi import PhiFound, guarded_inputs, guarded_requests, refuse_phi
from medassay.tasks.run import RunRef
from medassay.tasks.stages import listwise
from medassay.tasks.stages.stage import Step
from tests.rows import write_rows, write_tables
from tests.runs import read_in

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
        "nuggets": "n1: Mrs. [name 1b] can rest.",
        "answer": "Mrs. [name 1b], born\n[date 1], can.",
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


def test_a_sentence_that_is_sent_alone_keeps_back_whom_its_question_names(home: Path, tmp_path: Path) -> None:
    question = {"question_id": "q", "question": "Can she rest?", "profile": "Mrs. Gladys Okonkwo"}
    answer = {"question_id": "q", "system": "s", "answer": "Okonkwo may rest."}
    folder = write_tables(tmp_path / "data", questions=[question], answers=[answer])
    with read_in(home, Settings(str(folder), judge="none", phi="redact")) as run:
        step = Step(run, "entail", "fingerprint", run.warehouse, run.settings)
        asked = Request("key", (Message("user", "Okonkwo may rest, says Gladys."),), json.loads)
        (left,) = guarded_requests(step, ELSEWHERE, [asked])
        assert left.messages[0].content == "[name 1] may rest, says [name 2]."
        blocking = replace(step, settings=run.settings.but(phi="block"))
        (answer_key,) = (row["answer_key"] for row in run.warehouse.rows("from run_answer"))
        with pytest.raises(PhiFound, match="  a request of s to q: 2 × name"):
            guarded_requests(blocking, ELSEWHERE, [replace(asked, item_key=answer_key), asked])


def test_a_judge_is_not_told_whom_what_it_is_not_shown_names(home: Path, tmp_path: Path) -> None:
    rest = "Okonkwo may rest."
    folder = write_tables(
        tmp_path / "data",
        questions=[
            {"question_id": "q1", "question": "Can she rest?", "profile": "Mrs. Gladys Okonkwo"},
            {"question_id": "q2", "question": "And for how long?"},
        ],
        answers=[
            {"question_id": q, "system": s, "answer": text}
            for q in ("q1", "q2")
            for s, text in (("a", rest), ("b", f"Yes, {rest}"))
        ],
    )
    judge = f"{ELSEWHERE.base_url}#{ELSEWHERE.model}"
    with read_in(home, Settings(str(folder), judge=judge, listwise=True, phi="redact")) as run:
        step = Step(run, "listwise", listwise.listwise.pin(run), run.warehouse, run.settings)
        listwise.brief(run)
        compared = listwise.guarded(step, ELSEWHERE, [listwise.input_from(row) for row in step.pending()])
        marked = guarded_inputs(step, ELSEWHERE, [JudgeInput("And for how long?", rest, (), False)])
    assert [shown.answers for shown, _ in compared] == [
        (("a", "[name 1] may rest."), ("b", "Yes, [name 1] may rest."))
    ] * 2
    assert [(shown.answer, dict(meaning)) for shown, meaning in marked] == [
        ("[name 1] may rest.", {"[name 1]": "Okonkwo"})
    ]


class Elsewhere(MemoryFileSystem):
    """A storage that is not on this machine."""

    protocol = "elsewhere"


def test_parts_that_would_lie_elsewhere_are_looked_at_before_a_run(home: Path, tmp_path: Path) -> None:
    register_implementation("elsewhere", Elsewhere, clobber=True)
    question = {"question_id": "q", "question": "Can Mrs. Gladys Okonkwo rest?"}
    answer = {"question_id": "q", "system": "s", "answer": "Yes."}
    folder = write_tables(tmp_path / "data", questions=[question], answers=[answer])
    for place, is_elsewhere in ((str(tmp_path / "parts"), False), ("elsewhere://bucket/parts", True)):
        with read_in(home, Settings(str(folder), judge="none", on="prefect:gpu", storage=place)) as run:
            if not is_elsewhere:
                refuse_phi(run)
                continue
            with pytest.raises(PhiFound, match="elsewhere://bucket/parts is not on this machine"):
                refuse_phi(run)


def test_what_was_retrieved_is_looked_at_before_anything_is_sent(home: Path, tmp_path: Path) -> None:
    row = {
        "question": "May she rest?", "system": "rag", "response": "She may.",
        "retrieved_contexts": ["Rest helps.", "Patient: Mrs. Anna Example, MRN 4711234, may rest."],
    }  # fmt: skip
    file = write_rows(tmp_path / "rag.jsonl", [row])
    with read_in(home, Settings(str(file), judge="https://llm.example/v1#big", offline=True)) as run:
        with pytest.raises(PhiFound, match="answer of rag to .*, context 2: ") as told:
            refuse_phi(run)
    assert "Example" not in str(told.value)
