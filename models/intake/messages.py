"""Messages of a conversation in the forms of various tools: OpenAI's, DeepEval's, RAGAS's, ShareGPT's, transcripts."""

import re
from collections.abc import Iterator
from typing import Any

from medassay.models.intake.provider_forms import contexts_of, read_provider_form
from medassay.models.intake.rows import spelled

Row = dict[str, Any]
_ROLES = {
    **dict.fromkeys(("user", "human", "patient", "customer", "client"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "gpt", "chatbot", "doctor", "agent"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "tool_result", "ipython", "environment"), "tool"),
}
_ROLE_NAMES, _CONTENT_NAMES = (
    ("role", "from", "speaker", "author", "sender", "type"),
    ("content", "value", "text", "message"),
)
_CONTEXT_NAMES = ("contexts", "retrieval_context", "retrievalContext", "retrieved_contexts")
OF_ANSWER = ("references", "cited_spans", "contexts")
"""What an assistant's message may hold beside its text."""


_LABEL = re.compile(r"^[ \t]*[*_]*(?P<role>[A-Za-z]+)[*_]*[ \t]*:[*_]*[ \t]*", re.MULTILINE)
_UNSAID = frozenset({"tool_use", "tool_call", "function_call", "thinking", "reasoning", "redacted_thinking"})
"""Kinds of parts of a reply that are no words to the user."""


class NoConversation(ValueError):
    """What should be a conversation and is none; the message says why."""


def is_talk(value: Any) -> bool:
    """Return whether a value is a list of messages in any of the forms, whoever speaks last."""
    found = listed(value)
    return bool(found) and all(isinstance(one, dict) and role_of(one) and _has_content(one) for one in found)


def plain_messages(value: Any) -> list[Row]:
    """Return messages as roles and texts, whoever speaks last."""
    return [
        {"role": role_of(one) or "unknown", "content": _text(_content(one))}
        for one in listed(value)
        if isinstance(one, dict)
    ]


def messages_in(value: Any) -> list[Row]:
    """Write messages in one form: `role` (user, assistant, system, tool) and `content`, a text.

    A reply keeps what its provider says of its citations and contexts; what a tool returned before it is its contexts
    where it has none. Messages of one speaker in a row are one.

    Raises:
        NoConversation: where it is none that ends with a reply to a user.
    """
    found = listed(value)
    if not found:
        raise NoConversation(f"no list of messages: {spelled(value, 60)}")
    messages = [_message(one, number) for number, one in enumerate(found, 1)]
    messages = [
        one for one in messages if one["role"] != "assistant" or one["content"].strip() or one is messages[-1]
    ]
    if messages[-1]["role"] != "assistant":
        raise NoConversation(
            f"its last message is the {messages[-1]['role']}'s, and there is no answer beside it"
        )
    if not any(one["role"] == "user" and one["content"].strip() for one in messages):
        raise NoConversation("no message is the user's")
    return list(_joined(messages))


def listed(value: Any) -> list[Any]:
    """Return the messages of a value: a list, an object's `messages`, or a transcript whose lines name who speaks."""
    if isinstance(value, dict) and all(isinstance(value.get(name), list) for name in ("role", "content")):
        value = [
            {"role": role, "content": said}
            for role, said in zip(value["role"], value["content"], strict=False)
        ]
    if isinstance(value, dict):
        value = value.get("messages", value.get("turns"))
    if isinstance(value, str):
        starts = [one for one in _LABEL.finditer(value) if one["role"].lower() in _ROLES]
        ends = [*(one.start() for one in starts[1:]), len(value)]
        value = [
            {"role": one["role"], "content": value[one.end() : end].strip()}
            for one, end in zip(starts, ends, strict=False)
        ]
        return value if {role_of(one) for one in value} >= {"user", "assistant"} else []
    return value if isinstance(value, list) else []


