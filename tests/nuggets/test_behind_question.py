"""Answers that leave their subject to the question: what is read again behind it, and when that counts."""

from dataclasses import replace

import numpy as np
import pytest

from medassay.models.nuggets.behind_question import asked_before, lead_of, questions_to_read
from medassay.models.nuggets.by_reader import parts_to_read
from medassay.models.nuggets.evidence import ClaimText, Held, MatchSettings, NuggetMatch
from medassay.models.nuggets.matching import match
from medassay.models.records import PairVerdict

SETTINGS = MatchSettings()
QUESTION = "What is the usual dose of paracetamol for a child?"
NUGGET = "The usual dose of paracetamol for a child is 15 mg per kg"
ANSWER = [ClaimText(0, "15 mg per kg.")]
NEAR = np.array([[0.4]])
HELD = Held(ANSWER, [NUGGET], NEAR, QUESTION)
BEHIND = "Question: What is the usual dose of paracetamol for a child?\nAnswer: 15 mg per kg."
NEITHER = PairVerdict(0.1, 0.8, 0.1)
STATED = PairVerdict(0.9, 0.05, 0.05)
TURNED = PairVerdict(0.05, 0.05, 0.9)


def state_of(plain: PairVerdict, alone: PairVerdict, behind: PairVerdict) -> NuggetMatch:
    verdicts = {(ANSWER[0].text, NUGGET): plain, (QUESTION, NUGGET): alone, (BEHIND, NUGGET): behind}
    return match(ANSWER, [NUGGET], NEAR, verdicts, SETTINGS, QUESTION).nuggets[0]


@pytest.mark.parametrize(
    ("alone", "behind", "state", "reason"),
    [
        (NEITHER, STATED, "covered", "the answer says so (0.90), read behind the question"),
        (NEITHER, TURNED, "contradicted", "the answer says otherwise (0.90), read behind the question"),
        (NEITHER, NEITHER, "missing", "the answer says neither (0.80)"),
        # The question claims it: "I have read that …", "Does …?"
        (STATED, STATED, "missing", "the answer says neither (0.80)"),
        # It hardly gains by the answer.
        (
            PairVerdict(0.4, 0.55, 0.05),
            PairVerdict(0.6, 0.35, 0.05),
            "missing",
            "the answer says neither (0.80)",
        ),
        # It gains by a contradiction only.
        (
            PairVerdict(0.4, 0.6, 0.0),
            PairVerdict(0.55, 0.0, 0.45),
            "missing",
            "the answer says neither (0.80)",
        ),
    ],
)
def test_what_an_answer_says_behind_its_question_counts_where_it_adds_to_it(
    alone: PairVerdict, behind: PairVerdict, state: str, reason: str
) -> None:
    found = state_of(NEITHER, alone, behind)
    assert (found.state, found.reason, found.claim_positions) == (
        state,
        reason,
        () if state == "missing" else (0,),
    )


@pytest.mark.parametrize(("plain", "state"), [(STATED, "covered"), (TURNED, "contradicted")])
def test_what_an_answer_says_by_itself_stays(plain: PairVerdict, state: str) -> None:
    verdicts = {(ANSWER[0].text, NUGGET): plain}
    assert questions_to_read(HELD, verdicts, SETTINGS) == []
    assert state_of(plain, NEITHER, TURNED if state == "covered" else STATED).state == state


def test_the_question_is_read_alone_and_before_the_answer() -> None:
    verdicts = {(ANSWER[0].text, NUGGET): NEITHER}
    assert questions_to_read(HELD, verdicts, SETTINGS) == [
        (QUESTION, NUGGET),
        (BEHIND, NUGGET),
    ]
    assert questions_to_read(replace(HELD, question="How much is that?"), verdicts, SETTINGS) == []


def test_a_fact_that_the_question_states_is_not_the_answers() -> None:
    nugget = "Metformin causes nausea and lowers weight."
    question = "I have nausea from metformin; what does it do for weight?"
    answer = [ClaimText(0, "It lowers it.")]
    held, plain = Held(answer, [nugget], NEAR, question), {(answer[0].text, nugget): NEITHER}
    asked = questions_to_read(held, plain, SETTINGS)
    facts = ["Metformin causes nausea.", "Metformin lowers weight."]
    behind = asked_before(question, answer[0].text)
    assert asked == [(question, nugget), *[(question, fact) for fact in facts], (behind, nugget)]
    read = plain | dict.fromkeys(asked[:-1], NEITHER) | {asked[-1]: PairVerdict(0.8, 0.15, 0.05)}
    assert parts_to_read(held, read, SETTINGS) == [(behind, fact) for fact in facts]
    assert match(answer, [nugget], NEAR, read, SETTINGS, question).nuggets[0].state == "covered"
    read[question, facts[0]] = STATED
    assert match(answer, [nugget], NEAR, read, SETTINGS, question).nuggets[0].state == "missing"


LETTER = (
    "Dear doctor, I am 54 years old and work in a bakery, where I have to get up at three o'clock every morning. "
    "My husband takes ramipril. Since last spring I have been taking metformin twice a day. My mother lives with us and "
    "has trouble with her knees, so that I have little time for myself and have put on weight. "
    "May I drink wine with metformin? Thank you very much for your time, and greetings to your colleagues at the practice."
)


@pytest.mark.parametrize(
    ("question", "nugget", "passage", "lead"),
    [
        (QUESTION, NUGGET, "15 mg per kg.", QUESTION),
        (QUESTION, NUGGET, "The usual dose of acetaminophen for a child is 15 mg per kg.", ""),
        (
            "And how  often\nis metformin taken?",
            "Metformin is taken twice a day",
            "Twice.",
            "And how often is metformin taken?",
        ),
        (
            LETTER,
            "Wine with metformin may cause lactic acidosis",
            "It may cause lactic acidosis.",
            "Since last spring I have been taking metformin twice a day. May I drink wine with metformin?",
        ),
        (
            "user: I take metformin.\n\nassistant: Metformin lowers sugar.\n\nuser: May I drink wine with it?",
            "Wine with metformin may cause lactic acidosis",
            "It may cause lactic acidosis.",
            "user: I take metformin. assistant: Metformin lowers sugar. user: May I drink wine with it?",
        ),
        ("", NUGGET, "15 mg per kg.", ""),
    ],
)
def test_what_of_a_question_stands_before_an_answer(
    question: str, nugget: str, passage: str, lead: str
) -> None:
    assert lead_of(question, nugget, passage) == lead
