"""Evaluators asked through the chain: every call guarded, capped and in the ledger before the next is made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import reachable
from medassay.models.judge_training.chain import Chain, Evaluated, Posed
from medassay.models.judge_training.knowledge import Library
from medassay.models.phi.finding import FoundValues
from medassay.models.phi.guard import count_phi, guard_request, in_words, known_from
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.phi import Looked, audit_lines, refuse
from medassay.tasks.progress import watcher
from medassay.tasks.spending.caps import cap_at, note_price, tariff_of, tariffs
from medassay.tasks.spending.ledger import WarehouseLedger

STAGE = "judge_data"


@dataclass(slots=True)
class Asking:
    """Sends batches of calls to one evaluator; `n_sent` counts those made now."""

    warehouse: Warehouse
    endpoint: Endpoint
    limits: Limits
    cap: Cap
    known: FoundValues
    n_sent: int = 0

    def __call__(self, requests: Sequence[Request[Any]]) -> list[Outcome[Any]]:
        """Ask, and return outcomes in order; under `block` a call that may name a patient abstains, and is not sent."""
        leaving, held = self._guarded(requests)
        outcomes = iter(
            ask_all(leaving, self.endpoint, WarehouseLedger(self.warehouse, None, STAGE), cap=self.cap)
        )
        came = [held[n] if n in held else next(outcomes) for n in range(len(requests))]
        self.n_sent += sum(outcome.n_sent for outcome in came)
        return came

    def _guarded(
        self, requests: Sequence[Request[Any]]
    ) -> tuple[list[Request[Any]], dict[int, Outcome[Any]]]:
        if self.endpoint.is_loopback:
            return list(requests), {}
        policy = self.limits.phi
        guarded = [guard_request(request, policy, self.known) for request in requests]
        looked = [
            Looked(request.item_key, one.request.prompt_digest, one.n_found, one.meaning)
            for request, one in zip(requests, guarded, strict=True)
        ]
        audit_lines(self.warehouse, None, STAGE, self.endpoint, policy, looked)
        held: dict[int, Outcome[Any]] = {}
        if policy == "block":
            for number, one in enumerate(guarded):
                if one.n_found:
                    reason = f"not sent (--phi block): {in_words(one.n_found)} in it"
                    held[number] = Outcome(requests[number].item_key, "abstained", None, reason)
        return [one.request for number, one in enumerate(guarded) if number not in held], held


def refuse_texts(
    warehouse: Warehouse,
    endpoints: Sequence[Endpoint],
    texts: Sequence[tuple[str, str]],
    limits: Limits,
) -> None:
    """Look at texts, as (where, text), before any of them leaves this machine; what stops has its audit line.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    elsewhere = [endpoint for endpoint in dict.fromkeys(endpoints) if not endpoint.is_loopback]
    if not elsewhere or limits.phi != "block":
        return
    places = [(where, count_phi({"question": text})) for where, text in texts]
    stopped = [Looked(where, where, counts) for where, counts in places if counts]
    for endpoint in elsewhere:
        audit_lines(warehouse, None, STAGE, endpoint, "block", stopped)
    refuse(places, elsewhere)


def evaluate_cases(
    warehouse: Warehouse,
    home: Path,
    endpoint: Endpoint,
    cases: Sequence[Posed],
    library: Library,
    *,
    most_questions: int,
    limits: Limits,
    cap: Cap,
    on_done: Callable[[int, Evaluated], None] = lambda place, evaluated: None,
) -> tuple[list[Evaluated], int]:
    """Have one evaluator evaluate cases; return what came of each, in order, and how many calls were made now.

    What was asked before, with the same words, is not asked or paid for again.
    """
    name = f"{STAGE} · {endpoint.label}"
    watcher().begin(name, len(cases), len(cases))
    known = known_from(("question", posed.shown.question) for posed in cases)
    with reachable(endpoint) as served:
        tariff = tariff_of(served, tariffs(home, limits.prices))
        note_price(warehouse, served, tariff)
        asking = Asking(warehouse, served, limits, cap_at(cap, tariff), known)

        def done(place: int, evaluated: Evaluated) -> None:
            watcher().advance(name, 1)
            on_done(place, evaluated)

        chain = Chain(served, home_secret(home), most_questions)
        found = chain.evaluate(cases, asking, library.passages, done)
    n_undone = sum(evaluated.status is None for evaluated in found)
    watcher().end(name, f"{n_undone} not evaluated" if n_undone else "")
    return found, asking.n_sent