def role_of(message: Any) -> str | None:
    """Return who speaks, in the one set of roles; None where the message does not say."""
    if not isinstance(message, dict):
        return None
    for name in _ROLE_NAMES:
        held = message.get(name)
        held = held.get("role") if isinstance(held, dict) else held  # ChatGPT's exports: author.role
        if isinstance(held, str) and (role := _ROLES.get(held.strip().lower())):
            return role
    return None


def _has_content(message: Row) -> bool:
    return any(name in message for name in _CONTENT_NAMES) or "tool_calls" in message


def _content(message: Row) -> Any:
    return next((message[name] for name in _CONTENT_NAMES if message.get(name) is not None), "")


def _message(message: Any, number: int) -> Row:
    role = role_of(message)
    if role is None or not _has_content(message):
        raise NoConversation(f"message {number} lacks a role or content: {spelled(message, 40)}")
    content = _content(message)
    if not isinstance(content, str | list | dict):
        raise NoConversation(f"message {number} has no text: {spelled(content, 60)}")
    if role != "assistant":
        returned = (
            isinstance(content, list) and content and all(_kind(part) == "tool_result" for part in content)
        )
        return {"role": "tool" if returned else role, "content": _text(content)}
    given = {"contexts": next((message[name] for name in _CONTEXT_NAMES if message.get(name)), None)}
    beside = {n: message[n] for n in ("annotations", "citations", "groundingMetadata") if message.get(n)}
    read = read_provider_form({"answer": {"role": role, "content": content, **beside}})
    if not isinstance(read.get("answer"), str):
        read = {"answer": _reply(content)}
    read["references"] = message.get("references") or read.get("references")
    kept = {name: read.get(name) for name in ("references", "cited_spans") if read.get(name)}
    contexts = contexts_of(given)
    return {"role": role, "content": read["answer"], **kept, **({"contexts": contexts} if contexts else {})}


def _joined(messages: list[Row]) -> Iterator[Row]:
    """Yield messages, those of one speaker in a row as one, and what tools returned as contexts of the next reply."""
    returned: list[str] = []
    held: Row | None = None
    for one in messages:
        if one["role"] == "tool":
            returned += [one["content"]] if one["content"].strip() else []
            continue
        if one["role"] == "assistant" and returned:
            one, returned = {"contexts": returned, **one}, []
        if held is not None and held["role"] == one["role"] != "system":
            held = _merged(held, one)
            continue
        if held is not None:
            yield held
        held = one
    if held is not None:
        yield held


def _merged(first: Row, second: Row) -> Row:
    text = first["content"].rstrip() + "\n\n"
    moved = [
        {**span, "start": span["start"] + len(text), "end": span["end"] + len(text)}
        for span in second.get("cited_spans") or ()
    ]
    lists = {
        "contexts": [*(first.get("contexts") or ()), *(second.get("contexts") or ())],
        "references": [*(first.get("references") or ()), *(second.get("references") or ())],
        "cited_spans": [*(first.get("cited_spans") or ()), *moved],
    }
    kept = {name: listed for name, listed in lists.items() if listed}
    return {"role": first["role"], "content": text + second["content"], **kept}


def reply_of(message: Row) -> str:
    """Return the words of an assistant's message."""
    return _reply(_content(message))


def _reply(content: Any) -> str:
    """Return what a reply says to the user, calls of tools and thoughts left out."""
    parts = content if isinstance(content, list) else [content]
    return _text([part for part in parts if _kind(part) not in _UNSAID])


def _kind(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else None


def folded(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())


def _text(content: Any) -> str:
    """Return a message's text: of parts what each says, and what a part is that says nothing in brackets."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    if isinstance(content, dict):
        if isinstance(content.get("parts"), list):
            return _text(content["parts"])
        for name in ("text", "content"):
            if isinstance(content.get(name), str | list):
                return _text(content[name])
        return f"[{content.get('type', 'no text')}]"
    return content if isinstance(content, str) else str(content)
