"""Transcripts as tables: a row a message, with the conversation that it belongs to and who speaks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, first_of
from medassay.models.intake.conversations import IDENTITY, opening
from medassay.models.intake.messages import role_of
from medassay.models.intake.names import as_name
from medassay.models.intake.rows import Place

_WHO, _SAID = (
    ("role", "speaker", "sender", "author", "from"),
    ("content", "text", "message", "utterance", "value"),
)
_ORDER = ("turn", "order", "index", "message_index", "turn_index", "message_no", "position")
_SYSTEM = ("system", "model", "run_id", "run_name")
_CONTEXTS = ("contexts", "retrieved_contexts", "retrieval_context")


def recognises(record: Record) -> bool:
    """Return whether a record is a message: it names its conversation, who speaks, and what is said."""
    return (
        any(name in record for name in IDENTITY)
        and any(name in record for name in _WHO)
        and any(name in record for name in _SAID)
        and not record.keys() & {"question", "answer", "answers", "messages", "nuggets"}
    )


@dataclass
class Messages:
    """Gathers the messages of each conversation, and yields them once the file is read."""

    stem: str
    talks: dict[tuple[str, str], tuple[Place, list[Record]]] = field(default_factory=dict)

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Take up a message."""
        named = str(as_name(first_of(record, *IDENTITY)))
        system = str(as_name(first_of(record, *_SYSTEM) or self.stem))
        who = first_of(record, *_WHO)
        message: Record = {
            "role": who,
            "content": first_of(record, *_SAID) or "",
            "order": first_of(record, *_ORDER),
        }
        if (contexts := first_of(record, *_CONTEXTS)) is not None:
            message["contexts"] = contexts if isinstance(contexts, list) else [contexts]
        self.talks.setdefault((named, system), (place, []))[1].append(message)
        return iter(())

    def rest(self) -> Iterator[Found]:
        """Yield each conversation, in the order of its messages' numbers where they have them."""
        known = set()
        for (named, system), (place, messages) in self.talks.items():
            turns = sorted(messages, key=lambda one: _number(one["order"]))
            if named not in known and all(role_of(one) for one in turns) and (asked := opening(turns)):
                known.add(named)
                yield "question", {"question_id": named, "question": asked}, place
            yield "answer", {"question_id": named, "system": system, "turns": turns}, place


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


ADAPTER = Adapter("a transcript, a row a message", recognises, Messages)
