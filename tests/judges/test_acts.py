"""What must be asked and raised as statements, and whether a reply asks it."""

import pytest

from medassay.models.conversation_acts import act_statement, asks, decide_asked, questions_of
from medassay.models.guidance import GuidanceState
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.records import PairVerdict

STATEMENTS = {
    "Ask about chest pain": "The text asks about chest pain.",
    "Ask the patient whether it spreads to the arm.": "The text asks whether it spreads to the arm.",
    "kidney function": "The text asks about kidney function.",
    "HbA1c": "The text asks about hbA1c.",
    "NSAIDs": "The text asks about NSAIDs.",
    "Check for drug allergies": "The text asks about drug allergies.",
    "Are you pregnant?": 'The text asks: "Are you pregnant?"',
    "How long have you had it?": 'The text asks: "How long have you had it?"',
}


@pytest.mark.parametrize(("words", "statement"), STATEMENTS.items())
def test_what_must_be_asked_is_read_as_asking(words: str, statement: str) -> None:
    found = act_statement("ask", words, 2)
    assert (found.kind, found.words, found.statement, found.by_turn) == ("ask", words, statement, 2)


def test_a_red_flag_is_read_as_it_stands() -> None:
    assert (
        act_statement("raise", "chest pain needs an ambulance", None).statement
        == "Chest pain needs an ambulance."
    )


def test_questions_and_requests_ask_and_statements_do_not() -> None:
    said = [
        ("Are you pregnant?", True), ('Is it "heavy"?"', True), ("Please tell me whether you smoke.", True),
        ("Could you describe the pain?", True), ("And let me know if you feel breathless.", True),
        ("I'd like to know how old you are.", True),
        ("Chest pain can be a sign of a heart attack.", False), ("Tell your doctor.", False), ("Describing it helps.", False),
    ]  # fmt: skip
    assert [(text, asks(text)) for text, _ in said] == said
    claims = [ClaimText(0, "I am sorry.", "non_claim"), ClaimText(1, "Are you  pregnant?", "non_claim")]
    assert questions_of(claims) == [((1,), 'The doctor asks: "Are you pregnant?"')]


def test_the_likeliest_question_decides_and_a_reply_without_one_asks_nothing() -> None:
    read = [((0,), PairVerdict(0.3, 0.6, 0.1)), ((2,), PairVerdict(0.45, 0.5, 0.05))]
    assert decide_asked(read) == GuidanceState("said", 0.45, (2,), "asked (0.45)")
    assert decide_asked(read[:1]) == GuidanceState("missing", 0.3, (), "not asked (0.30)")
    assert decide_asked([]) == GuidanceState("missing", None, (), "the reply asks nothing")
