"""Conversations of answers: which field of a row holds one, and the turns of the assistant in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medassay.models.intake.messages import (
    OF_ANSWER,
    NoConversation,
    Row,
    folded,
    is_talk,
    listed,
    messages_in,
    plain_messages,
    reply_of,
    role_of,
)

FIELDS = (
    "messages",
    "turns",
    "conversation",
    "conversations",
    "dialogue",
    "transcript",
    "user_input",
    "input",
)
"""Fields that may hold a conversation, as OpenAI, DeepEval, ShareGPT, RAGAS and people call it."""
TRANSCRIPTS = ("conversation", "dialogue", "transcript")
IDENTITY = ("conversation_id", "session_id", "thread_id", "dialogue_id", "chat_id")


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply of the assistant.

    Attributes:
        number: From 1; what the assistant says before the user speaks is no reply.
        asked: What the user said before it, since the last reply.
        history: What was said before that, with roles; empty in a first turn without instructions of a system.
        answer: The reply as fields of an answer's row: `answer`, and what it has of `references`, `cited_spans` and
            `contexts`.
    """

    number: int
    asked: str
    history: str
    answer: Row


def talk_in(row: Mapping[str, Any], names: Sequence[str] = FIELDS) -> str | None:
    """Return which field of a row holds a conversation; a text is one only where nothing else may stand."""
    return next(
        (n for n in names if (n in TRANSCRIPTS or not isinstance(row.get(n), str)) and is_talk(row.get(n))),
        None,
    )


def ends_with_a_reply(value: Any) -> bool:
    """Return whether the last to speak is the assistant."""
    return is_talk(value) and role_of(listed(value)[-1]) == "assistant"


def n_replies(value: Any) -> int:
    """Count the messages of the assistant."""
    return sum(role_of(one) == "assistant" for one in listed(value)) if is_talk(value) else 0


def opening(value: Any) -> str:
    """Return what the user says first; empty where the user says nothing."""
    said = (one["content"] for one in plain_messages(value) if one["role"] == "user")
    return next((text for text in said if text.strip()), "")


def said_by_user(value: Any) -> str:
    """Return all that the user says: conversations of several systems with one script share it."""
    return "\n\n".join(one["content"] for one in plain_messages(value) if one["role"] == "user")


def turns_of(messages: list[Row]) -> list[Turn]:
    """Return the assistant's turns of messages that `messages_in` has written."""
    turns: list[Turn] = []
    asked_from = 0
    for place, one in enumerate(messages):
        if one["role"] != "assistant":
            continue
        since = messages[asked_from:place]
        asked = "\n\n".join(m["content"] for m in since if m["role"] == "user")
        if not asked and not turns:
            continue
        before = [
            m
            for m in messages[:place]
            if m["role"] in ("system", "assistant", "user") and m["content"].strip()
        ]
        while before and before[-1]["role"] == "user":
            before.pop()
        history = "\n\n".join(f"{m['role']}: {m['content']}" for m in before)
        answer = {"answer": one["content"], **{name: one[name] for name in OF_ANSWER if one.get(name)}}
        turns.append(Turn(len(turns) + 1, asked, history, answer))
        asked_from = place + 1
    return turns


def as_answer(row: Row) -> Row:
    """Return an answer's row whose conversation stands in `turns` in one form, with the last reply as its answer.

    Where the user speaks last, the row's own answer is the last reply. What is no conversation stays as it is, for the
    rules to name; beside an answer it is none of its fields.
    """
    silent = not any(row.get(name) is not None for name in ("answer", "sentences", "failed"))
    given = "turns" if row.get("turns") is not None else None
    field = (
        given
        or talk_in(row, FIELDS[:6])
        or next((n for n in FIELDS[:6] if silent and isinstance(row.get(n), list | str)), None)
    )
    if field is None or row.get("sentences") is not None:
        return row
    row = {**{name: value for name, value in row.items() if name != field}, "turns": row[field]}
    try:
        messages = messages_in(_with_answer(row))
    except NoConversation:
        return row
    last = turns_of(messages)[-1].answer
    return {**{name: v for name, v in last.items() if row.get(name) is None}, **row, "turns": messages}


def conversation_fault(row: Mapping[str, Any]) -> str | None:
    """Tell why an answer's `turns` are no conversation."""
    if row.get("turns") is None:
        return None
    try:
        messages_in(_with_answer(row))
    except NoConversation as error:
        return str(error)
    return None


def _with_answer(row: Mapping[str, Any]) -> Any:
    """Add the row's answer to its messages, where the user speaks last.

    Raises:
        NoConversation: where another reply is the last.
    """
    turns, said = listed(row["turns"]) or row["turns"], row.get("answer")
    if not isinstance(said, str) or not is_talk(turns):
        return turns
    if not ends_with_a_reply(turns):
        return [*turns, {"role": "assistant", "content": said}]
    last, given = folded(reply_of(turns[-1])), folded(said)
    if last not in given and given not in last:
        raise NoConversation("its last reply is not the answer beside it: leave one of them out")
    return turns
