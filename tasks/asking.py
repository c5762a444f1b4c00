"""Structured questions to the language model of a run: `--llm`, one batch at a time, every call in the ledger."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from models.chat.asking import ask_all
from models.chat.cap import Cap
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint, endpoint_of, parse_asked, parse_spec
from models.nuggets.requests import ModelRequest
from models.settings import Settings
from sql.warehouse import Row
from tasks.phi import guarded_requests
from tasks.spending.caps import cap_for, note_cap
from tasks.spending.ledger import WarehouseLedger
from tasks.stages import Step

Ask = Callable[[Sequence[Request[Any]]], list[Outcome[Any]]]
MAX_REPLY_TOKENS = 4096
CONCURRENCY, DEADLINE_S = 8, 120.0
# The embedded model answers one request after the other, on whatever cores there are.
EMBEDDED_CONCURRENCY, EMBEDDED_DEADLINE_S = 1, 300.0


class Part(Protocol):
    """A question about one row, which keeps what the replies say."""

    asked: ModelRequest

    def read(self, text: str) -> None:
        """Take what a reply says; a `Complaint` has the rest asked for again."""
        ...


P = TypeVar("P", bound=Part)


def describe_llm(settings: Settings) -> dict[str, Any] | None:
    """Return who is asked, None where nobody is.

    Raises:
        SpecError: for a spec that cannot be read, or one that cannot be asked in words.
    """
    parsed = parse_asked(settings.llm)
    if parsed.kind == "none":
        return None
    return {"llm": parsed.model or "embedded", "base_url": parsed.base_url or "embedded", "temperature": 0.0}


@contextmanager
def asking(step: Step) -> Iterator[Ask]:
    """Give a function that asks the run's language model; an embedded one is served while the block runs."""
    ledger = WarehouseLedger(step.warehouse, step.run.run_id, step.stage)

    def at(endpoint: Endpoint, cap: Cap, concurrency: int, deadline_s: float) -> Ask:
        def ask(requests: Sequence[Request[Any]]) -> list[Outcome[Any]]:
            outcomes = ask_all(
                guarded_requests(step, endpoint, requests),
                endpoint,
                ledger,
                concurrency=concurrency,
                deadline_s=deadline_s,
                cap=cap,
            )
            note_cap(step, cap)
            return outcomes

        return ask

    parsed = parse_spec(step.settings.llm)
    if parsed.kind == "remote":
        endpoint = endpoint_of(parsed, "llm")
        yield at(endpoint, cap_for(step.run, endpoint), CONCURRENCY, DEADLINE_S)
        return
    from models.chat.local_server import serving
    from models.judges.embedded.judge import EMBEDDED_MODEL
    from models.registry import ensure

    with serving(ensure(EMBEDDED_MODEL)) as server:
        yield at(server.endpoint, cap_for(step.run, None), EMBEDDED_CONCURRENCY, EMBEDDED_DEADLINE_S)


def request_of(part: Part, item_key: str, schema_name: str) -> Request[None]:
    """Put a part's question into the form in which models are asked."""
    return Request(
        item_key=item_key,
        messages=(Message("user", part.asked.prompt),),
        read=part.read,
        schema=part.asked.schema,
        schema_name=schema_name,
        max_tokens=MAX_REPLY_TOKENS,
    )


def asked_by_row(
    ask: Ask, rows: Sequence[Row], parts: Sequence[tuple[Row, P]], schema_name: str
) -> list[tuple[Row, list[tuple[P, Outcome[None]]]]]:
    """Ask all parts of all rows at once; each row comes back with its own parts and what came of them."""
    requests = [request_of(part, row["item_key"], schema_name) for row, part in parts]
    outcomes: list[Outcome[None]] = ask(requests)
    came = [(of, part, outcome) for (of, part), outcome in zip(parts, outcomes, strict=True)]
    return [(row, [(part, outcome) for of, part, outcome in came if of is row]) for row in rows]
