"""The knowledge completion chain against a real server on loopback."""

from collections.abc import Callable
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.reply import Complaint
from medassay.models.judge_training.chain import Asked, Chain, Evaluated, Posed, Scored, read_turn
from medassay.models.judge_training.records import Exchange, Passage
from medassay.models.judges.listwise.judge import ListwiseInput

SHOWN = ListwiseInput(
    "q1", "Is ibuprofen safe with warfarin?", (("a", "Yes, always."), ("b", "No, it bleeds."))
)
POSED = Posed(SHOWN, ("b", "a"))
SCORED = "Analyze:\nStep 1: Bleeding matters.\nStep 2: Doctor 2 is wrong.\nScore:\nDoctor 1: 5 points.\nDoctor 2: 1 point."
PASSAGE = Passage("medicine", "drugs.pdf", 7, 0, 34, 0.8, "Ibuprofen with warfarin: bleeding.")


def library(question: str) -> tuple[Passage, ...]:
    return (PASSAGE,) if "warfarin" in question else ()


def evaluate(
    server: Any, script: Callable[[dict[str, Any]], str], ledger: MemoryLedger | None = None, most: int = 3
) -> Evaluated:
    server.behaviour.text = script
    endpoint, kept = Endpoint(server.base_url, "judge"), ledger or MemoryLedger()
    (found,) = Chain(endpoint, most_questions=most).evaluate(
        [POSED], lambda requests: ask_all(requests, endpoint, kept), library
    )
    return found


def n_turns(body: dict[str, Any]) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def test_a_question_is_answered_from_the_store_and_then_the_evaluator_scores(judge_server: Any) -> None:
    found = evaluate(
        judge_server, lambda body: SCORED if n_turns(body) else "[Question]: What does warfarin do?"
    )
    exchange = Exchange(
        "What does warfarin do?", "drugs.pdf, page 7:\nIbuprofen with warfarin: bleeding.", (PASSAGE,)
    )
    assert found == Evaluated("scored", Scored((5, 1), SCORED), (exchange,), None)
    first, second = (body["messages"] for body in judge_server.bodies)
    assert second[:2] == first
    assert second[2] == {"role": "assistant", "content": "[Question]: What does warfarin do?"}
    begin, *lines, end, closing = second[3]["content"].split("\n")
    assert (begin.startswith("BEGIN "), begin[-10:], end[:4]) == (True, "medicine 1", "END ")
    assert lines == ["| (drugs.pdf, page 7)", "| Ibuprofen with warfarin: bleeding."]
    assert closing == "You may ask 2 more, or score the doctors."
    assert first[1]["content"].index("No, it bleeds.") < first[1]["content"].index("Yes, always.")
    assert "You may ask at most 3 questions" in first[0]["content"]
    assert first[0]["content"].startswith("You are a clinical reviewer.")


def test_an_evaluator_that_keeps_asking_has_abstained(judge_server: Any) -> None:
    found = evaluate(judge_server, lambda body: f"[Question]: What about {n_turns(body)}?")
    assert (found.status, found.scored) == ("abstained", None)
    assert found.reason == "still asking after 3 questions: What about 3?"
    assert [exchange.question for exchange in found.exchanges] == [f"What about {n}?" for n in range(3)]
    assert found.exchanges[0].answer == "No passage was found."
    assert len(judge_server.bodies) == 4
    last = judge_server.bodies[-1]["messages"][-1]["content"]
    assert last == "No passage was found.\nYou may ask no more: score the doctors now."


@pytest.mark.parametrize("place", ["before", "within", "after"])
def test_a_question_in_a_reply_that_scores_does_not_count(judge_server: Any, place: str) -> None:
    asks = "[Question]: Is 5 mg of warfarin much?"
    reply = {
        "before": f"{asks}\n{SCORED}",
        "within": SCORED.replace("Step 2", f"{asks}\nStep 2"),
        "after": f"{SCORED}\n{asks}",
    }[place]
    found = evaluate(judge_server, lambda body: reply)
    assert (found.status, found.exchanges, len(judge_server.bodies)) == ("scored", (), 1)
    assert found.scored is not None and found.scored.points == (5, 1)
    assert "Question" not in found.scored.evaluation
    assert found.scored.evaluation.startswith("Analyze:\nStep 1: Bleeding matters.")


def test_a_question_beside_points_that_cannot_be_read_is_not_answered_but_asked_about(
    judge_server: Any,
) -> None:
    bad = "[Question]: And the dose?\nScore:\nDoctor 1: 5 points."
    found = evaluate(judge_server, lambda body: SCORED if n_turns(body) else bad)
    assert (found.status, found.exchanges) == ("scored", ())
    said = judge_server.bodies[1]["messages"][-1]["content"]
    assert said.startswith("Your reply could not be used: no points are given to Doctor 2")
    assert said.endswith("and nothing else, or as one line '[Question]: …'.")


def test_a_reply_without_points_or_question_abstains_after_it_was_asked_again(judge_server: Any) -> None:
    found = evaluate(judge_server, lambda body: "They are all nice.")
    assert (found.status, found.exchanges, len(judge_server.bodies)) == ("abstained", (), 2)
    assert found.reason is not None and found.reason.startswith("the reply could not be used after 2 askings")


def test_a_server_that_fails_leaves_the_case_to_the_next_build(judge_server: Any) -> None:
    judge_server.behaviour.faulty_share, judge_server.behaviour.faults = 1.0, ("error_400",)
    found = evaluate(judge_server, lambda body: SCORED)
    assert (found.status, found.scored) == (None, None)
    assert found.reason is not None and found.reason.startswith("the server refused the request")


def test_without_questions_the_prompt_is_the_listwise_judges(judge_server: Any) -> None:
    found = evaluate(judge_server, lambda body: SCORED, most=0)
    assert found.status == "scored"
    assert "[Question]" not in judge_server.bodies[0]["messages"][0]["content"]
    asking = evaluate(judge_server, lambda body: "[Question]: What does warfarin do?", most=0)
    assert (asking.status, asking.reason) == (
        "abstained",
        "still asking after 0 questions: What does warfarin do?",
    )


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("[Question]: What is INR?", "What is INR?"),
        ("I need to know more.\n**[Question]**: What is INR?", "What is INR?"),
        ("<think>Doctor 1: 3 points?</think>\n- [question 1]:  What is INR? ", "What is INR?"),
        ("**[Question]: What is INR?**", "What is INR?"),
        ("[Question]: Is the dose of Doctor 2, 5 mg, right?", "Is the dose of Doctor 2, 5 mg, right?"),
    ],
)
def test_forms_of_a_question(text: str, question: str) -> None:
    assert read_turn(text, 2) == Asked(question)


@pytest.mark.parametrize(
    "text",
    [
        "Score:\nDoctor 1: 5 points.\nDoctor 2: 1 point.",
        "[Question]: …",
        "[Question]:",
        "[Question]: What?\nDoctor 1: 9 points.",
        "The [Question]: what?",
    ],
)
def test_what_is_neither_a_question_nor_an_evaluation(text: str) -> None:
    with pytest.raises(Complaint):
        read_turn(text, 2)


def test_a_loose_reply_is_written_in_the_form_to_the_letter() -> None:
    reply = "Bleeding matters most.\n\nScore:\nDr. 2 (1/5)\nDr. 1 (4/5)"
    text = "Analyze:\nStep 1: Bleeding matters most.\nScore:\nDoctor 1: 4 points.\nDoctor 2: 1 point."
    assert read_turn(reply, 2) == Scored((4, 1), text)
