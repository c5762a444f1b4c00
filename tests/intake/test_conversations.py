"""Conversations in the forms of various tools, and what of them is no conversation."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, IntakeError, read_data, violations
from medassay.models.intake.conversations import turns_of
from medassay.models.intake.feasibility import refuse_nothing_to_measure
from medassay.models.intake.messages import messages_in
from medassay.models.intake.names import canonical

Q1, A1, Q2, A2 = "I have a cough.", "How long?", "Three weeks.", "See a doctor."


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def bot(text: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


TALK = [user(Q1), bot(A1), user(Q2), bot(A2)]
FORMS: dict[str, dict[str, Any]] = {
    "OpenAI's messages": {"messages": TALK},
    "content in parts": {"messages": [user([{"type": "text", "text": Q1}]), bot([{"type": "text", "text": A1}]), *TALK[2:]]},
    "DeepEval's turns": {"turns": TALK},
    "RAGAS's MultiTurnSample": {
        "user_input": [
            {"content": text, "type": kind} for text, kind in ((Q1, "human"), (A1, "ai"), (Q2, "human"), (A2, "ai"))
        ]
    },
    "ShareGPT": {
        "conversations": [
            {"from": who, "value": text} for text, who in ((Q1, "human"), (A1, "gpt"), (Q2, "human"), (A2, "gpt"))
        ]
    },
    "a Sequence of Hugging Face's datasets, a list a field": {
        "conversation": {"role": [one["role"] for one in TALK], "content": [one["content"] for one in TALK]}
    },
    "HealthBench Professional's object": {"conversation": {"messages": TALK}},
    "a transcript as text": {"transcript": f"Patient: {Q1}\nDoctor: {A1}\nPatient: {Q2}\n**Doctor:** {A2}"},
    "a transcript under messages": {"messages": f"User: {Q1}\nAssistant: {A1}\nUser: {Q2}\nAssistant: {A2}"},
    "messages of one speaker in a row, and a call of a tool": {
        "messages": [user("I have"), user("a cough."), bot("How"), bot("long?"), user(Q2), bot(None, tool_calls=[{}]), bot(A2)]
    },
    "the answer beside what the user said last": {"question": "Cough", "turns": TALK[:3], "output": A2},
}  # fmt: skip


def read(tmp_path: Path, rows: list[Any], name: str = "talk.jsonl") -> list[Any]:
    file = tmp_path / name
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return list(read_data(file).rows)


def answers(found: list[Any]) -> list[dict[str, Any]]:
    return [row.value for row in found if not isinstance(row, BadRow) and row.kind == "answer"]


@pytest.mark.parametrize("record", FORMS.values(), ids=FORMS.keys())
def test_a_conversation_is_read_as_the_replies_of_its_system(tmp_path: Path, record: dict[str, Any]) -> None:
    found = read(tmp_path, [{"question_id": "c", "system": "s", "nuggets": ["n"], **record}])
    (answer,) = answers(found)
    turns = turns_of(answer["turns"])
    words = [
        (turn.number, *(" ".join(text.split()) for text in (turn.asked, turn.answer["answer"])))
        for turn in turns
    ]
    assert words == [(1, Q1, A1), (2, Q2, A2)]
    assert turns[0].history == "" and " ".join(turns[1].history.split()) == f"user: {Q1} assistant: {A1}"
    assert answer["answer"] == A2
    assert all(violations(row.kind, [row.value]) == [] for row in found)


def test_what_tools_returned_and_what_a_reply_cites_belong_to_the_turn() -> None:
    cited = {"type": "text", "text": A2, "citations": [{"url": "https://a.example/b", "title": "T"}]}
    messages = messages_in(
        [
            {"role": "system", "content": "Be brief."}, bot("Hello!"), user(Q1), {"role": "tool", "content": "Coughs last."},
            bot(A1), user(Q2), bot([{"type": "thinking", "text": "Hm."}, cited], retrieval_context=["Other."]),
        ]
    )  # fmt: skip
    first, second = turns_of(messages)
    assert (first.number, first.history) == (1, "system: Be brief.\n\nassistant: Hello!")
    assert first.answer == {"answer": A1, "contexts": ["Coughs last."]}
    assert second.answer == {
        "answer": A2,
        "contexts": ["Other."],
        "references": [{"marker": "1", "url": "https://a.example/b", "title": "T"}],
        "cited_spans": [{"start": 0, "end": len(A2), "citations": ["1"]}],
    }


NO_TALK: dict[str, tuple[Any, str]] = {
    "nothing": ([], "no list of messages: []"),
    "a text in which nobody speaks": ("hello", 'no list of messages: "hello"'),
    "texts alone": (["x"], 'message 1 lacks a role or content: "x"'),
    "an unknown role": ([{"role": "x", "content": "y"}], 'message 1 lacks a role or content: {"role": "x", "content": "y"}'),
    "no content": ([user("x"), {"role": "assistant"}], 'message 2 lacks a role or content: {"role": "assistant"}'),
    "nobody asks": ([bot("a"), bot("b")], "no message is the user's"),
    "a number": ([user("a"), bot("b"), user(5), bot("c")], "message 3 has no text: 5"),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "seen"), NO_TALK.values(), ids=NO_TALK.keys())
def test_what_is_no_conversation_breaks_one_rule_of_one_row(tmp_path: Path, messages: Any, seen: str) -> None:
    found = read(tmp_path, [{"question_id": "c", "system": "s", "messages": messages}])
    broken = [
        (row.kind, one.rule, one.observed) for row in found for one in violations(row.kind, [row.value])
    ]
    assert broken == [("answer", "the messages are no conversation", seen)]


def test_in_a_table_of_answers_messages_end_with_the_answer_or_stand_before_it(tmp_path: Path) -> None:
    rows = [
        {"messages": TALK[:3]},
        {"messages": TALK[:3], "answer": A2},
        {"messages": TALK, "answer": "Other."},
    ]
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "questions.jsonl").write_text('{"question_id": "c", "question": "Cough"}\n', encoding="utf-8")
    read(
        folder, [{"question_id": "c", "system": str(n), **row} for n, row in enumerate(rows)], "answers.jsonl"
    )
    found = [
        row.value for row in read_data(folder).rows if not isinstance(row, BadRow) and row.kind == "answer"
    ]
    assert [[one.observed for one in violations("answer", [row])] for row in found] == [
        ["its last message is the user's, and there is no answer beside it"],
        [],
        ["its last reply is not the answer beside it: leave one of them out"],
    ]
    assert [turn.answer["answer"] for turn in turns_of(found[1]["turns"])] == [A1, A2]


def test_a_healthbench_conversation_is_the_prompt_unless_the_assistant_ends_it(tmp_path: Path) -> None:
    criteria = {"prompt_id": "p", "rubrics": [{"criterion": "Asks about fever", "points": 5, "tags": []}]}
    asked, answer = read(tmp_path, [{**criteria, "prompt": TALK[:3], "completion": A2}])
    assert (asked.value["question"], answer.value["answer"]) == (
        f"user: {Q1}\n\nassistant: {A1}\n\nuser: {Q2}",
        A2,
    )
    assert "turns" not in answer.value
    asked, answer = read(tmp_path, [{**criteria, "conversation": {"messages": TALK}}])
    assert (asked.value["question"], answer.value["answer"]) == (Q1, A2)
    assert [turn.answer["answer"] for turn in turns_of(answer.value["turns"])] == [A1, A2]


def test_an_input_that_another_field_answers_is_a_question_whoever_ends_it(tmp_path: Path) -> None:
    asked, answer = read(tmp_path, [{"input": TALK, "output": "Rest."}])
    assert asked.value["question"] == f"user: {Q1}\n\nassistant: {A1}\n\nuser: {Q2}\n\nassistant: {A2}"
    assert (answer.value["answer"], "turns" in answer.value) == ("Rest.", False)


def test_one_reply_is_a_question_and_its_answer_as_it_always_was(tmp_path: Path) -> None:
    (asked, answer) = read(tmp_path, [{"messages": TALK[:2]}])
    assert (asked.value["question"], answer.value["answer"], "turns" in answer.value) == (Q1, A1, False)


def test_what_must_be_asked_and_raised_is_a_text_or_has_a_turn() -> None:
    given = {
        "must_ask": ["Fever?", {"question": "Smoking", "by_turn": "2"}],
        "red_flags": "Blood\nWeight loss\n",
    }
    row = canonical("question", {"question_id": "c", "question": Q1, **given})
    assert row["must_ask"] == [{"text": "Fever?"}, {"text": "Smoking", "by_turn": 2.0}]
    assert row["red_flags"] == [{"text": "Blood"}, {"text": "Weight loss"}]
    assert violations("question", [row]) == []
    faulty = {"must_ask": [{"text": "Fever?", "by_turn": 0}], "red_flags": [7]}
    row = canonical("question", {"question_id": "c", "question": Q1, **faulty})
    assert [(one.rule, one.observed) for one in violations("question", [row])] == [
        ("must_ask is not a list of texts", "item 1: by_turn is 0"),
        ("red_flags is not a list of texts", 'item 1: no text in {"text": 7}'),
    ]


@pytest.mark.parametrize(
    ("record", "is_measurable"),
    [
        ({"messages": TALK}, False),
        ({"messages": TALK, "must_ask": ["Ask about fever"]}, True),
        ({"messages": [user(Q1), bot("Coughs last [PMID: 1]."), *TALK[2:]]}, True),
    ],
)
def test_what_must_be_asked_and_what_an_earlier_reply_cites_can_be_measured(
    tmp_path: Path, record: dict[str, Any], is_measurable: bool
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    if is_measurable:
        refuse_nothing_to_measure(file, ())
        return
    with pytest.raises(IntakeError, match="every main metric would be empty"):
        refuse_nothing_to_measure(file, ())


def test_a_table_of_messages_is_its_conversations(tmp_path: Path) -> None:
    file = tmp_path / "chat.csv"
    rows = [
        ("s1", 2, "bot", A1),
        ("s1", 1, "patient", Q1),
        ("s2", 1, "patient", Q1),
        ("s1", 3, "patient", Q2),
        ("s1", 4, "bot", A2),
    ]
    file.write_text(
        "session_id,turn,speaker,text\n" + "".join(f"{s},{n},{who},{text}\n" for s, n, who, text in rows)
    )
    found = [row for row in read_data(file).rows if not isinstance(row, BadRow)]
    asked, first, other, second = found
    assert (asked.value, other.value) == (
        {"question_id": "s1", "question": Q1},
        {"question_id": "s2", "question": Q1},
    )
    assert [(turn.asked, turn.answer["answer"]) for turn in turns_of(first.value["turns"])] == [
        (Q1, A1),
        (Q2, A2),
    ]
    assert [one.observed for one in violations("answer", [second.value])] == [
        "its last message is the user's, and there is no answer beside it"
    ]


def test_a_log_of_inspect_in_which_the_user_spoke_again_is_a_conversation() -> None:
    log = Path(__file__).with_name("logs") / "inspect-0.3.285-conversation.json"
    (answer,) = answers(list(read_data(log).rows))
    assert [(turn.asked, turn.answer["answer"]) for turn in turns_of(answer["turns"])] == [
        ("What can I take for my headache?", "Are you pregnant?"),
        ("Yes, 32 weeks.", "Paracetamol is the first choice in pregnancy."),
    ]
