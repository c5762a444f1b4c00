"""Bounds on a system's mean of a metric, on its interval, and on the share of questions without a value."""

from collections.abc import Iterator, Sequence
from typing import Any

from medassay.models.counting import counted
from medassay.models.gate.config import Bound, GateConfig
from medassay.models.gate.measured import Mean
from medassay.models.gate.record import Check, Outcome
from medassay.models.statistics.paired import questions_needed
from medassay.models.statistics.resampling import LEAST_FOR_ANY
from medassay.models.usage import UsageError


def check_bounds(config: GateConfig, means: Sequence[Mean]) -> list[Check]:
    """Hold every mean against the bounds of its metric.

    Raises:
        UsageError: where a bound names a system or category that the run has not.
    """
    found = []
    for metric, bounds in config.bounds.items():
        own = [mean for mean in means if mean.metric == metric]
        for bound in bounds:
            for mean in _meant(metric, bound, own):
                found += [*_of_value(bound, mean), *_of_nulls(bound, mean)]
    return found


def _meant(metric: str, bound: Bound, means: Sequence[Mean]) -> list[Mean]:
    """Return the means that a bound is about."""
    key = f"gate.bounds.{metric}"
    systems = sorted({mean.system for mean in means})
    refuse_unknown(f"{key}.systems", bound.systems or (), systems)
    categories = sorted({mean.category for mean in means if mean.category is not None})
    if not isinstance(bound.categories, str):
        refuse_unknown(f"{key}.categories", bound.categories, categories)
        wanted: set[str | None] = set(bound.categories)
    else:
        wanted = {None} if bound.categories == "all" else set(categories)
        if not wanted:
            raise UsageError(f"{key}.categories is 'each': no question of the run has a category; write all")
    return [m for m in means if m.category in wanted and m.system in (bound.systems or systems)]


def refuse_unknown(key: str, named: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that the run has not.

    Raises:
        UsageError: naming the key and what there is.
    """
    for name in named:
        if name not in known:
            raise UsageError(f"{key} names {name!r}: the run has {', '.join(known) or 'none'}")


def _of_value(bound: Bound, mean: Mean) -> Iterator[Check]:
    """Hold a mean, or its interval, against the bound's ends."""
    ends = (("at least", ">=", bound.at_least, 1.0), ("at most", "<=", bound.at_most, -1.0))
    for words, sign, limit, better in ends:
        if limit is None:
            continue
        outcome, needed = _held(bound, mean, limit, better)
        asked = f"{words} {limit:g} was asked for"
        if bound.on == "interval":
            asked = f"all of its interval {words} {limit:g} was asked for"
        message = f"{_said(mean)}; {asked}"
        if outcome == "insufficient_evidence":
            message += f": {_settling(needed)}" if mean.value is not None else ": there is nothing to tell by"
        yield Check(
            kind="bound",
            name=f"{mean.metric} {sign} {limit:g}{' (interval)' * (bound.on == 'interval')} of {_whose(mean)}",
            outcome=_at_level(bound, outcome),
            message=message,
            questions_needed=needed,
            bound=limit,
            **_numbers(mean),
        )


def _held(bound: Bound, mean: Mean, limit: float, better: float) -> tuple[Outcome, int | None]:
    if mean.value is None:
        return "insufficient_evidence", None
    if bound.on == "mean":
        return ("passed" if better * (mean.value - limit) >= 0 else "failed"), None
    if mean.low is None or mean.high is None:
        return "insufficient_evidence", _needed(mean, limit)
    near, far = sorted(better * (end - limit) for end in (mean.low, mean.high))
    if near >= 0:
        return "passed", None
    return ("failed", None) if far < 0 else ("insufficient_evidence", _needed(mean, limit))


def _needed(mean: Mean, limit: float) -> int | None:
    """Return how many units in all would tell the mean from its bound; None where no number of them may."""
    assert mean.value is not None
    if mean.deviation is None or mean.value == limit:
        return LEAST_FOR_ANY if mean.n_units < LEAST_FOR_ANY else None
    needed = questions_needed(mean.value - limit, mean.deviation)
    return None if needed is None else max(needed, mean.n_units + 1, LEAST_FOR_ANY)


def _settling(needed: int | None) -> str:
    if needed is None:
        return "too close to tell, however many questions there are"
    return f"too little data to tell; about {counted(needed, 'question')} would settle it"


def _of_nulls(bound: Bound, mean: Mean) -> Iterator[Check]:
    if bound.max_null is None:
        return
    asked = mean.n + mean.n_null
    share = mean.n_null / asked if asked else 0.0
    yield Check(
        kind="nulls",
        name=f"share of NULLs of {mean.metric} <= {bound.max_null:g} of {_whose(mean)}",
        outcome=_at_level(bound, "failed" if share > bound.max_null else "passed"),
        message=f"{mean.metric} of {_whose(mean)} has no value for {mean.n_null} of {counted(asked, 'question')};"
        f" {bound.max_null:.1%} was allowed",
        **{**_numbers(mean), "value": share, "low": None, "high": None},
        bound=bound.max_null,
    )


def _at_level(bound: Bound, outcome: Outcome) -> Outcome:
    return "warned" if outcome != "passed" and bound.level == "warn" else outcome


def _numbers(mean: Mean) -> dict[str, Any]:
    return {
        "metric": mean.metric,
        "system": mean.system,
        "category": mean.category,
        "value": mean.value,
        "low": mean.low,
        "high": mean.high,
        "n": mean.n,
        "n_null": mean.n_null,
    }


def _whose(mean: Mean) -> str:
    return mean.system + (f" in {mean.category}" if mean.category is not None else "")


def _said(mean: Mean) -> str:
    if mean.value is None:
        return f"{mean.metric} of {_whose(mean)} has no mean ({mean.reason or 'nothing was scored'})"
    interval = "" if mean.low is None or mean.high is None else f"{mean.low:.3f} to {mean.high:.3f}, "
    return f"{mean.metric} of {_whose(mean)} is {mean.value:.3f} ({interval}{counted(mean.n, 'question')})"
