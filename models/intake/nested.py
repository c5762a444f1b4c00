"""Records whose fields lie within others, as evaluation programs write them, and conversations with a reply."""

from typing import Any

from medassay.models.intake.adapters.adapter import Record
from medassay.models.intake.names import conversation, is_conversation

_OF_THE_QUESTION = ("inputs", "item", "vars", "doc")
_OF_THE_ANSWER = ("outputs", "sample", "response")
_EXPECTED = ("reference_outputs", "expectations")
_ANSWERS = ("answer", "output", "output_text", "response", "result", "text")
_ASKED = ("question", "query", "prompt", "input", "user_input")


def unnested(record: Record) -> tuple[Record, dict[str, str]]:
    """Lay what is nested beside the other fields; return the record and how each nested field was read.

    What is not understood stays where it is, to be named as unread.
    """
    row, meanings = dict(record), dict[str, str]()

    def read(holder: str, field: str, meant: str, value: Any) -> None:
        row[meant] = value
        meanings[f"{holder}.{field}"] = meant

    for holder in _OF_THE_QUESTION:
        if isinstance(inner := record.get(holder), dict) and all(isinstance(name, str) for name in inner):
            fresh = {name: value for name, value in inner.items() if name not in record}
            row |= fresh
            meanings |= {f"{holder}.{name}": name for name in fresh}
            if fresh.keys() == inner.keys():
                row.pop(holder)
    for holder in _OF_THE_ANSWER:
        inner = record.get(holder)
        if not isinstance(inner, dict) or "answer" in row:
            continue
        if field := next((name for name in _ANSWERS if isinstance(inner.get(name), str)), None):
            read(holder, field, "answer", inner[field])
        elif isinstance(inner.get("body"), dict):  # OpenAI's batches
            read(holder, "body", "answer", inner["body"])
        else:
            continue
        left = {
            f"{holder}.{name}": value for name, value in inner.items() if f"{holder}.{name}" not in meanings
        }
        row.pop(holder)
        row |= left
    for holder in _EXPECTED:
        inner = record.get(holder)
        texts = {n: v for n, v in inner.items() if isinstance(v, str)} if isinstance(inner, dict) else {}
        if len(texts) == 1 and "reference_answer" not in row:
            ((field, value),) = texts.items()
            read(holder, field, "reference_answer", value)
            others = {f"{holder}.{n}": v for n, v in row.pop(holder).items() if n != field}
            row |= others
    provider = record.get("provider")
    if "vars" in record and isinstance(provider, dict) and isinstance(provider.get("id"), str):  # promptfoo
        read("provider", "id", "system", row.pop("provider")["id"])
    told, given = record.get("instruction"), record.get("input")
    if (
        isinstance(told, str)
        and isinstance(given, str)
        and not any(name in row for name in _ASKED if name != "input")
    ):
        del row["instruction"], row["input"]
        row["question"] = f"{told}\n\n{given}".strip()
        meanings |= {"instruction": "question", "input": "question"}
    _read_talk(row, meanings)
    return row, meanings


def _read_talk(row: Record, meanings: dict[str, str]) -> None:
    """Read a conversation as the question, and the reply that ends it as the answer, where there is no other."""
    turns = row.get("messages")
    if not is_conversation(turns) or not isinstance(turns, list) or any(name in row for name in _ASKED):
        return
    if turns[-1]["role"] == "assistant" and len(turns) > 1 and not any(name in row for name in _ANSWERS):
        row["answer"] = conversation([{**turns[-1], "role": "user"}])
        meanings["messages, the last"] = "answer"
        turns = turns[:-1]
    row["question"] = conversation(turns)
    meanings["messages"] = "question"
    del row["messages"]
