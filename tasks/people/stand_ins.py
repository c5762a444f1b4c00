"""Which of our metrics stand for a human one, and the row that holds the two against each other."""

from typing import Any

from medassay.metrics import BY_NAME, METRICS, Profile
from medassay.models.statistics.estimate import Estimate
from medassay.sql.warehouse import Row

HUMANS = "humans"
AUTOMATIC = tuple(metric.name for metric in METRICS if metric.human is not None)


def human_metrics() -> set[str]:
    """Return the human columns that some metric of ours stands for, under whichever profile."""
    under = {human for metric in METRICS for humans in metric.human_under.values() for human in humans}
    return under | {human for name in AUTOMATIC for human in (name, *(BY_NAME[name].human or ()))}


def stands_in(human: str, profile: Profile, metric: str) -> bool:
    """Say whether a metric under a profile means what people scored."""
    known = BY_NAME.get(metric)
    if known is None or known.human is None:
        return False
    return human in (metric, *known.human, *known.human_under.get(profile, ()))


def agreement_row(
    human: str,
    metric: str,
    level: str,
    measure: str,
    found: Estimate,
    *,
    profile: Profile = "any",
    **more: Any,
) -> Row:
    """Build a row of the mart; `more` overrides."""
    return {
        "human_metric": human,
        "profile": profile,
        "metric": metric,
        "level": level,
        "measure": measure,
        "stratum": "all",
        "stands_in": metric == HUMANS or stands_in(human, profile, metric),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "reason": found.reason,
        **more,
    }
