"""Nugget assignment by a language model, in batches as in AutoNuggetizer (Pradeep et al. 2024, section 3.3).

Pure functions: they build requests and read replies; whoever calls them does the network.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from medassay.models.nuggets.requests import (
    ModelRequest,
    digest_of,
    numbered,
    template,
    verdicts_by_id,
    verdicts_schema,
)
from medassay.models.records import NuggetStateName

BATCH = 10
"""Nuggets a request, AutoNuggetizer's window."""

STATES: Mapping[str, NuggetStateName] = {
    "support": "covered",
    "partial_support": "partial",
    "not_support": "missing",
    "contradict": "contradicted",
}
VERDICTS = tuple(STATES)
VERSION = 2


def describe() -> dict[str, Any]:
    """Return what is asked: the prompt by its digest, the batch and the verdicts there are."""
    return {
        "method": "nugget assignment by a model",
        "prompt": digest_of("assignment"),
        "batch": BATCH,
        "verdicts": list(VERDICTS),
        "stage_version": VERSION,
    }


def canonical_order(nuggets: Sequence[str]) -> list[int]:
    """Return the nuggets' positions by text, so that a person who reorders them asks, and pays, for nothing new."""
    return sorted(range(len(nuggets)), key=lambda position: (nuggets[position], position))


def assignment_requests(
    question: str, answer: str, nuggets: Sequence[str], batch: int = BATCH
) -> list[ModelRequest]:
    """Build the requests that assign every nugget of an answer, `batch` at a time; ids are `n1`, `n2` and on."""
    requests = []
    for first in range(0, len(nuggets), batch):
        part = nuggets[first : first + batch]
        ids = tuple(f"n{first + place + 1}" for place in range(len(part)))
        material = {"question": question, "nuggets": numbered(ids, part), "answer": answer}
        schema = verdicts_schema("verdict", VERDICTS, ids)
        requests.append(ModelRequest(template("assignment"), material, schema, digest_of("assignment"), ids))
    return requests


def read_assignment(
    request: ModelRequest, reply: Any
) -> dict[int, tuple[NuggetStateName | None, str | None]]:
    """Read one reply as nugget position → (state, None), or (None, why the model abstained on it).

    Args:
        request: the request that was asked.
        reply: the parsed JSON; anything at all, since models answer anything at all.
    """
    found = verdicts_by_id(reply, "verdict", VERDICTS, request.ids)
    return {
        int(name[1:]) - 1: (None if verdict is None else STATES[verdict], reason)
        for name, (verdict, reason) in found.items()
    }
