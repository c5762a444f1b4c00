"""Structured requests to the run's language model (`--llm`), in batches, recorded in the ledger."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.nuggets.requests import ModelRequest
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.phi import guarded_requests
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.stage import Step

Ask = Callable[[Sequence[Request[Any]]], list[Outcome[Any]]]
MAX_REPLY_TOKENS = 4096
CONCURRENCY = 8


class Part(Protocol):
    """A question about one row, which keeps what the replies say."""

    asked: ModelRequest

    def read(self, text: str) -> None:
        """Take what a reply says; a `Complaint` has the rest asked for again."""
        ...


P = TypeVar("P", bound=Part)
V = TypeVar("V")


def describe_llm(settings: Settings) -> dict[str, Any] | None:
    """Return who is asked, None where nobody is.

    Raises:
        SpecError: for a spec that cannot be read, or one that cannot be asked in words.
    """
    if settings.llm.strip() == "none":
        return None
    endpoint = endpoint_named(settings.llm, "llm")
    if endpoint.role == "embedded":
        return {"llm": "embedded", "base_url": "embedded", "temperature": 0.0}
    return {"llm": endpoint.model, "base_url": endpoint.identity, "temperature": 0.0}


@contextmanager
def asking(step: Step) -> Iterator[Ask]:
    """Give a function that asks the run's language model; one of this machine is served while the block runs."""
    named = endpoint_named(step.settings.llm, "llm")
    ledger, cap = ledger_for(step), cap_for(step.run, named)
    with reachable(named) as endpoint:

        def ask(requests: Sequence[Request[Any]]) -> list[Outcome[Any]]:
            guarded = guarded_requests(step, endpoint, requests)
            outcomes = ask_all(guarded, endpoint, ledger, concurrency=CONCURRENCY, cap=cap)
            note_cap(step, cap)
            return outcomes

        yield ask


def request_of(
    item_key: str, asked: ModelRequest, read: Callable[[str], V], schema_name: str, secret: bytes
) -> Request[V]:
    """Put a question into the form in which models are asked; `secret` is the home's."""
    return Request(
        item_key=item_key,
        messages=asked.messages(secret),
        read=read,
        schema=asked.schema,
        schema_name=schema_name,
        max_tokens=MAX_REPLY_TOKENS,
    )


def asked_by_row(
    ask: Ask, rows: Sequence[Row], parts: Sequence[tuple[Row, P]], schema_name: str, secret: bytes
) -> list[tuple[Row, list[tuple[P, Outcome[None]]]]]:
    """Ask all parts of all rows at once; each row comes back with its own parts and what came of them."""
    requests = [
        request_of(row["item_key"], part.asked, part.read, schema_name, secret) for row, part in parts
    ]
    outcomes: list[Outcome[None]] = ask(requests)
    came = [(of, part, outcome) for (of, part), outcome in zip(parts, outcomes, strict=True)]
    return [(row, [(part, outcome) for of, part, outcome in came if of is row]) for row in rows]
