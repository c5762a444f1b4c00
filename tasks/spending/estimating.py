"""Estimates of tokens, money and time, from this home's history or stated guesses."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import (
    UNSEEN,
    Request,
    guessed_by_length,
    guessed_tokens,
    how_guessed,
    how_requests_were_guessed,
    tokens_of_requests,
)
from medassay.models.chat.endpoint import Endpoint
from medassay.tasks.run import RunRef
from medassay.tasks.spending.caps import tariffs
from medassay.tasks.stages.judge import CONCURRENCY
from medassay.tasks.stages.stage import Stage, Step

TOKENS_A_REPLY = 250
SECONDS_A_CALL = 2.0
FEWEST_SEEN = 20
"""So many calls or items say more about a home than the usual rate does."""
AT_ONCE = {"judge": CONCURRENCY, "listwise": CONCURRENCY, "criteria": CONCURRENCY}
AT_ONCE_BY_DEFAULT = 8
ITEMS_A_SECOND = {
    "decompose": 200.0,
    "nuggets": 200.0,
    "embed": 120.0,
    "fetch": 20.0,
    "shortlist": 100.0,
    "entail": 15.0,
    "match": 50.0,
}
"""Usual rates on two CPU cores; what this home has measured takes their place."""
PAIRS_A_SECOND = {"llm": 2.0, "cascade": 3.0}
"""The same of pairs, by reader, on cores that multiply in bfloat16."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One stage: what it has to do, what is known already, and what the rest takes.

    `basis` says how sure the numbers are: exact, or what was assumed. Money is None where the model has no price.
    """

    stage: str
    model: str | None
    n_items: int
    n_to_do: int
    n_calls: int
    n_known_calls: int
    prompt_tokens: int
    reply_tokens: int
    money: float | None
    currency: str | None
    seconds: float
    basis: str
    estimated: bool = False
    """Whether the numbers of items are an estimate too, and not only what they take."""
    costs_nothing: bool = False
    """Whether the model is served on this machine."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON-able values."""
        return asdict(self)


def pinned(run: RunRef, stage: Stage) -> Step:
    """Write down what a stage of a rehearsed run would ask, and return its step."""
    return Step(run, stage.name, stage.pin(run), run.warehouse, run.settings)


def local_work(run: RunRef, stage: str) -> Planned:
    """Count a stage that asks no model in words."""
    warehouse = run.warehouse
    n_items = int(warehouse.value(f"select count(*) from {stage}_items"))
    n_pending = int(warehouse.value(f"select count(*) from {stage}_pending"))
    rate, whence = usual_rate(run, stage)
    return Planned(
        stage,
        None,
        n_items,
        n_pending,
        0,
        0,
        0,
        0,
        None,
        None,
        n_pending / rate,
        f"exact count, {whence} rate",
    )


def usual_rate(run: RunRef, stage: str) -> tuple[float, str]:
    """Return items a second as this home has measured them, else the usual rate.

    Of pairs that were read for entailment only those count that the same model read in the same place.
    """
    settings = run.settings
    (row,) = run.warehouse.rows(
        "select sum(n_done) as done, sum(seconds) as seconds from run_stage join run using (run_id)"
        " where stage = ? and n_done > 0 and seconds > 0 and (stage != 'entail' or"
        " ((settings ->> 'reader') = ? and coalesce(settings ->> 'on', 'here') = ?))",
        [stage, settings.reader, settings.on],
    )
    if row["done"] and row["seconds"] and row["done"] >= FEWEST_SEEN:
        return row["done"] / row["seconds"], "this home's"
    if stage == "entail" and settings.reader in PAIRS_A_SECOND:
        return PAIRS_A_SECOND[settings.reader], "the usual"
    return ITEMS_A_SECOND.get(stage, 50.0), "the usual"


def of_requests(
    run: RunRef,
    stage: str,
    endpoint: Endpoint,
    n_items: int,
    n_to_do: int,
    new: list[Request[Any]],
    n_known: int,
    basis: str,
) -> Planned:
    """Turn requests that are not on disk yet into what they take; their number is exact, and so is their text."""
    counts = (n_items, n_to_do, len(new), n_known)
    told = f"{basis}; {how_requests_were_guessed(new)}"
    return _taking(run, stage, endpoint, counts, tokens_of_requests(new), told)


def of_calls(
    run: RunRef,
    stage: str,
    endpoint: Endpoint,
    n_items: int,
    n_to_do: int,
    n_calls: int,
    n_known: int,
    characters: int,
    basis: str,
    texts: Sequence[str] = (),
) -> Planned:
    """Turn calls of which only a length is known, beside some texts that they show, into what they take."""
    counts = (n_items, n_to_do, n_calls, n_known)
    tokens = guessed_by_length(characters) + sum(map(guessed_tokens, texts))
    told = f"{basis}; {how_guessed(texts) if texts else UNSEEN}"
    return _taking(run, stage, endpoint, counts, tokens, told)


def _taking(
    run: RunRef,
    stage: str,
    endpoint: Endpoint,
    counts: tuple[int, int, int, int],
    prompt: int,
    basis: str,
) -> Planned:
    """Add replies, money and time to calls, by what this home has seen of the model, else by stated guesses."""
    n_calls = counts[2]
    (seen,) = run.warehouse.rows(
        "select avg(completion_tokens) as reply, median(latency_s) as seconds from model_call"
        " where model_asked = ? and stage = ? and status = 'ok'",
        [endpoint.model, stage],
    )
    a_reply = seen["reply"] if seen["reply"] is not None else TOKENS_A_REPLY
    a_call = seen["seconds"] if seen["seconds"] is not None else SECONDS_A_CALL
    whence = (
        "replies and pace as seen before"
        if seen["reply"] is not None
        else (f"{TOKENS_A_REPLY} tokens and {SECONDS_A_CALL:g} s a reply assumed")
    )
    reply = round(n_calls * a_reply)
    tariff = None if endpoint.is_ours else tariffs(Path(run.home), run.settings.prices).get(endpoint.model)
    at_once = 1 if endpoint.is_ours else AT_ONCE.get(stage, AT_ONCE_BY_DEFAULT)
    return Planned(
        stage,
        "embedded" if endpoint.role == "embedded" else endpoint.label,
        *counts,
        prompt,
        reply,
        tariff.price.of(prompt, reply) if tariff else None,
        tariff.currency if tariff else None,
        # What begins together ends together: five calls take as long as one.
        math.ceil(n_calls / at_once) * a_call,
        f"{basis}, {whence}",
        costs_nothing=endpoint.is_ours,
    )


def total(stages: Iterable[Planned]) -> Planned:
    """Add the stages up; money only where every stage that asks another machine has a price, in one currency."""
    found = list(stages)
    paid = [s for s in found if s.model is not None and s.n_calls and not s.costs_nothing]
    priced = bool(paid) and all(stage.money is not None for stage in paid)
    currencies = {stage.currency for stage in paid}
    whole = Planned("total", None, 0, 0, 0, 0, 0, 0, None, None, 0.0, "")
    for stage in found:
        whole = replace(
            whole,
            n_calls=whole.n_calls + stage.n_calls,
            n_known_calls=whole.n_known_calls + stage.n_known_calls,
            prompt_tokens=whole.prompt_tokens + stage.prompt_tokens,
            reply_tokens=whole.reply_tokens + stage.reply_tokens,
            seconds=whole.seconds + stage.seconds,
        )
    if priced and len(currencies) == 1:
        whole = replace(whole, money=sum(stage.money or 0.0 for stage in paid), currency=currencies.pop())
    return whole
